"""Static equilibrium against the exact elastic cable."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from scenes_of_tests import load_scene, rubber
from scipy.integrate import quad
from scipy.optimize import brentq
from test_stability import chain_of_rods

import fibermsk as fm
from fibermsk.protocol import Evaluation


def exact_cable(length, span, weight, force_of_stretch):
    """Sag and horizontal force of an elastic cable between two points of equal height.

    The force is N = sqrt(H^2 + V^2), V = weight (s - length / 2), along the cable; with the stretch
    from the constitutive law, dx/ds = stretch H / N and dz/ds = stretch V / N over the reference
    length s.
    """

    def stretch(N):
        return brentq(lambda x: force_of_stretch(x) - N, 1.0 - 1e-12, 10.0, xtol=1e-14)

    def integral(H, component):
        def slope(s):
            V = weight * (s - 0.5 * length)
            N = np.hypot(H, V)
            return stretch(N) * (H if component == 0 else V) / N

        return quad(slope, 0.0, 0.5 * length, epsabs=1e-13, epsrel=1e-12)[0]

    H = brentq(lambda H: 2.0 * integral(H, 0) - span, 1e-4, 10.0, xtol=1e-13)
    return -integral(H, 1), H


def test_hanging_fiber_is_the_elastic_catenary():
    scene = load_scene("hanging_fiber").scene()
    fiber = scene.model.fibers[0]
    area, length = np.pi * 6e-3**2, 0.3
    mu = fiber.tissue.muscle.shear_modulus
    sag, H = exact_cable(length, 0.3, 1060.0 * area * 9.81, lambda x: area * mu * (x - x**-2))
    result = fm.simulate_scene(scene)
    history = result.fibers["fiber"]
    assert result.status == "success"
    # at rest from the first frame on
    assert np.abs(np.diff(history.position, axis=0)).max() < 1e-9
    middle = history.centerline(np.array([0.5]), -1)[0]
    # 16 cubic elements: the error of the displacement falls with h^4, about 1e-6 of the sag
    assert -middle[2] == pytest.approx(sag, rel=3e-6)
    assert history.force_origin[-1, 0] == pytest.approx(H, rel=3e-5)
    assert history.force_origin[-1, 2] == pytest.approx(-0.5 * 1060.0 * area * 9.81 * length)


def test_equilibrium_converges_in_the_mesh():
    scene = load_scene("hanging_fiber")
    area = np.pi * 6e-3**2
    sag, _ = exact_cable(0.3, 0.3, 1060.0 * area * 9.81, lambda x: area * 2e4 * (x - x**-2))
    errors = []
    for n in (8, 16, 32):
        system = fm.build(scene.scene(elements=n).model)
        y, _ = fm.equilibrium(system)
        errors.append(abs(-system.split(y)[0][n // 2, 2] - sag))
    order = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    # cubic elements; the coarsest mesh is not yet in the asymptotic range
    assert order[0] > 3.5 and order[1] > 3.8


def test_nothing_holds_a_free_fiber():
    model = fm.Model("free")
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(1e5, 10.0))
    model.add(fm.Fiber("f", [[0, 0, 0], [0.1, 0, 0]], radius=1e-3, n_elements=2, tissue=tissue))
    with pytest.raises(fm.ConvergenceError, match="no static equilibrium.*largest: f node"):
        fm.equilibrium(fm.build(model))


@pytest.mark.parametrize("angles", [(np.pi,), (np.pi, 0.0), (0.0, np.pi), (np.pi, np.pi)])
def test_rods_that_stand_upright_end_hanging(angles):
    system = chain_of_rods(*angles)
    y, v = fm.equilibrium(system)
    turns = y / (2.0 * np.pi)
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-9)
    assert fm.stability(system, y).stable
    np.testing.assert_array_equal(v, 0.0)
    seen = []
    again, _ = fm.equilibrium(system, progress=seen.append)
    assert seen and "20 steps" in seen[0].message
    np.testing.assert_array_equal(again, y)


def test_every_motion_on_the_way_is_judged(monkeypatch):
    """The push off the unstable state among them."""
    module, ways = import_module("fibermsk.solvers.statics.equilibrium"), []
    judge = module.judge
    monkeypatch.setattr(module, "judge", lambda *way: ways.append(way[1:]) or judge(*way))
    system = chain_of_rods(np.pi, 0.0)
    y, _ = fm.equilibrium(system)
    reached = [system.initial_state()[0]]
    for before, after in ways:
        assert any(np.array_equal(before.y, one) for one in reached)
        reached.append(after.y)
    assert any(np.array_equal(y, one) for one in reached[1:])


class Hilltop:
    """v' = y on (-1, 1): at rest on the top, and nowhere to go."""

    n, scale, is_coordinate = 1, np.ones(1), np.ones(1, bool)

    def initial_state(self):
        return np.zeros(1), np.zeros(1)

    def retract(self, t, y, increment):
        return y + increment

    def enforce(self, y, v, t=None):
        return v

    def evaluate(self, t, y, v, v_dot, dv_dy=0.0, dvdot_dv=0.0, *, rates=False, tangent=True):
        slope = np.array([[dvdot_dv * dv_dy - 1.0]])
        return Evaluation(v_dot - y, slope, 1.0 - abs(y[0]), np.zeros((0, 3)))

    def step_fraction(self, y, increment, keep):
        return 1.0

    def describe(self, unknown):
        return "the ball"

    fiber_names = ()

    def least_tension(self, t, y, v):
        return np.zeros(0), np.zeros(0)

    def check_inputs(self, times):
        pass


def test_unstable_state_without_a_way_out_is_called_so():
    with pytest.warns(fm.ModelWarning, match="largest at the ball grows at 1/s"):
        y, _ = fm.equilibrium(Hilltop())
    np.testing.assert_array_equal(y, 0.0)


def moved_end(part, gravity, elements=16, viscosity=100.0):
    """A fiber of 0.3 m whose insertion is led to `part` of that from its origin, in 1 s."""
    model = fm.Model("moved", gravity=(0, 0, -gravity))
    end = fm.MovingPoint(lambda t: np.array([0.3 - 0.3 * (1.0 - part) * t, 0.0, 0.0]))
    attach = model.ground.at(0, 0, 0), end
    tissue = rubber(viscosity)
    model.add(fm.Fiber("f", attach=attach, radius=3e-3, n_elements=elements, tissue=tissue))
    return fm.build(model)


def test_end_moved_near_leaves_a_catenary():
    """Not a fold next to the moved end."""
    system = moved_end(0.7, 9.81)
    y, _ = fm.equilibrium(system, t=1.0)
    area = np.pi * 3e-3**2
    mu = 5e4
    sag, _ = exact_cable(0.3, 0.21, 1000.0 * area * 9.81, lambda x: area * mu * (x - x**-2))
    assert -system.split(y)[0][8, 2] == pytest.approx(sag, rel=1e-4)
    assert fm.stability(system, y, 1.0).stable
    assert system.least_tension(1.0, y, 0 * y)[0] >= 0.0


def test_slack_fiber_is_called_so():
    """Without weight nothing keeps a fiber that is too long in shape."""
    system = moved_end(0.9, 0.0, elements=4)
    with pytest.warns(fm.ModelWarning, match="fibers under compression.*'f' at theta = .* N"):
        fm.equilibrium(system, t=1.0)


def test_limb_at_rest_stays_where_it_is():
    """With no activation nothing moves from equilibrium; from straight fibers the arm swings."""
    limb = load_scene("upper_limb")
    silent = fm.Model("limb", gravity=(0.0, 0.0, -9.81))
    scene = limb.scene(elements=4)
    for body in scene.model.bodies[1:]:
        silent.add(body)
    ground = {scene.model.ground: silent.ground}
    for joint in scene.model.joints:
        if isinstance(joint, fm.Weld):
            silent.add(fm.Weld(ground.get(joint.parent, joint.parent), joint.child))
        else:
            silent.add(joint)
    silent.add(*(replace(fiber, activation=0.0) for fiber in scene.model.fibers))
    fibers = silent.fibers
    for contact in scene.model.contacts:
        second = contact.second
        second = fibers if second[0] in scene.model.fibers else second
        silent.add(replace(contact, first=fibers, second=second))
    system = fm.build(silent)
    rest = fm.equilibrium(system)
    drift = {}
    for name, start in (("initial", None), ("equilibrium", rest)):
        result = fm.simulate(
            system, start, t_end=0.2, dt=0.01, method=fm.BackwardEuler(), control=fm.FixedSteps()
        )
        drift[name] = np.ptp(result.coordinate("elbow_flexion"))
    assert drift["initial"] > 0.02
    assert drift["equilibrium"] < 1e-9


def test_rest_angle_of_the_limb():
    system = fm.build(load_scene("upper_limb").scene(elements=8).model)
    y, _ = fm.equilibrium(system)
    assert y[-1] == pytest.approx(0.0588, abs=5e-5)
    found = fm.stability(system, y)
    assert found.stable and 1.0 < found.frequency < 3.0
    force, _ = system.least_tension(0.0, y, 0 * y)
    assert force.min() > 5.0
