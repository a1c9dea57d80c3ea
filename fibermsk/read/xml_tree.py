"""XML files as a tree of elements with line numbers; malicious files are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from fibermsk.errors import ModelError

MAX_BYTES = 64 * 2**20
MAX_ELEMENTS = 500_000
MAX_DEPTH = 100
"""Limits; the largest known model has 1.2 MB, 4e4 elements and depth 14."""


@dataclass(slots=True, eq=False, repr=False)
class Element:
    """One element of an XML file."""

    tag: str
    attributes: dict[str, str]
    line: int  # of the file, at which it starts
    parent: Element | None  # enclosing element; None for the root
    children: list[Element] = field(default_factory=list)  # in the order of the file
    text: str = ""  # characters outside of child elements, without blanks at the ends
    seen: bool = False  # whether a reader has used it

    def __repr__(self) -> str:
        return f"<{self.label}, line {self.line}>"

    @property
    def name(self) -> str:
        """The stripped attribute `name`; empty if missing."""
        return self.attributes.get("name", "").strip()

    @property
    def label(self) -> str:
        """Tag and name, such as "Body 'ulna'"; truncated if long."""
        return f"{_cut(self.tag)} {_cut(self.name)!r}" if self.name else _cut(self.tag)

    @property
    def path(self) -> str:
        """Labels from below the root down to this element, separated by slashes."""
        labels, element = [], self
        while element.parent is not None:
            labels.append(_cut(element.name or element.tag))
            element = element.parent
        return "/".join(reversed(labels)) or self.tag

    def walk(self) -> Iterator[Element]:
        """The element and all its descendants, in the order of the file."""
        waiting: list[Element] = [self]
        while waiting:
            element = waiting.pop()
            yield element
            if element.children:
                waiting.extend(reversed(element.children))

    def find(self, tag: str) -> list[Element]:
        """Children with a tag."""
        return [child for child in self.children if child.tag == tag]

    def leave(self) -> None:
        """Mark the element and its descendants as seen: the report has its own entry for them."""
        for part in self.walk():
            part.seen = True


def _cut(text: str) -> str:
    """Truncated text."""
    return text if len(text) <= 80 else f"{text[:77]}..."


def read_xml(path: Path, *, what: str = "model", max_bytes: int = MAX_BYTES) -> Element:
    """Read an XML file of what it is to have, and return its root element.

    Files that are too large, not well-formed, or declare a document type or entities are refused.
    """
    return _Builder(path).build(_contents(path, what, max_bytes))


def _contents(path: Path, what: str, max_bytes: int) -> bytes:
    """Bytes of a regular file that is not too large."""
    try:
        if not path.exists():
            raise ModelError(f"{path}: no such file; must name a {what} file; check the path")
        if not path.is_file():
            raise ModelError(f"{path}: not a file; must name a {what} file")
        size = path.stat().st_size
        if size > max_bytes:
            raise ModelError(
                f"{path}: {size / 2**20:.0f} MB large; must be {max_bytes / 2**20:.0f} MB or less; "
                "meshes and results belong in separate files"
            )
        return path.read_bytes()
    except ModelError:  # a ValueError too
        raise
    except (OSError, ValueError) as error:
        text = f"{path}: cannot be read: {error}; check the path and permissions"
        raise ModelError(text) from error


class _Builder:
    """Handlers of the parser, which build the tree."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.n_elements = 0
        self.open: list[Element] = []
        self.texts: list[str] = []
        self.root: Element | None = None
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.StartDoctypeDeclHandler = self.doctype
        parser.EntityDeclHandler = self.doctype

    def build(self, data: bytes) -> Element:
        """Parse a file and return the root of the tree."""
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise ModelError(
                f"{self.path}, line {error.lineno}, column {error.offset + 1}: not well-formed "
                f"XML: {reason}; must be a model that OpenSim wrote; open and save it there"
            ) from error
        except ModelError:  # a ValueError too
            raise
        except (LookupError, ValueError) as error:  # an encoding unknown to Python
            raise ModelError(
                f"{self.path}, line {self.parser.CurrentLineNumber}: cannot be decoded: {error}; "
                "must be XML in UTF-8"
            ) from error
        if self.root is None:  # expat refuses files without an element
            self.refuse("has no element")
        return self.root

    def refuse(self, problem: str) -> NoReturn:
        """Raise an error that names the current line."""
        raise ModelError(
            f"{self.path}, line {self.parser.CurrentLineNumber}: {problem}; "
            "must be a model that OpenSim wrote"
        )

    def doctype(self, name: str, *rest: object) -> None:
        """Refuse a document type, and with it all custom entities."""
        self.refuse(
            f"declares the document type or entity {name!r}, which no model needs and which could "
            "exhaust the memory"
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Start an element."""
        self.n_elements += 1
        if self.n_elements > MAX_ELEMENTS:
            self.refuse(f"more than {MAX_ELEMENTS} elements")
        if len(self.open) >= MAX_DEPTH:
            self.refuse(f"elements nested more than {MAX_DEPTH} deep")
        parent = self.open[-1] if self.open else None
        element = Element(tag, attributes, self.parser.CurrentLineNumber, parent)
        if parent is None:
            self.root = element
        else:
            parent.children.append(element)
        self.open.append(element)
        self.texts.append("")

    def end(self, tag: str) -> None:
        """End an element."""
        self.open.pop().text = self.texts.pop().strip()

    def characters(self, text: str) -> None:
        """Store text; blanks between child elements are dropped."""
        if self.open and not (text.isspace() and self.open[-1].children):
            self.texts[-1] += text
