"""
Predict solubility from SMILES
==============================

This example reads a CSV file of molecules, trains a regressor on some kinds of molecules,
and predicts the solubility of others. It needs the extra ``rdkit`` and the data set
``esol``, which is downloaded if it is not in the data folder.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from gskn import GSKN, GSKNRegressor, as_batch, datasets
from gskn.integrations.rdkit import scaffold_split

datasets.load("esol")  # downloads the file
table = pd.read_csv(datasets.data_home() / "molecules" / "esol.csv")
print(table.head())

# %%
# Atoms are nodes with the element as label, and bonds are edges with their type. No ring
# system of the test molecules occurs in the training molecules, which is harder than a
# random split and closer to the use of a model on new molecules.

molecules = as_batch(table, smiles="smiles")
y = table["log_solubility"].to_numpy()
train, test = scaffold_split(molecules, acyclic="separate")
print(molecules)

# %%
# Kernel and regularization are selected on inner folds of the training molecules; the
# embedding is given here, and is selected, too, without this argument.

model = GSKNRegressor(GSKN(random_state=0), random_state=0)
model.fit(molecules[train], y[train])
predicted = model.predict(molecules[test])
error = np.sqrt(np.mean((predicted - y[test]) ** 2))
constant = np.std(y[test] - y[train].mean())
print(f"RMSE {error:.2f}, of the mean value {constant:.2f}")

figure, axis = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
limits = [y[test].min() - 0.5, y[test].max() + 0.5]
axis.plot(limits, limits, color="0.6", linewidth=1)
axis.scatter(y[test], predicted, s=26, color="#0072B2", alpha=0.6, edgecolor="none")
axis.set(xlim=limits, ylim=limits, aspect="equal")
axis.set(xlabel="measured log solubility (mol/l)", ylabel="predicted")
axis.set_title(f"{len(test)} molecules with new scaffolds, RMSE {error:.2f}")
plt.show()

# %%
# On the command line: ``gskn train esol.csv --target-column log_solubility -o model.gskn``,
# and ``gskn predict model.gskn new.smi -o predictions.csv``.
