"""
Similar molecules
=================

This example finds the molecules of a library that are most similar to a query. Molecules
are read from SMILES and drawn with RDKit (extras ``rdkit`` and ``plots``). Atoms are the
nodes of a graph.
"""

import matplotlib.pyplot as plt
from rdkit import Chem
from rdkit.Chem import Draw

from gskn import NearestGraphs, as_batch

LIBRARY = {
    "aspirin": "CC(=O)Oc1ccccc1C(=O)O",
    "salicylic acid": "OC(=O)c1ccccc1O",
    "benzoic acid": "OC(=O)c1ccccc1",
    "ibuprofen": "CC(C)Cc1ccc(cc1)C(C)C(=O)O",
    "paracetamol": "CC(=O)Nc1ccc(O)cc1",
    "phenacetin": "CCOc1ccc(NC(C)=O)cc1",
    "caffeine": "Cn1c(=O)c2c(ncn2C)n(C)c1=O",
    "theobromine": "Cn1cnc2c1c(=O)[nH]c(=O)n2C",
    "nicotine": "CN1CCCC1c1cccnc1",
    "dopamine": "NCCc1ccc(O)c(O)c1",
    "adrenaline": "CNCC(O)c1ccc(O)c(O)c1",
    "vanillin": "COc1cc(C=O)ccc1O",
    "menthol": "CC(C)C1CCC(C)CC1O",
    "camphor": "CC1(C)C2CCC1(C)C(=O)C2",
    "glucose": "OCC1OC(O)C(O)C(O)C1O",
    "citric acid": "OC(=O)CC(O)(C(=O)O)C(=O)O",
}
molecules = {name: Chem.MolFromSmiles(smiles) for name, smiles in LIBRARY.items()}
graphs = as_batch(list(molecules.values()))
print(graphs)

# %%
# ``NearestGraphs`` embeds the library once. The distance of two graphs is the distance of
# their standardized embeddings; molecules with equal embeddings have the distance 0.

QUERIES = {
    "theophylline": "Cn1c2c([nH]cn2)c(=O)n(C)c1=O",
    "methyl salicylate": "COC(=O)c1ccccc1O",
    "levodopa": "NC(Cc1ccc(O)c(O)c1)C(=O)O",
}
queries = {name: Chem.MolFromSmiles(smiles) for name, smiles in QUERIES.items()}

nearest = NearestGraphs(n_neighbors=3).fit(graphs)
distances, indices = nearest.kneighbors(as_batch(list(queries.values())))

# %%
# Every figure shows a query and the three most similar molecules with their distances.

names = list(molecules)
for row, (name, molecule) in enumerate(queries.items()):
    figure, axes = plt.subplots(2, 2, figsize=(6, 4.4), layout="constrained")
    near = zip(indices[row], distances[row], strict=True)
    shown = {f"{name} (query)": molecule}
    shown |= {f"{names[i]}, {distance:.2f}": molecules[names[i]] for i, distance in near}
    for axis, (title, drawn) in zip(axes.flat, shown.items(), strict=True):
        axis.imshow(Draw.MolToImage(drawn, size=(600, 400)))
        axis.set_title(title, fontweight="bold" if drawn is molecule else None)
        axis.set_axis_off()
plt.show()

# %%
# On the command line, the same search is ``gskn similar query.smi library.smi -k 3``.
