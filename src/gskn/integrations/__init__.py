"""Integrations with other libraries; each module needs an extra.

`gskn.integrations.rdkit` contains a transformer and splitters for molecules,
`gskn.integrations.pyg` structural encodings of nodes for PyTorch Geometric.
`gskn.integrations.torch` contains GSKN as a module whose landmarks are trained.
"""
