"""Benchmark `skeleton`: evaluation of a tree of bodies of increasing size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.measure.timing import medians_in_turn
from fibermsk.bench.measure.worker import Worker
from fibermsk.laws import KelvinVoigt
from fibermsk.model import (
    Axis,
    Body,
    Coordinate,
    Fiber,
    FunctionalJoint,
    Linear,
    Model,
    NaturalSpline,
    SimmSpline,
    Tissue,
)

_SIZES = (10, 40)
"""Numbers of bodies, with two or three coordinates each."""

_REPEATS, _QUICK_REPEATS = 101, 3


def run(options: Options) -> Findings:
    """Mass matrix, bias, attachments and their derivatives."""
    findings = Findings(ratios={})
    repeats = _QUICK_REPEATS if options.quick else _REPEATS
    for n in _SIZES:
        options.say(f"{n} bodies")
        with Worker(1) as worker:
            found = worker.call("fibermsk.bench.skeleton:time_skeleton", n=n, repeats=repeats)
        for part, seconds in found["parts"].items():
            findings.add(part, "fibermsk", n, seconds, **found["sizes"])
    findings.notes.append(
        "a branched tree of functional joints: two or three rotations and a translation that are "
        "coordinates, natural and Simm splines of coordinates; one attached point a body; medians. "
        "all: M, bias, C and the rank-3 dC/dq one after the other, each from the coordinates on"
    )
    return findings


def time_skeleton(n: int, repeats: int) -> dict[str, Any]:
    """Median times of the parts [s]."""
    from fibermsk.system import build

    system = build(tree(n))
    skeleton, attached = system.skeleton, system.attached
    q, p = np.random.default_rng(2).normal(size=(2, skeleton.n)) * 0.3

    def jacobian() -> Any:
        motion = skeleton.at(q)
        return attached.jacobian(motion, attached.place(motion))

    parts: dict[str, Callable[[], Any]] = {
        "mass matrix M": lambda: skeleton.mass_matrix(q),
        "bias": lambda: skeleton.bias(q, p),
        "attachments c and C": jacobian,
        "rank-3 derivative dC/dq": lambda: attached.hessian(q),
    }
    everything = tuple(parts.values())
    parts["all"] = lambda: [part() for part in everything]
    return {
        "sizes": {"coordinates": skeleton.n, "axes": skeleton.tree.n, "points": n},
        "parts": medians_in_turn(parts, repeats),
    }


def tree(n: int) -> Model:
    """Branched tree of n bodies with a fiber to each."""
    rng = np.random.default_rng(1)
    model, tissue = Model("tree"), Tissue(900.0, KelvinVoigt(1e4, 10.0))
    x = [-2.0, -1.0, 0.0, 1.0, 2.0]
    for b in range(n):
        body = model.add(Body(f"b{b}", 1.0, 0.1 * rng.normal(size=3), (0.02, 0.03, 0.04)))
        parent = model.bodies[max(0, b - int(rng.integers(0, 3)))]
        own = [f"q{b}_{i}" for i in range(2 + b % 2)]
        axes = [Axis("rotation", rng.normal(size=3), ((name, Linear()),)) for name in own[1:]]
        turn, slide = (
            kind(x, size * rng.normal(size=5))
            for kind, size in ((NaturalSpline, 0.5), (SimmSpline, 0.1))
        )
        axes.append(Axis("rotation", rng.normal(size=3), ((own[0], turn),)))
        axes.append(Axis("translation", rng.normal(size=3), ((own[0], slide),)))
        joint = FunctionalJoint(
            f"j{b}", parent, body, [Coordinate(name) for name in own], axes,
            at=0.1 * rng.normal(size=3),
        )  # fmt: skip
        model.add(joint)
        ends = model.ground.at(10.0, float(b), 0.0), body.at(0.1, 0.0, 0.05)
        model.add(Fiber(f"f{b}", attach=ends, radius=1e-3, n_elements=1, tissue=tissue))
    return model
