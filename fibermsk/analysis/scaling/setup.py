"""Setups of OpenSim's ScaleTool: what scales a model, read and written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, NoReturn
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from fibermsk._arrays import Array
from fibermsk._warn import warn
from fibermsk.analysis.scaling.measurement import Measurement
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.read.xml_tree import Element, read_xml
from fibermsk.rescue import write_whole

_NONE = ("", "Unassigned")
_ORDERS = ("measurements", "manualScale")


class ScaleSetup(NamedTuple):
    """Content of a setup."""

    factors: dict[str, Array]
    measurements: tuple[Measurement, ...]
    static: Path | None
    mass: float | None
    keep: bool
    begin: float | None
    end: float | None


def read_setup(file: Path) -> ScaleSetup:
    """Measurements, factors and masses of a setup; errors as of `scale`."""
    return _Reader(file).setup()


class _Reader:
    """Parts of one file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._root = read_xml(file, what="scaling")

    def setup(self) -> ScaleSetup:
        scalers = [one for one in self._root.walk() if one.tag == "ModelScaler"]
        if len(scalers) != 1:
            must = "must have one, as a setup of OpenSim's ScaleTool"
            self._fail(self._root, f"holds {len(scalers)} ModelScaler", must)
        scaler = scalers[0]
        if not self._flag(scaler, "apply", True):
            self._fail(scaler, "does not apply", "must apply: set <apply> to true")
        placers = [one for one in self._root.walk() if one.tag == "MarkerPlacer"]
        if any(self._flag(one, "apply", True) for one in placers):
            text = "markers are not moved to the static trial: <MarkerPlacer> is not used"
            warn(f"{self._file}: {text}", ModelWarning)
        order = self._text(scaler, "scaling_order").split()
        for word in order:
            if word not in _ORDERS:
                must = f"must be some of {', '.join(_ORDERS)}"
                self._fail(scaler, f"scaling_order = {word[:40]!r}", must)
        measured = manual = ()
        if "measurements" in order:
            measured = tuple(
                self._measurement(one)
                for one in self._objects(scaler, "MeasurementSet", "Measurement")
                if self._flag(one, "apply", True)
            )
        factors = dict[str, Array]()
        if "manualScale" in order:
            manual = self._objects(scaler, "ScaleSet", "Scale")
            for one in manual:
                if self._flag(one, "apply", True):
                    name = self._text(one, "segment").rpartition("/")[2] or one.name
                    factors[name] = np.array(self._numbers(one, "scales", 3))
        if order == ["manualScale", "measurements"] and measured and factors:
            text = "measurements act before given factors here, whatever the scaling_order"
            warn(f"{self._file}: {text}", ModelWarning)
        static = self._text(scaler, "marker_file")
        times = self._numbers(scaler, "time_range", 2) if scaler.find("time_range") else (-1.0,) * 2
        whole = times[0] < 0.0 and times[1] < 0.0
        mass = self._number_above(scaler)
        return ScaleSetup(
            factors=factors,
            measurements=measured,
            static=None if static in _NONE else self._file.parent / static,
            mass=mass,
            keep=self._flag(scaler, "preserve_mass_distribution", False),
            begin=None if whole else times[0],
            end=None if whole else times[1],
        )

    def _number_above(self, scaler: Element) -> float | None:
        """Mass of the person, beside the scaler; None if the setup does not say it."""
        above = scaler.parent
        if above is None or not above.find("mass"):
            return None
        (mass,) = self._numbers(above, "mass", 1)
        return mass if mass > 0.0 else None

    def _measurement(self, one: Element) -> Measurement:
        """Pairs of markers, and axes of bodies."""
        pairs = list[tuple[str, str]]()
        for pair in self._objects(one, "MarkerPairSet", "MarkerPair"):
            names = self._text(pair, "markers").split()
            if len(names) != 2:
                self._fail(pair, f"names {len(names)} markers", "must name two")
            pairs.append((names[0], names[1]))
        axes = dict[str, str]()
        for body in self._objects(one, "BodyScaleSet", "BodyScale"):
            axes[body.name.rpartition("/")[2]] = "".join(
                word.lower() for word in self._text(body, "axes").split()
            )
        try:
            return Measurement(one.name or f"line {one.line}", tuple(pairs), axes)
        except ModelError as error:
            self._fail(one, str(error), "correct it, or set <apply> to false")

    def _objects(self, above: Element, tag: str, kind: str) -> list[Element]:
        """Objects of a set, of one kind."""
        found = [one for s in above.find(tag) for o in s.find("objects") for one in o.children]
        for one in found:
            if one.tag != kind:
                self._fail(one, "is another kind of object", f"must be a <{kind}>")
        return found

    def _numbers(self, one: Element, tag: str, n: int) -> tuple[float, ...]:
        words = self._text(one, tag).split()
        try:
            found = tuple(map(float, words))
        except ValueError:
            found = (math.nan,)
        if len(found) != n or not all(map(math.isfinite, found)):
            self._fail(one, f"{tag} = {' '.join(words)[:40]!r}", f"must be {n} finite numbers")
        return found

    def _flag(self, one: Element, tag: str, default: bool) -> bool:
        text = self._text(one, tag).lower()
        if text not in ("", "true", "false"):
            self._fail(one, f"{tag} = {text[:40]!r}", "must be true or false")
        return text == "true" if text else default

    def _text(self, one: Element, tag: str) -> str:
        found = one.find(tag)
        return found[0].text.strip() if found else ""

    def _fail(self, one: Element, problem: str, must: str) -> NoReturn:
        raise ModelError(f"{self._file}, line {one.line}: {one.label}: {problem}; {must}")


def write_setup(
    file: Path, name: str, factors: Mapping[str, Array], mass: float, keep: bool
) -> None:
    """Write factors and mass as a setup of OpenSim's ScaleTool, whole or not at all."""
    scales = [
        f"          <Scale name={quoteattr(body)}>\n"
        f"            <scales>{' '.join(repr(float(one)) for one in own)}</scales>\n"
        f"            <segment>{escape(body)}</segment>\n"
        "            <apply>true</apply>\n          </Scale>"
        for body, own in factors.items()
    ]
    lines = [
        '<?xml version="1.0" encoding="UTF-8" ?>',
        '<OpenSimDocument Version="40000">',
        f"  <ScaleTool name={quoteattr(name)}>",
        f"    <mass>{mass!r}</mass>",
        "    <ModelScaler>",
        "      <apply>true</apply>",
        "      <scaling_order> manualScale</scaling_order>",
        "      <ScaleSet>\n        <objects>",
        *scales,
        "        </objects>\n      </ScaleSet>",
        f"      <preserve_mass_distribution>{str(keep).lower()}</preserve_mass_distribution>",
        "    </ModelScaler>",
        "  </ScaleTool>\n</OpenSimDocument>",
    ]
    text = "\n".join(lines) + "\n"
    write_whole(file, lambda beside: beside.write_text(text, encoding="utf-8"))
