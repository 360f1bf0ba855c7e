"""``gskn models``: list the models that can be evaluated."""

from typing import TYPE_CHECKING

from gskn.cli._options import AsJson

if TYPE_CHECKING:
    from gskn.evaluation import Model


def models(as_json: AsJson = False) -> None:
    """List the models for gskn evaluate: GSKN, baselines and networks.

    The grid is the number of parameter values to select from on the training part.
    A model with an extra needs optional packages: pip install 'gskn[torch]'.

    Example: gskn models
    """
    from gskn.cli._tables import show
    from gskn.evaluation import MODELS

    rows = [
        {
            "name": model.name,
            "description": model.description,
            "output": _output(model),
            "extra": model.extra or "",
            "grid": len(model.grid),
        }
        # Only in JSON: the table has to fit into 80 columns.
        | ({"estimator": model.estimator.__name__} if as_json else {})
        for model in MODELS.values()
    ]
    show(rows, title="Models", as_json=as_json)


def _output(model: "Model") -> str:
    if model.predicts:
        return "prediction"
    return "kernel" if model.gives_kernels else "embedding"
