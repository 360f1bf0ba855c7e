"""The extensions of the documentation, which are no package."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def load_extension(name: str) -> ModuleType:
    """Return a new module of an extension, which may import the others."""
    spec = spec_from_file_location(name, DOCS / "_extensions" / f"{name}.py")
    module = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS / "_extensions")
        spec.loader.exec_module(module)
    return module
