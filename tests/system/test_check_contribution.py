"""The check of an element's tangent: what is exact passes, every wrong derivative is named."""

import numpy as np
import pytest
from scenes_of_tests import two_link_arm

import fibermsk as fm
from fibermsk.system.ports import BodyPoints, CoordinatePort


def loaded(*elements, fibers=True):
    """An arm with fibers, a free bob beside it, and elements by functions of the model."""
    model = two_link_arm(elements=2) if fibers else fm.Model("free")
    bob = model.add(fm.Body("bob", 0.4, (0.01, 0, 0), (1e-3, 2e-3, 3e-3)))
    model.add(fm.Slider("z", model.ground, bob, (0.1, 0, 0), axis=(0, 0, 1), value=-0.2))
    ends = model.ground.at((0.1, 0.01, 0.1)), bob.at((0.02, 0, 0.01))
    for element in elements:
        model.add(element(ends))
    return fm.build(model)


def spring(ends):
    return fm.PointSpring("spring", *ends, stiffness=80.0, rest_length=0.2, damping=3.0)


def controller(ends):
    return fm.CoordinateController("servo", "z", target=0.1, kp=20.0, kd=2.0)


def force(ends):
    place = {"at": (0.02, 0.01, 0), "frame": "body", "torque": (0.1, 0, 0.2)}
    return fm.ExternalForce("load", ends[1].body, (1.0, 2.0, 3.0), **place)


def test_elements_of_the_package_pass():
    system = loaded(spring, controller, force)
    for name in ("spring", "servo", "load"):
        assert fm.check_contribution(system, name) < 1e-7
    model = system.model.copy()
    lower = next(body for body in model.bodies if body.name == "lower")
    model.add(
        fm.PointSpring("band", model.ground.at((0.1, 0, 0)), lower.at((0, 0, -0.1)), 50.0, 0.1)
    )
    assert fm.check_contribution(fm.build(model), "band") < 1e-7


@pytest.mark.parametrize("at", [(0, 0, 0), (0, 0.1, 0)])
def test_a_force_without_a_moment_passes(at):
    """It ends on the axis of the hinge: all that is left of its row is round-off."""
    model = fm.Model("door")
    door = model.add(fm.Body("door", 1.0, (0.1, 0, 0), (1e-3, 2e-3, 3e-3)))
    model.add(fm.Hinge("angle", model.ground, door, (0, 0, 0), axis=(0, -1, 0), value=0.3))
    ends = model.ground.at(at), door.at((0.13, 0.02, 0.07))
    model.add(fm.PointSpring("spring", *ends, stiffness=50.0, rest_length=0.1, damping=1.0))
    for seed in range(1, 11):
        assert fm.check_contribution(fm.build(model), "spring", seed=seed) < 1e-6


def test_a_constraint_passes():
    model = fm.Model("rod")
    bob = model.add(fm.Body("bob", 1.0, (0, 0.01, 0), (1e-3, 2e-3, 3e-3)))
    model.add(fm.Free("flight", model.ground, bob, position=(0.1, 0.2, -0.3)))
    length = float(np.linalg.norm([0.1, 0.2, -0.3]))
    ends = model.ground.at((0, 0, 0)), bob.at((0, 0, 0))
    model.add(fm.PointConstraint("rod", *ends, distance=length))
    assert fm.check_contribution(fm.build(model), "rod", tolerance=1e-5) < 1e-5


class Lag:
    """A force k (s - x) - c x' - m x'' on z, and s that follows x with a lag; slopes to spoil."""

    name, bodies, coordinates, signals = "lag", (), ("z",), ()

    def __init__(self, **spoiled):
        right = {"dx": -30.0, "dv": -2.0, "ds": 30.0, "row": 1.0, "rate": 0.3, "by_x": -1.0}
        self.slopes = right | spoiled

    def contribute(self, configuration):
        self.port = CoordinatePort(configuration, "z")
        self.states = configuration.states.new("lag", ["s"], ["m"], [0.1], [0.0])
        return self

    def add(self, at, sums):
        (x, v), (s, rate), d = self.port.at(at), self.states.at(at), self.slopes
        self.port.push(at, sums, 30.0 * (s[0] - x) - 2.0 * v, d["dx"], d["dv"])
        self.states.add(sums, 0.3 * rate - x + s, [[d["row"]]], [[d["rate"]]])
        if sums.slopes is not None:
            X, _ = self.port.follow(at, sums.slopes)
            self.states.follow(sums, d["by_x"] * X)
            self.states.act(sums, X, [[d["ds"]]])


@pytest.mark.parametrize("fibers", [False, True])
def test_an_element_with_a_state_passes(fibers):
    system = loaded(lambda ends: Lag(), fibers=fibers)
    assert fm.check_contribution(system, "lag") < 1e-8


@pytest.mark.parametrize(
    ("spoiled", "row", "column", "kind"),
    [
        ({"dx": -31.0}, "z", "z", "positions"),
        ({"dv": 2.0}, "z", "z", "velocities"),
        ({"ds": 29.0}, "z", "lag: s", "positions"),
        ({"row": 1.1}, "lag: s", "lag: s", "positions"),
        ({"rate": 0.31}, "lag: s", "lag: s", "velocities"),
        ({"by_x": 1.0}, "lag: s", "z", "positions"),
    ],
)
def test_a_wrong_derivative_is_named(spoiled, row, column, kind):
    system = loaded(lambda ends: Lag(**spoiled), fibers=False)
    words = f"'lag': derivative of the row '{row}' with respect to '{column}' = .* with the {kind}"
    with pytest.raises(fm.ModelError, match=words):
        fm.check_contribution(system, "lag")


def test_a_wrong_derivative_of_a_force_on_a_body_is_named():
    class Pull:
        name, coordinates, signals = "pull", (), ()

        def __init__(self, ends):
            self.ends, self.bodies = ends, tuple(end.body for end in ends)

        def contribute(self, configuration):
            self.points = BodyPoints(configuration, self.ends)
            return self

        def add(self, at, sums):
            placed = self.points.at(at)
            way = placed.x[1] - placed.x[0]
            slope = np.kron([[-1.0, 1.0], [1.0, -1.0]], 40.0 * np.eye(3))
            slope[5, 5] *= 1.001
            self.points.push(at, placed, sums, 40.0 * np.stack([way, -way]), slope, 0.0 * slope)

    with pytest.raises(fm.ModelError, match="derivative of the row 'z' with respect to 'z'"):
        fm.check_contribution(loaded(Pull, fibers=False), "pull")


def test_wrong_calls_are_refused():
    system = loaded(spring, fibers=False)
    with pytest.raises(fm.ModelError, match="element = 'sprung'.*spring"):
        fm.check_contribution(system, "sprung")
    for bad in ({"tolerance": 0.0}, {"amplitude": -1.0}, {"states": 0}):
        with pytest.raises(fm.ModelError, match=next(iter(bad))):
            fm.check_contribution(system, "spring", **bad)


@pytest.mark.parametrize("spoiled", [{"dx": np.nan}, {"rate": np.nan}])
def test_values_that_are_not_finite_are_refused(spoiled):
    system = loaded(lambda ends: Lag(**spoiled), fibers=False)
    with pytest.raises(fm.ModelError, match="'lag': its tangent is not finite in the row"):
        fm.check_contribution(system, "lag")


def test_a_small_row_is_not_hidden_by_a_large_force():
    """A state of micrometers beside a force of 10 kN on the coordinate."""

    class Small(Lag):
        def contribute(self, configuration):
            self.port = CoordinatePort(configuration, "z")
            self.states = configuration.states.new("lag", ["s"], ["m"], [1e-6], [0.0])
            return self

        def add(self, at, sums):
            self.port.push(at, sums, 1e4, 0.0, 0.0)
            s, rate = self.states.at(at)
            self.states.add(sums, rate + 5.0 * s, [[self.slopes["row"]]], [[1.0]])

    right = loaded(lambda ends: Small(row=5.0), fibers=False)
    assert 0.0 < fm.check_contribution(right, "lag") < 1e-8
    with pytest.raises(fm.ModelError, match="the row 'lag: s' with respect to 'lag: s'"):
        fm.check_contribution(loaded(lambda ends: Small(row=5.001), fibers=False), "lag")


def test_the_curvature_of_a_constraint_is_checked():
    class Wrong(fm.PointConstraint):
        def contribute(self, configuration):
            held = super().contribute(configuration)
            right = held.curvature
            held.curvature = lambda at, multipliers: 1.1 * right(at, multipliers)
            return held

    for kind, passes in ((fm.PointConstraint, True), (Wrong, False)):
        model = fm.Model("rod", gravity=(0, 0, -9.81))
        bob = model.add(fm.Body("bob", 1.0, (0, 0.01, 0), (1e-3, 2e-3, 3e-3)))
        model.add(
            fm.Slider("x", model.ground, bob, (0, 0, 0), axis=(1, 0, 0), value=0.3),
        )
        other = model.add(fm.Body("other", 1.0, (0, 0.01, 0), (1e-3, 2e-3, 3e-3)))
        model.add(fm.Slider("z", bob, other, (0, 0, 0), axis=(0, 0, 1), value=-0.4))
        ends = model.ground.at((0, 0, 0)), other.at((0, 0, 0))
        model.add(kind("rod", *ends, distance=0.5))
        system = fm.build(model)
        if passes:
            assert fm.check_contribution(system, "rod") < 1e-6
        else:
            with pytest.raises(fm.ModelError, match="or that `constrain` and `curvature` return"):
                fm.check_contribution(system, "rod")


def test_what_contribute_and_energy_return_is_checked():
    class Nothing(Lag):
        def contribute(self, configuration):
            return None

    with pytest.raises(fm.ModelError, match="element 'lag': contribute = None; must return"):
        loaded(lambda ends: Nothing(), fibers=False)

    class Magnet(Lag):
        def energy(self, at):
            return {"magnetic": 1.0}

    system = loaded(lambda ends: Magnet(), fibers=False)
    with pytest.raises(fm.ModelError, match="'lag': energy = .*keys of kinetic, elastic"):
        system.energy(*system.initial_state())


def test_a_target_without_derivatives_is_refused():
    for target in (np.sin, lambda t: 0.1 * t):
        with pytest.raises(fm.ModelError, match="controller 'pd': target = .*derivatives"):
            fm.CoordinateController("pd", "z", target=target, kp=3.0)
