"""Models of the baselines, built from the variants of every class in the registry.

Transductive models are fitted once to all graphs of a data set, without their classes, as
their authors do; fitting them in every fold would take days.
"""

from gskn.baselines import BASELINES, Baseline, Variant
from gskn.evaluation._model import Model
from gskn.evaluation._svm import LINEAR, PRECOMPUTED, RBF


def _make_model(baseline: type[Baseline], variant: Variant) -> Model:
    """Return the model of one variant of a baseline."""
    return Model(
        name=variant.name,
        description=variant.label,
        embeddings=variant.grid,
        classifiers=PRECOMPUTED if baseline.output == "kernel" else LINEAR + RBF,
        estimator=baseline,
        transductive=variant.transductive,
    )


BASELINE_MODELS = tuple(
    _make_model(baseline, variant)
    for baseline in BASELINES
    for variant in baseline.variants
)
