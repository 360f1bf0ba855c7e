"""Integrations with other libraries; each module needs an extra.

`gskn.integrations.rdkit` contains a transformer and splitters for molecules.
"""
