"""Link public names: docstrings say `as_batch`, the page is gskn.graphs.as_batch."""

from importlib import import_module
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

import gskn


def homes() -> dict[str, str]:
    """Return the full name of every public object of a stage, by its last part."""
    found = {}
    for stage in gskn.__all__:
        name = f"gskn.{stage}"
        listed = getattr(gskn, stage)
        if getattr(listed, "__name__", "") != name:
            continue  # an object, not a module
        found[stage] = name
        for member in public(import_module(name)):
            found.setdefault(member, f"{name}.{member}")
    return found


def public(module: Any) -> list[str]:
    """Return the names that a module offers."""
    names = getattr(module, "__all__", vars(module))
    return [name for name in names if not name.startswith("_")]


def resolve(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Link a bare name, or ``Class.method``, to the page of the public object."""
    if node.get("refdomain") != "py":
        return None
    first, dot, rest = node["reftarget"].removeprefix("gskn.").partition(".")
    home = homes().get(first)
    if home is None:
        return None
    target = home + dot + rest
    return env.domains.python_domain.resolve_xref(
        env, node["refdoc"], app.builder, "obj", target, node, contnode
    )


class Shortcuts(SphinxDirective):
    """List what ``gskn`` itself offers, with links to where it is described."""

    def run(self) -> list[nodes.Node]:
        """Return a list with one item per name."""
        where = homes()
        objects = [name for name in gskn.__all__ if where.get(name, "").count(".") > 1]
        lines = [f"- :py:obj:`{where[name]}`" for name in objects]
        return _parsed(self, lines)


class Constants(SphinxDirective):
    """List the constants of a module with their values; of a mapping, its keys."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a description of every constant, or nothing."""
        module = import_module(self.arguments[0])
        found = {name: getattr(module, name) for name in public(module) if name.isupper()}
        values = {name: value for name, value in found.items() if not callable(value)}
        lines = [".. rubric:: Constants", ""] if values else []
        for name, value in values.items():
            listed = [value] if isinstance(value, int) else value
            text = ", ".join(f"``{item!r}``" for item in listed)
            lines += [f".. py:data:: {module.__name__}.{name}", "", f"   {text}", ""]
        return _parsed(self, lines)


def _parsed(directive: SphinxDirective, lines: list[str]) -> list[nodes.Node]:
    container = nodes.container()
    directive.state.nested_parse(StringList(lines), directive.content_offset, container)
    return container.children


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("missing-reference", resolve)
    app.add_directive("shortcuts", Shortcuts)
    app.add_directive("constants", Constants)
    return {"parallel_read_safe": True}
