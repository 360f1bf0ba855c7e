"""``gskn models``: list of the models that can be evaluated."""

from gskn.cli._options import AsJson


def models(as_json: AsJson = False) -> None:
    """List the models that ``gskn evaluate`` knows: ours, and other systems.

    Settings: how many are chosen among, on the training part alone.

    Example: gskn models
    """
    from gskn.cli._tables import show
    from gskn.evaluation import MODELS

    rows = [
        {
            "name": model.name,
            "what": model.description,
            "estimator": model.estimator.__name__,
            "gives": "kernel" if model.gives_kernels else "rows",
            "settings": len(model.grid),
        }
        for model in MODELS.values()
    ]
    show(rows, title="Models", as_json=as_json)
