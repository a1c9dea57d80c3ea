"""Bundles with titin, and even bundles, have the isometric force of their Hill muscle."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from bundle_force_length import MUSCLES, lengths_for, reference
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.anatomy.titin import with_passive_curve
from fibermsk.laws.titin import stress_at_rest


def test_passive_curve_is_that_of_the_stiffening():
    passive = fm.Stiffening(7e3, 5.0)
    titin = with_passive_curve(fm.Titin(1.0, near_share=0.7), passive, 3e5, 0.8)
    assert titin.near_share == 0.7
    for stretch in (0.7, 1.0, 1.2):
        expected = 7e3 * (np.exp(5.0 * (stretch - 1.0)) - np.exp(5.0 * (0.16 - 1.0)))
        assert_allclose(stress_at_rest(titin, stretch)[0], expected, rtol=1e-12)


@cache
def bundle(name, titin, **options):
    """A muscle as one fiber along a straight path, and its initial length."""
    strength, optimum, slack, angle, start = MUSCLES[name]
    length = slack + start * optimum * np.cos(angle)
    model = fm.Model(name, gravity=(0, 0, 0))
    block = model.add(fm.Body("block", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(fm.Slider("pull", model.ground, block, at=(length, 0, 0), axis=(1, 0, 0)))
    points = [
        fm.PathPoint("origin", model.ground.at(0, 0, 0)),
        fm.PathPoint("insertion", block.at(0, 0, 0)),
    ]
    muscle = model.add(
        fm.LineMuscle(
            name,
            points,
            max_isometric_force=strength,
            optimal_fiber_length=optimum,
            tendon_slack_length=slack,
            pennation_angle=angle,
        )
    )
    made = fm.fibers_from_muscle(muscle, 1, model=model, n_elements=12, titin=titin, **options)
    return made, length


def off(name, x, titin, **options):
    """Isometric force less the Hill muscle's, over F_0: passive to a length, then active."""
    made, start = bundle(name, titin, **options)
    length = float(lengths_for(name, np.array([x]), 1.0)[0])
    (fiber,), (curve,) = made.fibers, made.curves
    begin, end = curve.nodal[0], curve.nodal[-2]

    def pulled(t):
        u = min(t / 1.5, 1.0)
        return end + np.array([(length - start) * u * u * (3.0 - 2.0 * u), 0.0, 0.0])

    model = fm.Model("held", gravity=(0, 0, 0))
    attach = model.ground.at(begin), fm.MovingPoint(pulled)
    ramp = fm.Table((0.0, 2.0, 2.3, 20.0), (0.0, 0.0, 1.0, 1.0))
    model.add(replace(fiber, attach=attach, activation=ramp))
    run = fm.simulate(fm.build(model), t_end=4.5, dt=1.5)
    force = np.linalg.norm(run.fibers[fiber.name].force_origin[-1])
    hill = reference(name, np.array([length]), 1.0)[0]
    return (force - hill) / MUSCLES[name][0]


@pytest.mark.parametrize("name", MUSCLES)
@pytest.mark.parametrize("x", [0.6, 0.8, 0.9, 1.0, 1.2, 1.42])
def test_isometric_force_with_titin(name, x):
    assert abs(off(name, x, fm.Titin(1.0))) < 0.03


@pytest.mark.parametrize("name", MUSCLES)
@pytest.mark.parametrize("x", [0.6, 1.2])
def test_isometric_force_of_an_even_muscle_without_titin(name, x):
    assert abs(off(name, x, None, even=True)) < 0.03


def test_titin_alone_misses_the_force():
    """Without even stretch and toe region; the tendon shortens bound titin, or elements differ."""
    assert off("triceps", 1.42, fm.Titin(1.0, near_share=0.85), even=False) > 0.1
    assert off("biceps", 0.6, fm.Titin(1.0, near_share=0.85), even=False) > 0.05


def test_without_titin_the_force_is_missed():
    assert off("biceps", 1.02, None) < -0.1


def test_report_names_titin():
    report = str(bundle("biceps", fm.Titin(1.0))[0].report)
    assert "titin with" in report
    assert "even stretch" in report
