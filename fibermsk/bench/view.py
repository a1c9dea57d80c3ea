"""Benchmark `view`: frames per second of the viewer."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

import numpy as np

from fibermsk._extras import check_drawing
from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.measure.timing import timed
from fibermsk.bench.measure.worker import Worker
from fibermsk.results.result import BodyMotion, FiberHistory, Result, ShapeRecord

_CASES = ((5, 8), (500, 20))
"""Fibers, and elements of each."""
_SIZE = (1200, 900)
_N_FRAMES = 32
_REPEATS, _QUICK_REPEATS = 60, 5
_ENOUGH = {5: 30.0, 500: 10.0}
"""Wanted frames per second."""


def run(options: Options) -> Findings:
    """Update of the arrays and drawing, with and without arrows."""
    check_drawing("the benchmark of the window")
    findings = Findings(ratios={"frames_over_wanted": {}})
    name = ""
    for n, elements in _CASES:
        for arrows in ((), ("attachment", "contact")):
            case = f"{n} fibers x {elements} elements" + (", all arrows" if arrows else "")
            options.say(case)
            with Worker(options.threads) as worker:
                found = worker.call(
                    "fibermsk.bench.view:time_viewer",
                    n=n,
                    elements=elements,
                    arrows=arrows,
                    repeats=_QUICK_REPEATS if options.quick else _REPEATS,
                )
            name = found["renderer"]
            seconds = found["update_seconds"] + found["draw_seconds"]
            findings.add(case, "fibermsk", n, seconds, frames_per_second=1.0 / seconds, **found)
            findings.ratios["frames_over_wanted"][case] = 1.0 / seconds / _ENOUGH[n]
    findings.notes.append(
        f"{_SIZE[0]} x {_SIZE[1]} pixels off screen, a new frame each time; medians. "
        f"Drawn by {name}. update: from the result to the arrays that are drawn; drawing: to the "
        "finished picture; processor: processor time of all threads, which depends less on other "
        "programs. frames_over_wanted: relative to 30 per second with 5 fibers, 10 with 500. "
        "The result is synthetic: a bundle that bulges, in contact along its whole length"
    )
    return findings


def time_viewer(n: int, elements: int, arrows: list[str], repeats: int) -> dict[str, Any]:
    """Median times of update and drawing of a frame [s], number of points, and renderer."""
    from fibermsk.view.pictures.opengl import renderer_name
    from fibermsk.view.window.viewer import Viewer

    viewer = Viewer(
        bundle_result(n, elements, _N_FRAMES), time=0.0, arrows=arrows, size=_SIZE, off_screen=True
    )
    viewer.plotter.show(auto_close=False)
    window = viewer.plotter.render_window

    def draw() -> None:
        viewer.plotter.render()
        window.WaitForCompletion()

    times: dict[str, list[float]] = {}
    for k in range(repeats + 2):
        began = time.process_time()
        spent = {
            "update_seconds": timed(viewer.step, 1)[1],
            "draw_seconds": timed(draw)[1],
            "processor_seconds": time.process_time() - began,
        }
        if k >= 2:  # the first ones compile and allocate
            for part, seconds in spent.items():
                times.setdefault(part, []).append(seconds)
    points = viewer.n_points
    viewer.close()
    return {part: median(values) for part, values in times.items()} | {
        "points": points,
        "renderer": renderer_name(),
    }


def bundle_result(n: int, elements: int, n_frames: int) -> Result:
    """Synthetic result of a bundle that shortens and bulges, over one second."""
    times = np.linspace(0.0, 1.0, n_frames)
    nodes = np.linspace(0.0, 1.0, elements + 1)
    gauss = 0.5 + np.sqrt(0.15) * np.array([-1.0, 0.0, 1.0])
    theta = ((np.arange(elements)[:, None] + gauss) / elements).reshape(-1)
    side = int(np.ceil(np.sqrt(n)))
    radius, length = 0.002, 0.3
    shortening = 1.0 - 0.15 * np.sin(np.pi * times) ** 2
    fibers = {}
    for k in range(n):
        place = 2.1 * radius * (np.array([k % side, k // side]) - 0.5 * (side - 1))
        wide = (1.0 / np.sqrt(shortening) - 1.0)[:, None]
        across = 1.0 + wide * np.sin(np.pi * nodes)
        slope = wide * np.pi * np.cos(np.pi * nodes)
        position = np.stack(
            [place[0] * across, place[1] * across, -length * shortening[:, None] * nodes], axis=2
        )
        tangent = np.stack(
            [place[0] * slope, place[1] * slope, -length * shortening[:, None] + 0.0 * across],
            axis=2,
        )
        shape = (n_frames, theta.size)
        bump = 4.0 * theta * (1.0 - theta)
        force = 1.0 + 0.4 * np.sin(2.0 * np.pi * times + 0.01 * k)
        size = max(float(np.linalg.norm(place)), radius)
        press = np.array([place[0], place[1], 0.0]) / size
        fibers[f"fiber_{k + 1}"] = FiberHistory(
            node_theta=nodes,
            position=position,
            tangent=tangent,
            theta=theta,
            muscle_fraction=np.clip(2.0 * bump - 0.3, 0.0, 1.0),
            stretch=np.broadcast_to(shortening[:, None], shape).copy(),
            radius=radius / np.sqrt(shortening)[:, None] * np.ones(shape),
            cut_force=force[:, None, None] * np.array([0.0, 0.0, -1.0]) * np.ones((nodes.size, 1)),
            axial_force=force[:, None] * (1.0 + 0.1 * bump),
            tissue_force=force[:, None] * (1.0 + 0.1 * bump),
            contact_line_force=(force[:, None] * bump)[..., None] * press,
            activation=0.5 - 0.5 * np.cos(2.0 * np.pi * times),
            force_origin=force[:, None] * np.array([0.0, 0.0, -1.0]),
            force_insertion=force[:, None] * np.array([0.0, 0.0, 1.0]),
        )
    bone = ShapeRecord("capsule", np.array([0.15, 0.0, 0.0]), np.array([0.15, 0.0, -0.4]), 0.02)
    still = BodyMotion(np.zeros((n_frames, 3)), np.tile(np.eye(3), (n_frames, 1, 1)), (bone,))
    return Result(
        scene="bundle",
        parameters={"fibers": n, "elements": elements},
        time=times,
        coordinates={},
        speeds={},
        bodies={"bone": still},
        fibers=fibers,
        step_size=np.full(n_frames, 1.0 / n_frames),
        newton_iterations=np.ones(n_frames, dtype=np.int64),
        min_admissibility=np.ones(n_frames),
    )
