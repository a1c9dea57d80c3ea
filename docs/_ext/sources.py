"""Source pages: names such as ``kernels.fibers.cable.cable_mass`` lead to their code, and back."""

from __future__ import annotations

import html
import importlib
import inspect
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.util.osutil import relative_uri

PACKAGES = "anatomy|elements|kernels|laws|model|read|solvers|system"
"""Packages of fibermsk whose functions pages name without the package."""

_NAME = re.compile(rf"(?:{PACKAGES})(?:\.\w+)+")


class Place(NamedTuple):
    """Where a page names a function or a module."""

    document: str
    anchor: str
    title: str


def split(name: str) -> tuple[str, str] | None:
    """Module and function, which is empty for a module; None if there is neither."""
    module, _, function = name.rpartition(".")
    try:
        if find_spec(f"fibermsk.{name}") is not None:
            return name, ""
    except ModuleNotFoundError:
        pass
    if find_spec(f"fibermsk.{module}") is None:
        return None
    known = hasattr(importlib.import_module(f"fibermsk.{module}"), function)
    return (module, function) if known else None


def _file(module: str) -> Path:
    spec = find_spec(f"fibermsk.{module}")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin)


def line(module: str, function: str) -> int:
    """First line of a function or class, 1 for the module."""
    if not function:
        return 1
    item = getattr(importlib.import_module(f"fibermsk.{module}"), function)
    return inspect.getsourcelines(inspect.unwrap(getattr(item, "py_func", item)))[1]


def _place(code: nodes.Node, document: str) -> Place:
    """Last equation before the name in its section, or the section."""
    section = code.parent
    while not isinstance(section, nodes.section):
        section = section.parent
    found = Place(document, section["ids"][0], section[0].astext())
    for node in section.findall():
        if node is code:
            break
        if isinstance(node, nodes.math_block) and node.get("label"):
            label = node["label"].removeprefix("eq-").replace("-", " ")
            anchor, title = f"equation-{node['label']}", f"{section[0].astext()}: {label}"
            found = Place(document, anchor, title)
    return found


def collect(app: Any, tree: nodes.document) -> None:
    """Note which functions a page names, and make each name a link."""
    document = app.env.docname
    for code in list(tree.findall(nodes.literal)):
        found = split(code.astext()) if _NAME.fullmatch(code.astext()) else None
        if found is None or isinstance(code.parent, nodes.reference):
            continue
        module, function = found
        place = _place(code, document)
        app.env.named_sources.setdefault(module, []).append((function, place))
        page = relative_uri(app.builder.get_target_uri(document), f"sources/{module}.html")
        link = nodes.reference(
            "", "", internal=True, refuri=f"{page}#line-{line(module, function)}"
        )
        code.replace_self(link)
        link += code


def prepare(app: Any, env: Any, documents: list[str]) -> None:
    """Read all pages again: the source pages list what every page names."""
    env.named_sources = {}
    documents[:] = sorted(env.found_docs)


def merge(app: Any, env: Any, documents: set[str], other: Any) -> None:
    """Add what pages name that another process has read."""
    for module, named in other.named_sources.items():
        env.named_sources.setdefault(module, []).extend(named)


def pages(app: Any) -> Iterator[tuple[str, dict[str, str], str]]:
    """Source page of every module that a page names."""
    for module, named in sorted(app.env.named_sources.items()):
        name = f"sources/{module}"
        # in the order of the pages, whichever process has read them
        uses = sorted(dict.fromkeys(named), key=lambda use: use[1].document)
        rows = [
            f"<li><code>{html.escape(function or module)}</code>: "
            f'<a href="{_uri(app, name, place)}">{html.escape(place.title)}</a></li>'
            for function, place in uses
        ]
        style = HtmlFormatter(
            linenos="inline", lineanchors="line", anchorlinenos=True, wrapcode=True
        )
        code = highlight(_file(module).read_text(encoding="utf-8"), PythonLexer(), style)
        title = f"fibermsk.{module}"
        body = f"<h1><code>{title}</code></h1><p>Equations:</p><ul>{''.join(rows)}</ul>{code}"
        yield name, {"title": title, "body": body}, "page.html"


def _uri(app: Any, page: str, place: Place) -> str:
    return f"{app.builder.get_relative_uri(page, place.document)}#{place.anchor}"


def setup(app: Any) -> dict[str, bool]:
    """Connect with Sphinx."""
    app.connect("env-before-read-docs", prepare)
    app.connect("doctree-read", collect)
    app.connect("env-merge-info", merge)
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
