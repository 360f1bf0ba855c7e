"""Integrations with other libraries; each module needs an extra.

`gskn.integrations.rdkit` contains a transformer and splitters for molecules, and
`gskn.integrations.pyg` structural encodings of nodes for PyTorch Geometric.
"""
