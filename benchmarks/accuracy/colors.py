"""Measure whether histograms of colors help or harm classifiers.

Run ``python benchmarks/accuracy/colors.py SET ...``. Every accuracy is the mean of ten
folds of nested cross-validation (one repeat): one fixed setting of `GSKN`, histograms of
colors alone, and both side by side. ``--methods 2-fwl`` adds colors of pairs. The results
are quoted in ``docs/guide/distinguish.md``.
"""

import argparse

import numpy as np
from sklearn.pipeline import FeatureUnion

from gskn import GSKN, datasets
from gskn.estimators import ColorHistogram
from gskn.evaluation import Model, evaluate


class WithColors(FeatureUnion):
    """`GSKN` and histograms of colors side by side."""

    def __init__(self, method="1-wl", pattern_length=0, random_state=0):
        self.method = method
        self.pattern_length = pattern_length
        self.random_state = random_state
        colors = ColorHistogram(method, pattern_length=pattern_length, normalize=True)
        super().__init__([("gskn", GSKN(random_state=random_state)), ("colors", colors)])

    def get_params(self, deep=True):  # noqa: ARG002, FBT002 - scikit-learn's interface
        names = ("method", "pattern_length", "random_state")
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params):
        self.__init__(**{**self.get_params(), **params})
        return self


def models(method):
    colors = {"method": method, "normalize": True}
    yield Model("gskn-fixed", "GSKN, default parameters", ({},))
    for length in (0, 6):
        params = {**colors, "pattern_length": length}
        name = f"{method}, patterns of {length}"
        yield Model(f"colors {name}", "colors", (params,), estimator=ColorHistogram)
        both = {"method": method, "pattern_length": length}
        yield Model(f"both {name}", "both", (both,), estimator=WithColors)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--methods", nargs="+", default=["1-wl"])
    options = parser.parse_args()
    for name in options.sets:
        data = datasets.load(name)
        for method in options.methods:
            listed = list(models(method))
            records = evaluate(data, listed, repeats=1)
            for model in listed:
                scores = [r.scores["accuracy"] for r in records if r.model == model.name]
                mean, error = np.mean(scores), np.std(scores) / len(scores) ** 0.5
                print(f"{name}, {model.name}: {100 * mean:.1f} +- {100 * error:.1f}")


if __name__ == "__main__":
    main()
