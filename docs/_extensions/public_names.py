"""Find public names: docstrings say `as_batch`, the page is that of gskn.graphs.as_batch."""

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
        module = import_module(name)
        for member in getattr(module, "__all__", vars(module)):
            if not member.startswith("_"):
                found.setdefault(member, f"{name}.{member}")
    return found


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
        container = nodes.container()
        self.state.nested_parse(StringList(lines), self.content_offset, container)
        return container.children


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("missing-reference", resolve)
    app.add_directive("shortcuts", Shortcuts)
    return {"parallel_read_safe": True}
