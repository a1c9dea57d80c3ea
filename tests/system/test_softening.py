"""Muscle on its descending limb is named: by the equilibrium, by the result and in its file."""

import warnings
from dataclasses import replace

import numpy as np
import own_laws as own
import pytest
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.system.fibers.softening import _STRETCHES, _intervals, _table

S, LENGTH = 3e5, 0.1
PASSIVE = fm.KelvinVoigt(1e3, 1e2)
DE_GROOTE = fm.Tissue(
    1060.0,
    PASSIVE,
    active=fm.HillStress(S, 1.0, 8.0),
    stiffening=fm.Stiffening.of_muscle(S),
    prestress=2e3,
)


def held(stretch, activation=1.0, tissue=DE_GROOTE, **more):
    """A fiber between fixed ends at a mean stretch, all of it muscle."""

    def motion(t):
        return np.array([LENGTH * (1.0 + (stretch - 1.0) * min(t / 0.1, 1.0)), 0.0, 0.0])

    model = fm.Model("held", gravity=(0.0, 0.0, 0.0))
    ends = model.ground.at(0.0, 0.0, 0.0), fm.MovingPoint(motion)
    path = [(LENGTH * x, 0.0, 0.0) for x in np.linspace(0.0, 1.0, 7)]
    model.add(
        fm.Fiber(
            "fiber", path=path, attach=ends, radius=5e-3, n_elements=6, tissue=tissue,
            activation=activation, **more,
        )
    )  # fmt: skip
    return fm.build(model)


def warned(call):
    """Result of a call and its warnings of softening."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = call()
    kept = [w.message for w in found if isinstance(w.message, fm.ModelWarning)]
    return result, [one for one in kept if one.kind == "softening"]


def test_equilibrium_on_the_descending_limb_is_named():
    system = held(1.1)
    _, (told,) = warned(lambda: fm.equilibrium(system, t=0.1))
    assert told.fiber == "fiber" and told.time == 0.1
    for text in ("fiber from t = 0.1 to 0.1 s", "dP/dlambda = -", "at theta =", "descending limb"):
        assert text in str(told)
    _, none = warned(lambda: fm.equilibrium(held(1.1, activation=0.0), t=0.1))
    assert not none
    ascending = replace(
        DE_GROOTE,
        active=fm.HillStress(S, 1.0 / 0.9, 8.0),
        stiffening=fm.Stiffening.of_muscle(S, optimal_stretch=1.0 / 0.9),
    )
    _, none = warned(lambda: fm.equilibrium(held(1.0, tissue=ascending), t=0.1))
    assert not none


def test_run_onto_the_descending_limb(tmp_path):
    """Named from the frame on at which the slope of the tissue falls; kept in the file."""
    system = held(1.15)
    result, (told,) = warned(lambda: fm.simulate(system, t_end=0.12, dt=0.004))
    (found,) = result.softening
    assert result.status == "success" and found.fiber == "fiber"
    stretch = result.fibers["fiber"].stretch

    def slopes(i):
        return [DE_GROOTE.stress(float(s), 0.0, 1.0)[1] for s in stretch[i]]

    falling = [i for i in range(result.time.size) if min(slopes(i)) < -0.011 * S]
    first = int(np.searchsorted(result.time, found.start))
    # the limit of 1 % of S per unit of stretch, and tables linear between stretches
    assert first <= falling[0] <= first + 1
    assert found.end == result.time[-1]
    worst = int(np.searchsorted(result.time, found.time))
    assert found.slope <= min(slopes(worst)) + 5e-3 * S
    assert_allclose((found.shortest, found.longest), (stretch[worst].min(), stretch[worst].max()))
    assert told.fiber == "fiber" and told.time == found.time and str(found) in str(told)
    fm.save(result, tmp_path / "run.h5")
    assert fm.load(tmp_path / "run.h5").softening == result.softening


def test_stretch_that_has_run_apart_is_named():
    """Parts on both sides of the falling branch, none of them on it."""
    theta = np.linspace(0.0, 1.0, 18)
    system = held(1.1)
    (fiber,) = system.model.fibers
    apart = np.where(theta < 0.6, 0.85, 1.5)
    ones, time = np.ones(18), np.array([0.0, 0.1])
    stretch = np.array([np.full(18, 0.85), apart])
    assert all(DE_GROOTE.stress(s, 0.0, 1.0)[1] > 0.0 for s in (0.85, 1.5))
    (found,) = _intervals(fiber, time, theta, ones, stretch, np.ones(2))
    assert found.start == found.end == 0.1 and found.slope < -1.4 * S
    assert (found.shortest, found.longest) == (0.85, 1.5)
    # relaxed muscle may have any stretches
    assert not list(_intervals(fiber, time, theta, ones, stretch, np.zeros(2)))
    # tendon is no part of it
    tendon = np.where(theta < 0.6, 1.0, 0.0)
    assert not list(_intervals(fiber, time, theta, tendon, stretch, np.ones(2)))


@pytest.mark.parametrize("activation", [0.3, 0.7, 1.0])
def test_slope_is_that_of_the_law(activation):
    (at,) = _table(DE_GROOTE, 1.0).at(np.array([activation]))
    assert_allclose(_table(DE_GROOTE, 1.0).stretch, _STRETCHES)  # the optimum is at one
    for k in (0, 20, 45, 110):
        exact = DE_GROOTE.stress(float(_STRETCHES[k]), 0.0, activation)[1]
        assert_allclose(at[k], exact, rtol=1e-12)


def test_user_defined_muscle_with_a_nonlinear_activation():
    tissue = fm.Tissue(1060.0, own.Twin(2e4, 1e3, 1e5))
    table = _table(tissue, 1.0)
    assert table.level.size == 11 and table.slope.shape == (11, 111)
    active, passive = table.at(np.array([1.0, 0.0]))
    assert (active < 0.0).any() and not (passive < 0.0).any()
