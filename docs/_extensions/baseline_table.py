"""Generate the table and the references of the baselines page from the registry."""

import inspect
from pathlib import Path
from typing import Any

from gskn.baselines import BASELINES, Baseline


def write_baselines(app: Any) -> None:
    """Write the table and the list of references for the guide."""
    folder = Path(app.srcdir) / "guide" / "generated"
    folder.mkdir(exist_ok=True)
    (folder / "baselines.md").write_text(make_table(), encoding="utf-8")
    (folder / "references.md").write_text(make_references(), encoding="utf-8")


def make_table() -> str:
    """Return a Markdown table with one row per class."""
    header = ("class", "returns", "uses", "models", "reference")
    lines = [header, ("---",) * len(header), *map(_make_row, BASELINES)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def make_references() -> str:
    """Return a Markdown list of the references of all classes, sorted by author."""
    texts = {text for baseline in BASELINES for text in _references(baseline)}
    return "".join(f"- {text}\n" for text in sorted(texts, key=_cite))


def _make_row(baseline: type[Baseline]) -> tuple[str, ...]:
    name = baseline.__name__
    return (
        f"{{py:obj}}`{name} <gskn.baselines.{name}>`",
        baseline.output,
        baseline.uses,
        ", ".join(f"`{variant.name}`" for variant in baseline.variants),
        _cite(_references(baseline)[0]),
    )


def _references(baseline: type[Baseline]) -> list[str]:
    """Return the references in the docstring of a class, one line each."""
    _, _, rest = (inspect.getdoc(baseline) or "").partition("\nReferences\n----------\n")
    section, _, _ = rest.partition("\nExamples\n--------\n")
    return [" ".join(text.split()) for text in section.strip().split("\n\n")]


def _cite(reference: str) -> str:
    """Return the short form of a reference: surnames and year."""
    names, _, rest = reference.partition(', "')
    surnames = [name.split()[-1] for name in names.replace(" and ", ", ").split(", ")]
    year = rest.rstrip(".")[-4:]
    if len(surnames) > 2:
        return f"{surnames[0]} et al., {year}"
    return f"{' and '.join(surnames)}, {year}"


def setup(app: Any) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", write_baselines)
    return {"parallel_read_safe": True}
