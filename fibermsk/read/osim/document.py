"""A model file as a document: typed values of its elements, and errors with line numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import numpy as np

from fibermsk.errors import ModelError
from fibermsk.read.osim.report import ImportReport
from fibermsk.read.xml_tree import Element, read_xml

LARGEST = 1e12
"""Largest accepted number, far above lengths, angles, masses and forces of skeletons."""
TRUE, FALSE = ("true", "1"), ("false", "0")


class Document:
    """Model element, version and report of one file.

    Every access marks an element as seen; the report lists all that are never seen. `offset_frames`
    are all elements PhysicalOffsetFrame.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        root = read_xml(path)
        self.version, self.model = self._open(root)
        self.report = ImportReport(str(path), self.version)
        self.defaults: dict[str, Element] = {}
        self._unpack_engine()
        self.offset_frames: list[Element] = []
        for element in root.walk():
            if element.attributes.get("file", "").strip():
                self.fail(
                    element,
                    f"is kept in another file, {element.attributes['file']!r}",
                    "must be in this file",
                    "open and save the model in OpenSim",
                )
            if element.tag == "PhysicalOffsetFrame":
                self.offset_frames.append(element)
        defaults = self.child(self.model, "defaults")
        if defaults is not None:
            for element in defaults.children:
                self.defaults.setdefault(element.tag, element)

    def _open(self, root: Element) -> tuple[int, Element]:
        """Version and model of a document, checked."""
        root.seen = True
        if root.tag != "OpenSimDocument":
            self.fail(root, "is not an OpenSim document", "must start with <OpenSimDocument>")
        text = root.attributes.get("Version", "").strip()
        if not (text.isascii() and text.isdigit() and len(text) <= 6):
            self.fail(root, f"Version = {text!r}", "must be a number such as 40000")
        if int(text) < 20000:
            self.fail(
                root,
                f"Version = {text}",
                "must be 20000 or more (OpenSim 2 to 4)",
                "open and save the model in OpenSim 3.3",
            )
        models = root.find("Model")
        if len(models) != 1:
            found = ", ".join(dict.fromkeys(child.tag for child in root.children)) or "nothing"
            self.fail(root, f"holds {found}", "must contain one <Model>", "is this a setup file?")
        models[0].seen = True
        return int(text), models[0]

    def _unpack_engine(self) -> None:
        """Move <DynamicsEngine><SimbodyEngine> of the earliest files to the model."""
        engine = self.child(self.child(self.model, "DynamicsEngine"), "SimbodyEngine")
        if engine is not None:
            for child in engine.children:
                child.parent = self.model
            self.model.children += engine.children
            engine.children = []

    # report and errors --------------------------------------------------------------------

    def note(self, element: Element, text: str) -> None:
        """Report information about an element."""
        self.report.add("note", element, text)

    def changed(self, element: Element, text: str) -> None:
        """Report that an element is imported in another form."""
        self.report.add("changed", element, text)

    def not_understood(self, element: Element, text: str) -> None:
        """Report that an element is not understood."""
        self.report.add("not understood", element, text)

    def where(self, element: Element) -> str:
        """File, line and element, for messages."""
        owner = element.parent
        of = f" of {owner.label}" if not element.name and owner is not None and owner.name else ""
        return f"{self.path}, line {element.line}: {element.label}{of}"

    def fail(self, element: Element, problem: str, must: str, remedy: str = "") -> NoReturn:
        """Raise the error of one element."""
        remedy = f"; {remedy}" if remedy else ""
        raise ModelError(f"{self.where(element)}: {_cut(problem)}; {must}{remedy}")

    def fail_twice(self, element: Element, what: str, other: Element) -> NoReturn:
        """Raise the error of an element that repeats another one."""
        must, remedy = "must have a unique name", "rename one of them"
        self.fail(element, f"{what} on line {other.line}", must, remedy)

    @contextmanager
    def naming(self, element: Element) -> Iterator[None]:
        """Context that prepends file, line and element to a `ModelError`."""
        try:
            yield
        except ModelError as error:
            if str(error).startswith(str(self.path)):
                raise
            raise ModelError(f"{self.where(element)}: {_cut(str(error))}") from error

    # elements -----------------------------------------------------------------------------

    def child(self, element: Element | None, *tags: str) -> Element | None:
        """Child with one of several tags, from the file's defaults if the element has none."""
        if element is None:
            return None
        found = [child for child in element.children if child.tag in tags]
        for child in found:
            child.seen = True
        if len(found) > 1:
            self.fail(
                found[1],
                f"is given in addition to {found[0].label} on line {found[0].line}",
                "must be given once",
            )
        if found:
            return found[0]
        default = self.defaults.get(element.tag)
        if default is None or default is element:
            return None
        return next((child for child in default.children if child.tag in tags), None)

    def inside(self, element: Element | None, tag: str) -> list[Element]:
        """Elements in a child; empty if it is missing."""
        found = self.child(element, tag)
        return [] if found is None else list(found.children)

    def objects(self, element: Element | None, tag: str) -> list[Element]:
        """Elements of a set, in <tag><objects>."""
        return self.inside(self.child(element, tag), "objects")

    def parts(self, element: Element, *tags: str) -> list[Element]:
        """Elements with some tags in <components>, marked as seen."""
        found = [part for part in self.inside(element, "components") if part.tag in tags]
        for part in found:
            part.seen = True
        return found

    # values -------------------------------------------------------------------------------

    def text(self, element: Element, *tags: str, default: str = "") -> str:
        """Text of a child."""
        found = self.child(element, *tags)
        return default if found is None else found.text

    def words(self, element: Element, *tags: str) -> list[str]:
        """Words of a child."""
        return self.text(element, *tags).split()

    def flag(self, element: Element, *tags: str, default: bool) -> bool:
        """True or False of a child."""
        found = self.child(element, *tags)
        if found is None or not found.text:
            return default
        value = found.text.lower()
        if value not in TRUE + FALSE:
            self.fail(found, f"is {found.text[:40]!r}", "must be true or false")
        return value in TRUE

    def numbers(self, found: Element) -> np.ndarray:
        """Finite numbers of an element."""
        return np.array(self._numbers(found), dtype=np.float64)

    def _numbers(self, found: Element) -> list[float]:
        words = found.text.replace(",", " ").split()
        try:
            values = list(map(float, words))
        except ValueError:
            values = [math.nan]
        # float() accepts more than OpenSim writes
        usual = found.text.isascii() and "_" not in found.text
        if not (usual and all(-LARGEST <= value <= LARGEST for value in values)):
            odd = next((word for word in words if not _is_plain(word)), None)
            if odd is not None:
                self.fail(found, f"has {odd[:40]!r}", "must be finite numbers below 1e12")
        return values

    def vector(
        self, element: Element, size: int, *tags: str, default: tuple[float, ...] | None = None
    ) -> np.ndarray:
        """Numbers of a child, of a fixed count."""
        return np.array(self._values(element, size, tags, default), dtype=np.float64)

    def number(self, element: Element, *tags: str, default: float | None = None) -> float:
        """One number of a child."""
        given = None if default is None else (default,)
        return self._values(element, 1, tags, given)[0]

    def _values(
        self,
        element: Element,
        size: int,
        tags: tuple[str, ...],
        default: tuple[float, ...] | None,
    ) -> Sequence[float]:
        """Numbers of a child, of a given count."""
        found = self.child(element, *tags)
        if found is None:
            if default is None:
                self.fail(element, f"has no <{tags[0]}>", f"must give {size} numbers there")
            return default
        values = self._numbers(found)
        if len(values) != size:
            self.fail(found, f"has {len(values)} numbers", f"must have {size}")
        return values


def _is_plain(word: str) -> bool:
    """Whether a word is a finite decimal number."""
    try:
        return word.isascii() and "_" not in word and abs(float(word)) <= LARGEST
    except ValueError:
        return False


def _cut(text: str) -> str:
    """Text, truncated in the middle if very long."""
    return text if len(text) <= 600 else f"{text[:300]} ... {text[-300:]}"
