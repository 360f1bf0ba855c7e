"""Other systems by name, with settings that their authors choose among.

Those that would take days for each fold anew are transductive, as with their authors:
kernels scaled by attributes, distances or degrees of the graphs at hand, and vectors that
are trained. They see the graphs that are tested, never their classes.
"""

from itertools import product
from typing import Any

from gskn._types import Params as Setting
from gskn.baselines import (
    AWE,
    GCKN,
    GNTK,
    LDP,
    AWEFeatures,
    Graph2Vec,
    GraphletKernel,
    HashGraphKernel,
    RandomWalkKernel,
    RetGK,
    ShortestPathKernel,
    WLKernel,
    WLOAKernel,
    WWLKernel,
)
from gskn.evaluation._model import Model
from gskn.evaluation._model import one_at_a_time as vary
from gskn.evaluation._svm import PRECOMPUTED


def _grid(**choices: Any) -> tuple[Setting, ...]:
    """Return all combinations of parameters."""
    return tuple(
        dict(zip(choices, values, strict=True)) for values in product(*choices.values())
    )


def _kernel(
    name: str,
    description: str,
    estimator: Any,
    *,
    transductive: bool = False,
    **choices: Any,
) -> Model:
    return Model(name, description, _grid(**choices), PRECOMPUTED, estimator, transductive)


def _with_and_without_attributes(
    name: str, description: str, estimator: Any, without: dict[str, Any], **choices: Any
) -> list[Model]:
    """Return a kernel of all there is, and one of labels alone, or degrees."""
    kernels = {
        (name, description): choices,
        (f"{name}-labels", f"{description}, labels alone"): {**without, **choices},
    }
    return [
        Model(*named, _grid(**grid), PRECOMPUTED, estimator, transductive=True)
        for named, grid in kernels.items()
    ]


def _rows(
    name: str,
    description: str,
    estimator: Any,
    *,
    transductive: bool = False,
    **choices: Any,
) -> Model:
    grid = _grid(**choices)
    return Model(name, description, grid, estimator=estimator, transductive=transductive)


def _gckn(variant: str) -> Model:
    """Return embeddings to choose from, varied as ours are."""
    middle: Setting = {"variant": variant, "path_length": 3, "sigma": 0.5}
    changes: tuple[Setting, ...] = (
        {"path_length": 5},
        {"sigma": 1.5},
        {"weighting": "probability"},
        {"pooling": "mean"},
        {"n_landmarks": 128},  # graphs without labels have many degrees: COLLAB
    )
    return Model(
        f"gckn-{variant}",
        f"graph convolutional kernel network, {variant} variant",
        vary(middle, changes),
        estimator=GCKN,
    )


OTHERS = (
    _rows(
        "ldp", "local degree profiles", LDP, n_bins=(30, 50, 100), scale=("linear", "log")
    ),
    _kernel("wl", "Weisfeiler-Lehman subtree kernel", WLKernel, n_iterations=range(1, 6)),
    _kernel(
        *("wl-oa", "Weisfeiler-Lehman optimal assignment kernel", WLOAKernel),
        n_iterations=range(1, 6),
    ),
    _kernel("sp", "shortest-path kernel", ShortestPathKernel),
    _kernel(
        *("rw-kernel", "random walk kernel, geometric", RandomWalkKernel),
        transductive=True,
        share=(0.1, 0.5, 0.9),
    ),
    _kernel("graphlet", "graphlet kernel", GraphletKernel, size=(3, 4)),
    *_with_and_without_attributes(
        *("retgk", "return probabilities of random walks", RetGK),
        without={"with_attributes": (False,)},
    ),
    _kernel(  # every step more takes minutes
        *("wwl", "Wasserstein Weisfeiler-Lehman kernel", WWLKernel),
        transductive=True,
        n_iterations=(1, 3, 5),
        gamma=(0.1, 1.0, 10.0),
    ),
    _kernel(
        *("wwl-labels", "Wasserstein Weisfeiler-Lehman kernel, labels alone", WWLKernel),
        sources=("labels",),
        n_iterations=(1, 2, 3, 5, 7),
        gamma=(0.1, 1.0, 10.0),
    ),
    *_with_and_without_attributes(
        *("gntk", "graph neural tangent kernel", GNTK),
        without={"sources": ("labels",)},
        n_blocks=(1, 3),
        scale=("degree", "uniform"),
        normalize=(False, True),
    ),
    _kernel(
        *("hgk-wl", "hash graph kernel on Weisfeiler-Lehman", HashGraphKernel),
        transductive=True,
        base=("wl",),
        n_iterations=range(4),
    ),
    _kernel(
        *("hgk-sp", "hash graph kernel on shortest paths", HashGraphKernel),
        transductive=True,
        base=("sp",),
    ),
    _rows(
        *("graph2vec", "vectors that predict Weisfeiler-Lehman colours", Graph2Vec),
        transductive=True,
        n_iterations=(2, 3),
        n_epochs=(50,),
    ),
    _rows(
        *("awe", "vectors that predict anonymous walks", AWE),
        transductive=True,
        length=(7, 11),
    ),
    _rows("awe-features", "distribution of anonymous walks", AWEFeatures, length=(5, 6, 7)),
    _gckn("walk"),
    _gckn("path"),
    _gckn("subtree"),
)
