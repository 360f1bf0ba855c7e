"""Integrations with other libraries; each module needs an extra.

`gskn.integrations.rdkit` contains a transformer and splitters for molecules,
`gskn.integrations.pyg` structural encodings of nodes for PyTorch Geometric, and
`gskn.integrations.torch` GSKN as a module whose landmarks are trained.
`gskn.integrations.arrow` embeds graphs in Arrow tables, and `gskn.integrations.dask` many
tables on the workers of Dask.
"""
