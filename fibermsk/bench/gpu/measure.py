"""The GPU backend: time of implicit steps, where it goes, and agreement with the CPU."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from fibermsk.bench.bundles.ours import NEWTON, squeezed_model
from fibermsk.bench.measure.timing import timed
from fibermsk.errors import ModelWarning
from fibermsk.gpu import Device, DeviceSystem
from fibermsk.protocol import System
from fibermsk.solvers import BackwardEuler
from fibermsk.solvers.newton.stage import State, Step
from fibermsk.system import build

_METHOD = BackwardEuler()


def measure(
    fibers: int, steps: int, dt: float, device: Device, *, compare: bool = False
) -> dict[str, Any]:
    """Time implicit steps of length `dt` [s] of a squeezed bundle, 20 elements per fiber.

    Wall times of building and of each step after the first [s]; iterations; time of each task body
    in one more step [s]. With `compare`, times of the same steps on the CPU, and the largest
    difference of positions over the largest motion.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        host, building = timed(lambda: build(squeezed_model(fibers)))
        watch = _Watch(device)
        system, copying = timed(DeviceSystem, host, replace(device, launch=watch.launch))
        figures: dict[str, Any] = {
            "backend": device.name,
            "fibers": fibers,
            "elements": int(host.cables.h.size),
            "dt": dt,
            "building": building + copying,
        }
        memory, figures["first_step"] = start(system, dt)
        memory, figures["steps"] = advance(system, memory, dt, steps)
        if compare:
            other, _ = start(host, dt)
            other, figures["cpu_steps"] = advance(host, other, dt, steps)
            before, _ = host.initial_state()
            y = system.to_host(memory.state.y)
            apart, moved = np.abs(y - other.state.y).max(), np.abs(y - before).max()
            figures["difference"] = float(apart / moved)
        watch.watched = True
        advance(system, memory, dt, 1)
        figures["bodies"] = watch.bodies
    return figures


def start(system: System, dt: float) -> tuple[Any, float]:
    """Memory after the first step, and its wall time [s]."""
    began = time.perf_counter()
    y, v = system.initial_state()
    step = _step(system, _METHOD.start(system, State(0.0, y, v)), dt)
    return step.memory, time.perf_counter() - began


def advance(system: System, memory: Any, dt: float, steps: int) -> tuple[Any, list[dict]]:
    """Memory after some steps, and figures of each."""
    figures = []
    for _ in range(steps):
        step, seconds = timed(_step, system, memory, dt)
        memory, report = step.memory, step.reports[-1]
        figures.append({"seconds": seconds, "newton": len(report.history), "linear": report.linear})
    return memory, figures


def _step(system: System, memory: Any, dt: float) -> Step:
    step = _METHOD.step(system, NEWTON, memory, dt)
    if not step.reports[-1].converged:
        raise RuntimeError(f"the step fails: {step.reports[-1].reason}; use a shorter one")
    return step


def name_of(body: Any) -> str:
    """Module and function of a task body."""
    return f"{body.__module__.removeprefix('fibermsk.')}.{body.__name__}"


class _Watch:
    """Launches on a device; if `watched`, they are synchronized and timed."""

    def __init__(self, device: Device) -> None:
        self._device, self._probe = device, device.xp.zeros(1)
        self.watched = False
        self._seconds: Counter[str] = Counter()
        self._launches: Counter[str] = Counter()

    def launch(self, body: Any, tasks: Any, arguments: tuple[Any, ...]) -> None:
        """Launch on the device."""
        began = time.perf_counter()
        self._device.launch(body, tasks, arguments)
        if self.watched:
            self._device.to_host(self._probe)  # waits for what was launched before
            name = name_of(body)
            self._seconds[name] += time.perf_counter() - began  # pyright: ignore[reportArgumentType]
            self._launches[name] += 1

    @property
    def bodies(self) -> dict[str, dict[str, float]]:
        """Launches and time of each task body, the slowest first."""
        return {
            name: {"seconds": spent, "launches": self._launches[name]}
            for name, spent in self._seconds.most_common()
        }
