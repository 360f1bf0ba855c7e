"""
Selecting parameters by inner folds
===================================

``GSKN`` can be a step of a scikit-learn pipeline, so ``GridSearchCV`` can select its
parameters. The search uses only training graphs. Its best score is biased, because it was
used for the selection. The outer folds give an unbiased estimate.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from gskn import GSKN, datasets

data = datasets.structure(n_per_class=20)
pipeline = Pipeline(
    [
        ("embed", GSKN(("anonymous",), pooling="mean", random_state=0)),
        ("scale", StandardScaler()),
        ("classify", LinearSVC(C=0.01, random_state=0)),
    ]
)
grid = {
    "embed__anonymous_length": [3, 4, 5, 6],
    "embed__n_landmarks": [2, 4, 8, 16],
}
inner = StratifiedKFold(3, shuffle=True, random_state=0)
outer = StratifiedKFold(3, shuffle=True, random_state=1)
search = GridSearchCV(pipeline, grid, cv=inner).fit(data.graphs, data.y)
print(search.best_params_)

# %%
# Accuracy on the inner folds:

means = search.cv_results_["mean_test_score"].reshape(4, 4)
figure, axis = plt.subplots(figsize=(5.4, 3.8), layout="constrained")
image = axis.imshow(means, cmap="cividis", vmin=means.min(), vmax=1)
axis.set_xticks(range(4), grid["embed__n_landmarks"])
axis.set_yticks(range(4), grid["embed__anonymous_length"])
axis.set(xlabel="landmarks for each length", ylabel="walk length (nodes)")
axis.grid(visible=False)
for (row, column), mean in np.ndenumerate(means):
    color = "black" if mean > (means.min() + 1) / 2 else "white"
    axis.text(column, row, f"{mean:.2f}", ha="center", va="center", color=color)
figure.colorbar(image, label="accuracy on inner folds")
plt.show()

# %%
# Nested cross-validation: in every outer fold, the complete search runs on the training
# part, and the selected model is tested once.

scores = cross_val_score(search, data.graphs, data.y, cv=outer)
print(f"best inner mean {search.best_score_:.3f}")
print(f"nested folds    {scores.mean():.3f} +- {scores.std():.3f}")
