"""Source pages: names such as ``kernels.fibers.cable.cable_mass`` lead to their code, and back.

Pages of equations and those of the reference lead to them; they list both.
"""

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
from sphinx.util.docutils import SphinxRole
from sphinx.util.osutil import relative_uri

PACKAGES = "anatomy|elements|forces|gradients|kernels|laws|linalg|model|read|solvers|system"
"""Packages of fibermsk whose functions pages name without the package."""

_NAME = re.compile(rf"(?:{PACKAGES})(?:\.\w+)+")


_TOKEN = re.compile(rf"\$\$ \((?P<label>[\w-]+)\)|`(?P<name>(?:{PACKAGES})(?:\.\w+)+)`")
REFERENCE = "generated/api/"


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


def equations(text: str) -> dict[str, set[str]]:
    """Names that evaluate each equation of a page, by label.

    These are the names between it and the next equation of its section; equations without words
    between them have their names in common.
    """
    found: dict[str, set[str]] = {}
    for section in re.split(r"\n(?=##+ )", text):
        group: list[str] = []
        end = 0
        for token in _TOKEN.finditer(section):
            if token["name"]:
                for label in group:
                    found[label].add(token["name"])
                continue
            start = section.rfind("\n$$\n", 0, token.start())
            group = [*(group if not section[end:start].strip() else []), token["label"]]
            found.setdefault(token["label"], set())
            end = token.end()
    return found


def _places(code: nodes.Node, document: str) -> list[Place]:
    """Last equations before the name in its section, or the section."""
    section = code.parent
    while not isinstance(section, nodes.section):
        section = section.parent
    heading, before = section[0].astext(), None
    found = [Place(document, section["ids"][0], heading)]
    for node in section.findall():
        if node is code:
            break
        if isinstance(node, nodes.math_block) and node.get("label"):
            label = node["label"].removeprefix("eq-").replace("-", " ")
            place = Place(document, f"equation-{node['label']}", f"{heading}: {label}")
            found = [*found, place] if before is not None and _follows(node, before) else [place]
            before = node
    return found


def _follows(node: nodes.Node, before: nodes.Node) -> bool:
    """Whether two equations have nothing between them."""
    if node.parent is not before.parent:
        return False
    between = node.parent[node.parent.index(before) + 1 : node.parent.index(node)]
    return all(isinstance(one, nodes.Invisible | nodes.target) for one in between)


def collect(app: Any, tree: nodes.document) -> None:
    """Note which functions a page names, and make each name a link."""
    document = app.env.docname
    for code in list(tree.findall(nodes.literal)):
        found = split(code.astext()) if _NAME.fullmatch(code.astext()) else None
        if found is None or isinstance(code.parent, nodes.reference):
            continue
        module, function = found
        for place in _places(code, document):
            app.env.named_sources.setdefault(module, []).append((function, place))
        link = _link(app, document, module, function)
        code.replace_self(link)
        link += code


def _link(app: Any, document: str, module: str, function: str) -> nodes.reference:
    """Link from a page to a line of a source page, without text."""
    page = relative_uri(app.builder.get_target_uri(document), f"sources/{module}.html")
    target = f"{page}#line-{line(module, function)}"
    return nodes.reference("", "", internal=True, refuri=target)


class SourceOf(SphinxRole):
    """Link to the source of a public name: ``:source_of:`laws.penalty PenaltyContact```."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the link, and note that the page describes what the source has."""
        module, function = self.text.split()
        document = self.env.docname
        title = "fm." + document.removeprefix(REFERENCE).partition("-")[2]
        place = Place(document, "", title)
        self.env.named_sources.setdefault(module, []).append((function, place))
        link = _link(self.env.app, document, module, function)
        file = f"fibermsk/{_file(module).relative_to(_file('_version').parent).as_posix()}"
        link += nodes.literal("", file)
        return [link], []


class Theory(SphinxRole):
    """Link to a section of the page of equations: ``:theory:`Hill muscles```."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the link."""
        builder = self.env.app.builder
        page = builder.get_relative_uri(self.env.docname, "theory")
        target = f"{page}#{nodes.make_id(self.text)}"
        return [nodes.reference("", self.text, internal=True, refuri=target)], []


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
        style = HtmlFormatter(
            linenos="inline", lineanchors="line", anchorlinenos=True, wrapcode=True
        )
        code = highlight(_file(module).read_text(encoding="utf-8"), PythonLexer(), style)
        title = f"fibermsk.{module}"
        described = [use for use in uses if use[1].document.startswith(REFERENCE)]
        theory = [use for use in uses if use not in described]
        body = f"<h1><code>{title}</code></h1>"
        for words, chosen in (("Equations:", theory), ("Reference:", described)):
            if chosen:
                rows = "".join(_row(app, name, module, *use) for use in chosen)
                body += f"<p>{words}</p><ul>{rows}</ul>"
        body += code
        yield name, {"title": title, "body": body}, "page.html"


def _row(app: Any, page: str, module: str, function: str, place: Place) -> str:
    name, title = html.escape(function or module), html.escape(place.title)
    target = app.builder.get_relative_uri(page, place.document)
    target += f"#{place.anchor}" if place.anchor else ""
    return f'<li><code>{name}</code>: <a href="{target}">{title}</a></li>'


def setup(app: Any) -> dict[str, bool]:
    """Connect with Sphinx."""
    app.add_role("source_of", SourceOf())
    app.add_role("theory", Theory())
    app.connect("env-before-read-docs", prepare)
    app.connect("doctree-read", collect)
    app.connect("env-merge-info", merge)
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
