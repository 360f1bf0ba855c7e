"""
Explain predictions of molecules
================================

A linear model on GSKN embeddings is a sum over walks. Its predictions are divided among the
atoms that the walks visit: orange atoms raise the prediction, blue atoms lower it.
"""

# %%
# Train on the number of oxygen atoms with a hydrogen. The model is not told what counts:
# it has to find out from twelve molecules.

from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb
from rdkit import Chem
from rdkit.Chem.Draw.rdMolDraw2D import MolDraw2DCairo

from gskn import GSKN, GSKNRegressor, as_batch
from gskn.explain import explain, global_patterns

smiles = ["CCO", "CCC", "CC(=O)O", "CC(=O)C", "OCCO", "c1ccccc1O", "COC", "CCOC(C)=O"]
smiles += ["CC(O)CO", "c1ccccc1", "C=CC=O", "OC1CCCC1"]
n_hydroxyls = [1, 0, 1, 0, 2, 1, 0, 0, 2, 0, 0, 1]
molecules = as_batch(smiles, smiles=True)
embedding = GSKN(("degree-walk",), walk_length=2, pooling="sum", random_state=0)
model = GSKNRegressor(embedding, kernel="linear", alpha=0.01, random_state=0)
model.fit(molecules, n_hydroxyls)

# %%
# Explain a new molecule with three oxygen atoms, two of which carry a hydrogen. The
# baseline and all contributions add up to the prediction.

smiles_new = "OCC(=O)CCO"
new = as_batch([smiles_new], smiles=True)
explanation = explain(model, new)
total = explanation.baseline + explanation.contributions.sum()
print(f"prediction {model.predict(new)[0]:.3f}, sum of contributions {total[0]:.3f}")

values = explanation.contributions
colors = np.where(values > 0, "#f0a060", "#66aadd")
atoms = {number: to_rgb(color) for number, color in enumerate(colors)}
drawing = MolDraw2DCairo(700, 500)
drawing.DrawMolecule(
    Chem.MolFromSmiles(smiles_new),
    highlightAtoms=list(atoms),
    highlightAtomColors=atoms,
    highlightBonds=[],
)
drawing.FinishDrawing()
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
left.imshow(plt.imread(BytesIO(drawing.GetDrawingText())))
left.set_axis_off()
right.bar(np.arange(len(values)), values, color=colors)
right.set_xticks(np.arange(len(values)), list("OCCOCCO"))
right.set_ylabel("contribution")
plt.show()

# %%
# An explanation is displayed by notebooks, as such a picture with darker colors for larger
# contributions. Browsers show the value of the atom under the mouse. ``explanation.draw()``
# returns the picture as SVG.

explain(model, new)

# %%
# Patterns show what the model has learned: which kinds of walks raise the prediction.

best = global_patterns(model, molecules, top=5)
for pattern, value in zip(best.patterns, best.contributions, strict=True):
    print(f"{value:+.2f}  {pattern.name}")
