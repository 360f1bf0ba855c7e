"""``gskn models``: list the models that can be evaluated."""

import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gskn.cli._options import AsJson

if TYPE_CHECKING:
    from gskn._types import Params
    from gskn.evaluation import Model


def models(
    names: Annotated[
        list[str] | None, typer.Argument(help="Models to describe in detail.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the models for gskn evaluate, or describe some.

    A model is an embedding or a kernel; an SVM or ridge regression predicts the targets.

    Example: gskn models wl gskn
    """
    from gskn.cli._tables import show
    from gskn.evaluation import MODELS, find_models

    selected = find_models(names or list(MODELS))
    if as_json:
        show([_details(model) for model in selected], title="", as_json=True)
    elif names:
        for model in selected:
            _show_details(model)
    else:
        _show_list(selected)


def _show_list(selected: list["Model"]) -> None:
    """Print one line per model; remarks of the description are left out if need be."""
    from gskn.cli._tables import show, table_width

    rows: list[dict[str, Any]] = [
        {
            "name": model.name,
            "kind": _kind(model),
            "needs": model.extra or "",
        }
        for model in selected
    ]
    # Two characters separate columns, and the table has a margin on both sides.
    used = sum(max(len(row[key]) for row in rows) + 2 for key in rows[0]) + 3
    for row, model in zip(rows, selected, strict=True):
        row["description"] = _shorten(model.description, max(20, table_width() - used))
    show(
        rows,
        title="Models",
        as_json=False,
        caption="needs: the extra to install, as in gskn[baselines]. Details: gskn models "
        "NAME.",
    )


def _shorten(text: str, width: int) -> str:
    """Return a description without its remark if it does not fit."""
    return text if len(text) <= width else text.partition(";")[0]


def _show_details(model: "Model") -> None:
    """Print the properties of a model."""
    from gskn.cli._tables import show

    details = _details(model)
    texts = {
        "description": details["description"],
        "kind": _kind(model),
        "estimator": details["estimator"],
        "uses": details["uses"],
        "needs": details["needs"] and f"gskn[{details['needs']}]",
        "targets": " and ".join(details["targets"]),
        "nodes": "yes" if details["nodes"] else "no",
        "fitted to": details["fitted_to"],
        "classifiers": _join_machines(model.classifiers),
        **_grid_texts(model.grid),
        "reference": details["reference"],
    }
    rows = [{"property": name, "value": text} for name, text in texts.items() if text]
    show(rows, title=f"Model {model.name}", as_json=False)


def _details(model: "Model") -> dict[str, Any]:
    """Return the properties of a model."""
    return {
        "name": model.name,
        "description": model.description,
        "output": "prediction" if model.predicts else _kind(model),
        "grid": len(model.grid),
        "estimator": model.estimator.__name__,
        "needs": model.extra,
        "uses": getattr(model.estimator, "uses", None),
        "targets": [kind for kind in ("classes", "values") if model.supports(kind)],
        "nodes": model.embeds_nodes or model.nodes is not None or _is_majority(model),
        "fitted_to": "all graphs, without targets"
        if model.transductive
        else "training graphs",
        "reference": _reference(model),
    }


def _is_majority(model: "Model") -> bool:
    return _kind(model) == "constant" and model.supports("classes")


def _kind(model: "Model") -> str:
    """Return what a model is: the first two kinds predict targets themselves."""
    if model.predicts:
        return "constant" if model.extra is None else "network"
    return "kernel" if model.gives_kernels else "embedding"


def _reference(model: "Model") -> str | None:
    """Return the first reference in the docstring of an estimator of gskn."""
    if not model.estimator.__module__.startswith("gskn."):
        return None
    text = inspect.getdoc(model.estimator) or ""
    _, _, rest = text.partition("\nReferences\n----------\n")
    first = rest.split("\n\n")[0].split("\n.. [")[0]
    return " ".join(first.removeprefix(".. [1] ").split()) or None


def _join_machines(machines: "tuple[Params, ...]") -> str:
    """Return the kernels with their values of C."""
    values: dict[str, list[str]] = {}
    for params in machines:
        values.setdefault(params["kernel"], []).append(f"{params['C']:g}")
    return "\n".join(f"{kernel}: C = {', '.join(cs)}" for kernel, cs in values.items())


def _grid_texts(grid: "tuple[Params, ...]") -> dict[str, str]:
    """Return the parameters that all entries share, and the others, one line per entry."""
    common = {
        name: value
        for name, value in grid[0].items()
        if all(name in params and params[name] == value for params in grid)
    }
    if len(grid) == 1 or not common:
        return {"parameters": "\n".join(map(_join_params, grid))}
    varied = [{k: v for k, v in params.items() if k not in common} for params in grid]
    return {
        "parameters": _join_params(common),
        "selected from": "\n".join(map(_join_params, varied)),
    }


def _join_params(params: "Params") -> str:
    if not params:
        return "defaults"
    return ", ".join(f"{name} = {_as_text(value)}" for name, value in params.items())


def _as_text(value: Any) -> str:
    return " + ".join(value) if isinstance(value, tuple) else str(value)
