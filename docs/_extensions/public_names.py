"""Resolve short public names: `as_batch` links to gskn.graphs.as_batch."""

from importlib import import_module
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

import gskn


def full_names() -> dict[str, str]:
    """Map the short name of every public object to its full name."""
    names = {}
    for stage in gskn.__all__:
        name = f"gskn.{stage}"
        if getattr(getattr(gskn, stage), "__name__", "") != name:
            continue  # an object, not a module
        names[stage] = name
        for member in public_names(import_module(name)):
            names.setdefault(member, f"{name}.{member}")
    return names


def public_names(module: Any) -> list[str]:
    """Return the public names of a module."""
    names = getattr(module, "__all__", vars(module))
    return [name for name in names if not name.startswith("_")]


def resolve(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Resolve a short name or ``Class.method`` to the page of the public object."""
    if node.get("refdomain") != "py":
        return None
    first, dot, rest = node["reftarget"].removeprefix("gskn.").partition(".")
    full_name = full_names().get(first)
    if full_name is None:
        return None
    target = full_name + dot + rest
    return env.domains.python_domain.resolve_xref(
        env, node["refdoc"], app.builder, "obj", target, node, contnode
    )


class Shortcuts(SphinxDirective):
    """List the names that can be imported from ``gskn``, with links."""

    def run(self) -> list[nodes.Node]:
        """Return a list with one item per name."""
        names = full_names()
        objects = [name for name in gskn.__all__ if names.get(name, "").count(".") > 1]
        lines = [f"- :py:obj:`{names[name]}`" for name in objects]
        return _parse(self, lines)


class Constants(SphinxDirective):
    """List the constants of a module with their values, or with the keys of a mapping."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a description of every constant."""
        module = import_module(self.arguments[0])
        names = [name for name in public_names(module) if name.isupper()]
        objects = {name: getattr(module, name) for name in names}
        values = {name: value for name, value in objects.items() if not callable(value)}
        lines = [".. rubric:: Constants", ""] if values else []
        for name, value in values.items():
            items = [value] if isinstance(value, int) else value
            text = ", ".join(f"``{item!r}``" for item in items)
            lines += [f".. py:data:: {module.__name__}.{name}", "", f"   {text}", ""]
        return _parse(self, lines)


def _parse(directive: SphinxDirective, lines: list[str]) -> list[nodes.Node]:
    container = nodes.container()
    directive.state.nested_parse(StringList(lines), directive.content_offset, container)
    return container.children


def setup(app: Any) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("missing-reference", resolve)
    app.add_directive("shortcuts", Shortcuts)
    app.add_directive("constants", Constants)
    return {"parallel_read_safe": True}
