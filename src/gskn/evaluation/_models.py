"""Models by name."""

from collections.abc import Sequence

from gskn.evaluation._model import Model
from gskn.evaluation._others import BASELINE_MODELS
from gskn.evaluation._ours import OURS
from gskn.exceptions import InputError

MODELS = {model.name: model for model in OURS + BASELINE_MODELS}


def find_models(names: Sequence[str | Model]) -> list[Model]:
    """Return models by name; a model stands for itself."""
    unknown = [n for n in names if not isinstance(n, Model) and n not in MODELS]
    if unknown:
        raise InputError(
            f"There is no model {unknown[0]!r}; known are {', '.join(map(repr, MODELS))}."
        )
    return [name if isinstance(name, Model) else MODELS[name] for name in names]
