"""Summary of a fitted model: its parameters, and its score on inner folds."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gskn import GSKN
    from gskn.estimators import Predictor, Selected


def summarize_embedding(embedding: "GSKN") -> dict[str, Any]:
    """Return the parameters of an embedding that models select, and its columns."""
    from gskn.pooling import check_pooling

    return {
        "branches": list(embedding.branches_),
        "walk_length": embedding.walk_length,
        "n_landmarks": embedding.n_landmarks,
        "weighting": embedding.weighting,
        "pooling": list(check_pooling(embedding.pooling)),
        "edge_features": list(embedding.edge_features_),
        "columns": embedding.n_features_out_,
    }


def summarize_machine(model: "Predictor") -> dict[str, Any]:
    """Return kernel and regularization of a model, and its score on inner folds.

    The score is None if there were no inner folds.
    """
    selected, name = model.selected_, strength_name(model)
    row = _selected_row(selected, name) or {"score": None, "standard_error": None}
    score = row["score"]
    return {
        "kernel": selected.kernel,
        name: selected.strength,
        "candidates": len(selected.scores),
        "metric": _metric(model),
        # The mean squared error is stored with a minus: higher scores are better.
        "score": score if score is None else abs(score),
        "standard_error": row["standard_error"],
    }


def strength_name(model: "Predictor") -> str:
    """Return the name of the parameter of the regularization."""
    return "C" if hasattr(model, "C_") else "alpha"


def _selected_row(selected: "Selected", name: str) -> dict[str, Any] | None:
    """Return the selected row of the table of scores."""
    values = {
        "params": selected.params,
        "kernel": selected.kernel,
        name: selected.strength,
    }
    rows = (row for row in selected.scores if values.items() <= row.items())
    return next(rows, None)


def _metric(model: "Predictor") -> str:
    if strength_name(model) == "alpha":
        return "mean squared error"
    return "accuracy" if model.class_weight is None else "balanced accuracy"
