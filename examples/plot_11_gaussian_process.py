"""
Gaussian process on embeddings
==============================

Embeddings are ordinary rows of numbers, so any model of scikit-learn can be used on them. A
Gaussian process adds a standard deviation to every prediction: small for molecules that are
similar to the training molecules. It needs the extra ``rdkit`` and the data set
``freesolv``, which is downloaded if it is not in the data folder.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gskn import GSKN, datasets
from gskn.integrations.rdkit import MoleculeFeaturizer

data = datasets.load("freesolv")
smiles = data.graphs.graph_names
x_train, x_test, y_train, y_test = train_test_split(smiles, data.y, random_state=0)

# %%
# The pipeline takes SMILES. The parameters of the kernel maximize the likelihood of the
# training molecules.

kernel = ConstantKernel(10.0) * Matern(20.0, nu=1.5) + WhiteKernel(0.1)
process = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
model = make_pipeline(MoleculeFeaturizer(), GSKN(random_state=0), StandardScaler(), process)
model.fit(x_train, y_train)
mean, deviation = model.predict(x_test, return_std=True)
errors = np.abs(mean - y_test)
print(process.kernel_)

# %%
# The standard deviation tells which predictions to trust: the error of the half with the
# smaller deviations is smaller, and about 95% of the values are within two deviations.

order = np.argsort(deviation)
halves = np.split(order, [len(order) // 2])
for name, half in zip(("certain", "uncertain"), halves, strict=True):
    print(f"{name} half: mean error {errors[half].mean():.2f} kcal/mol")
print(f"within two standard deviations: {np.mean(errors < 2 * deviation):.0%}")

figure, axis = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
limits = [data.y.min() - 1, data.y.max() + 1]
axis.plot(limits, limits, color="0.6", linewidth=1)
for half, color, label in zip(
    halves, ("#0072B2", "#D55E00"), ("certain", "uncertain"), strict=True
):
    axis.errorbar(
        y_test[half],
        mean[half],
        2 * deviation[half],
        fmt="o",
        markersize=5,
        color=color,
        elinewidth=0.8,
        alpha=0.7,
        label=f"{label} half",
    )
axis.set(xlabel="measured hydration energy (kcal/mol)", ylabel="predicted ± 2 deviations")
axis.legend(frameon=False, loc="upper left")
plt.show()
