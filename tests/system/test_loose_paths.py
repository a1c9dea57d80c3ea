"""Paths that pass through a surface where they lie on another one."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.system.lines.frames import PathsOfFrames
from fibermsk.system.lines.troubles import told

RADIUS, BEHIND = 1.0, math.radians(33.2)
AT, REACH = 0.93, 0.1
"""Axis of the ellipsoid to the center of the sphere, and radius of the sphere [m]: this sticks out
between the heights -0.0714 and 0.0714."""


def over_a_bump(inside, *, bump=True, law=None):
    """A path that rises around a tall ellipsoid, and a sphere in the way of its arc."""
    model = fm.Model("bump")
    lift = model.add(fm.Body("lift", 1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(fm.Slider("rise", model.ground, lift, at=(0, 0, 0), axis=(0, 0, 1), value=0.09))
    wraps = [fm.WrapEllipsoid("post", model.ground, radii=(RADIUS, RADIUS, 10.0))]
    if bump:
        way = math.sqrt(0.5)
        center = (AT * way, AT * way, 0.0)
        wraps.append(fm.WrapSphere("knob", model.ground, radius=REACH, position=center))
    ends = [
        lift.at(1.5 * math.cos(angle), 1.5 * math.sin(angle), 0.0)
        for angle in (-BEHIND, 0.5 * math.pi + BEHIND)
    ]
    points = [fm.PathPoint(f"p{k}", end) for k, end in enumerate(ends)]
    model.add(
        fm.LineMuscle(
            "m", points=points, wraps=[fm.PathWrap(one, inside=inside) for one in wraps],
            max_isometric_force=1.0, optimal_fiber_length=1.0, tendon_slack_length=2.3, law=law,
        )
    )  # fmt: skip
    return model


def test_an_arc_passes_through_another_surface():
    loose, alone = over_a_bump("straight"), over_a_bump("straight", bump=False)
    for z in np.linspace(0.09, 0.05, 9):
        path = fm.muscle_path(loose, "m", {"rise": float(z)})
        expected = fm.muscle_path(alone, "m", {"rise": float(z)})
        assert_allclose(path.length, expected.length, rtol=1e-12)
        assert [arc.surface for arc in path.arcs] == ["post"]


def test_without_it_the_path_goes_the_other_way_round():
    strict = over_a_bump("refuse")
    before, after = (fm.muscle_path(strict, "m", {"rise": z}).length for z in (0.09, 0.05))
    assert after > before + 0.5


def test_coordinates_outside_their_ranges_are_told():
    assert told("q", 0.5, "rad", (0.0, 1.0)) == "q = 0.5 rad"
    assert told("q", -0.5, "m", (0.0, None)) == "q = -0.5 m (below its range, which begins at 0)"
    assert told("q", 2.0, "1", (None, 1.0)) == "q = 2 (above its range, which ends at 1)"


def test_frames_without_a_path_are_nan_and_the_result_stays(monkeypatch):
    system = fm.build(over_a_bump("straight", law=fm.HillLaw(tendon="rigid")))
    solve = PathsOfFrames.solve

    def fails_once(self, frames):
        found = solve(self, frames)
        found.failed[2] = fm.PathError("line muscle 'm': no taut path")
        found.length[2] = found.speed[2] = found.by_q[2] = np.nan
        return found

    monkeypatch.setattr(PathsOfFrames, "solve", fails_once)
    with pytest.warns(fm.ModelWarning, match=r"1 frames of the result, the first at t = 0.002 s"):
        result = fm.simulate(system, t_end=0.004, dt=0.001)
    assert result.status == "success"
    assert np.isfinite(result.coordinates["rise"]).all()
    assert np.isnan(result.muscles["m"]["length"]).tolist() == [False, False, True, False, False]
    assert np.isnan(result.muscles["m"].path[2]).all()
    assert np.isfinite(result.muscles["m"].path[3]).all()


def some_of(value, cut):
    """Some of the frames of named tuples of arrays."""
    if isinstance(value, tuple):
        return type(value)(*(some_of(one, cut) for one in value))
    return value if value is None else value[cut]


def test_frames_are_solved_in_any_batches(monkeypatch):
    """Compiled code is made once, for one frame or for several."""
    system = fm.build(over_a_bump("straight", law=fm.HillLaw(tendon="rigid")))
    solve, whole = PathsOfFrames.solve, []

    def in_parts(self, frames):
        cuts = [0, 1, 3, frames.t.size]
        parts = [solve(self, some_of(frames, slice(a, b))) for a, b in itertools.pairwise(cuts)]
        self.paths.restore(begin)
        whole.append(solve(self, frames))
        for name in ("length", "speed", "by_q"):
            joined = np.concatenate([getattr(part, name) for part in parts])
            assert_allclose(joined, getattr(whole[0], name), rtol=0.0, atol=0.0)
        return whole[0]

    begin = system.line_muscles.memory()
    monkeypatch.setattr(PathsOfFrames, "solve", in_parts)
    fm.simulate(system, t_end=0.004, dt=0.001)
    assert whole[0].length.shape == (5, 1)
