"""
Prediction intervals with a guarantee
=====================================

Conformal prediction turns the predictions of any regressor into intervals that contain the
true value with a given probability, if test and calibration molecules are drawn from the
same distribution. This example uses the package ``crepes``, the extra ``rdkit`` and the
data set ``esol``, which is downloaded if it is not in the data folder.
"""

import matplotlib.pyplot as plt
import numpy as np
from crepes import WrapRegressor
from sklearn.model_selection import train_test_split

from gskn import GSKN, GSKNRegressor, datasets

data = datasets.load("esol")
indices = np.arange(data.graphs.n_graphs)
train, rest = train_test_split(indices, test_size=0.5, random_state=0)
calibration, test = train_test_split(rest, test_size=0.5, random_state=0)

# %%
# The regressor is fitted to half of the molecules. The errors on a quarter that it has not
# seen determine the width of the intervals.

regressor = GSKNRegressor(GSKN(random_state=0), random_state=0)
model = WrapRegressor(regressor)
model.fit(data.graphs[train], data.y[train])
model.calibrate(data.graphs[calibration], data.y[calibration], seed=0)

# %%
# The fraction of covered values on the last quarter is close to what was requested.

y_test = data.y[test]
for confidence in (0.5, 0.8, 0.9, 0.95):
    low, high = model.predict_int(data.graphs[test], confidence=confidence, seed=0).T
    covered = np.mean((low <= y_test) & (y_test <= high))
    width = np.mean(high - low)
    print(f"requested {confidence:.0%}, covered {covered:.0%}, width {width:.2f}")

# %%
# Intervals for 90%, sorted by the prediction. Values outside of them are orange.

low, high = model.predict_int(data.graphs[test], confidence=0.9, seed=0).T
order = np.argsort(low + high)
outside = ((y_test < low) | (y_test > high))[order]
position = np.arange(len(test))

figure, axis = plt.subplots(figsize=(6, 4.2), layout="constrained")
axis.fill_between(position, low[order], high[order], color="#0072B2", alpha=0.25, lw=0)
for part, color, label in (
    (~outside, "#0072B2", "measured"),
    (outside, "#D55E00", f"outside ({outside.mean():.0%})"),
):
    axis.plot(position[part], y_test[order][part], "o", color=color, ms=4, label=label)
axis.set(xlabel="test molecules, sorted by prediction", ylabel="log solubility (mol/l)")
axis.set_title("Intervals for 90% of the molecules")
axis.legend(frameon=False)
plt.show()
