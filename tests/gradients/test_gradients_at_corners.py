"""Gradients where laws and signals have corners: exact, warned of, or refused."""

import warnings

import numpy as np
import pytest
from gradients.test_run_gradients import METHODS, NAMES, TIGHT, worst

import fibermsk as fm
from fibermsk.gradients.changes.entries import entries_of


def hinged(law, activation=0.3):
    """One muscle on a hinge."""
    model = fm.Model("hinged", gravity=(0.0, -9.81, 0.0))
    bone = model.add(fm.Body("bone", 0.5, (0.01, -0.1, 0), (2e-3, 5e-4, 2e-3)))
    model.add(fm.Hinge("hinge", model.ground, bone, (0.002, 0, 0), (0, 0, 1), value=0.4))
    ends = model.ground.at(0.03, 0.1, 0), bone.at(0.02, -0.08, 0)
    path = [fm.PathPoint(name, at) for name, at in zip("oi", ends, strict=True)]
    numbers = {"max_isometric_force": 40.0, "optimal_fiber_length": 0.08, "pennation_angle": 0.2}
    model.add(fm.LineMuscle("line", path, **numbers, tendon_slack_length=0.09, law=law,
                            activation=activation))  # fmt: skip
    return model


THELEN = fm.HillLaw(fm.ThelenCurves(), damping=0.05, min_activation=0.01)
END = fm.Objective(
    lambda time, q, f: q[-1] + 1e-2 * f[-1], {"q": "hinge", "f": "line/tendon_force"}
)
INSIDE = ["line/tendon_slack_length", "line/pennation_angle", "line/activation", "line/law/curves"]
MOVED = ["line/points/0/x", "bone/com/x"]


@pytest.mark.parametrize(
    "method",
    [
        pytest.param(one, marks=[pytest.mark.slow] * (one.name == "generalized_alpha"))
        for one in METHODS
    ],
    ids=NAMES,
)
@pytest.mark.parametrize("start", ["equilibrium", "initial"])
def test_fibers_that_rest_at_a_kink_of_their_curve(method, start):
    """Thelen's curve of the velocity has one there, on which muscles start."""
    run = fm.Simulation(hinged(THELEN), 0.02, 0.01, newton=TIGHT, start=start, method=method)
    paths = [*INSIDE, *MOVED] if method.name == "generalized_alpha" else [INSIDE[0], MOVED[0]]
    assert worst(run, END, paths) < 1e-6


def table(*values):
    return fm.Table([0.0, 0.02, 0.1], values)


def piecewise(excitation, start=0.3):
    dynamics = fm.ActivationDynamics(excitation, fm.PiecewiseActivation(), start=start)
    return hinged(fm.HillLaw(), dynamics)


def warned(run, paths):
    """Message of the warning of a problem; empty without one."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        fm.GradientProblem(run, END, paths)
    assert len(found) <= 1
    return str(found[0].message) if found else ""


KNOT = "line/activation/excitation/knots/{}"
LEVEL, START = "line/activation/excitation", "line/activation/start"
RESTS = [  # excitation, start of the activation, path, start of the run, method, whether it rests
    (0.3, 0.3, LEVEL, "initial", "sdirk2", True),
    (0.3, 0.3, START, "initial", "sdirk2", True),
    (0.3, 0.2, START, "initial", "sdirk2", False),
    (0.3, 0.3, LEVEL, "equilibrium", "sdirk2", False),
    (table(0.3, 0.6, 0.2), 0.3, START, "initial", "sdirk2", False),
    (table(0.3, 0.6, 0.2), 0.3, START, "initial", "generalized_alpha", True),
    (table(0.3, 0.1, 0.2), 0.3, KNOT.format(0), "equilibrium", "generalized_alpha", False),
    (table(0.3, 0.3, 0.6), 0.3, KNOT.format(1), "initial", "sdirk2", True),
    (table(0.3, 0.3, 0.6), 0.3, KNOT.format(2), "initial", "sdirk2", False),
    (table(0.3, 0.3, 0.6), 0.3, KNOT.format(0), "equilibrium", "sdirk2", True),
    (table(0.0, 0.0, 0.6), 0.0, KNOT.format(1), "initial", "sdirk2", False),
]


@pytest.mark.parametrize("excitation, begin, path, start, method, rests", RESTS)
def test_activations_at_rest_have_one_sided_derivatives(
    excitation, begin, path, start, method, rests
):
    run = fm.Simulation(
        piecewise(excitation, begin), 0.05, 0.01, newton=TIGHT, start=start,
        method={one.name: one for one in METHODS}[method],
    )  # fmt: skip
    text = warned(run, path)
    assert ("rests at its excitation up to" in text) == rests
    if begin:
        with warnings.catch_warnings(action="ignore"):
            assert (worst(run, END, path) > 1e-3) == rests


FUNCTIONS = {
    "lines": fm.PiecewiseLinear, "spline": fm.NaturalSpline, "table": fm.Table
}  # fmt: skip


@pytest.mark.parametrize("time", [0.02, 0.0234])
@pytest.mark.parametrize("method", [fm.SDIRK2(), fm.BDF2()], ids=["sdirk2", "bdf2"])
@pytest.mark.parametrize("kind", [fm.PiecewiseLinear, fm.NaturalSpline])
def test_times_of_functions_on_frames(kind, method, time):
    model = hinged(fm.HillLaw())
    model.add(fm.CoordinateActuator("motor", "hinge", kind([0.0, time, 0.1], [0.1, -0.1, 0.2])))
    run = fm.Simulation(model, 0.05, 0.01, newton=TIGHT, method=method)
    text, smooth = warned(run, "motor/force/x/1"), kind is fm.NaturalSpline
    assert bool(text) == (time == 0.02 and not (smooth and method.name == "sdirk2"))
    if text:
        assert "'motor/force/x/1' = 0.02 s" in text
    else:
        assert worst(run, END, "motor/force/x/1") < 1e-6


EVALUATED = {
    "half a frame": (0.015, {"control": fm.FixedSteps(2)}),
    "a frame of equal ones": (0.05 / 3.0, {"dt": 0.02}),
    "a stage of SDIRK2": (0.01 * (2.0 - 0.5**0.5), {}),
    "a stage of SDIRK4": (0.0125, {"method": fm.SDIRK4()}),
    "the balance of generalized alpha": (0.015, {"method": fm.GeneralizedAlpha(1.0)}),
    "the first step of BDF2": (0.01 * (1.0 - 0.5**0.5), {"method": fm.BDF2()}),
}


@pytest.mark.parametrize("time, settings", EVALUATED.values(), ids=EVALUATED)
def test_times_at_which_forces_are_evaluated(time, settings):
    """There the run has a corner in them, of which both sides differ."""

    def run(at):
        excitation = fm.Table([-0.1, at, 0.1], [0.1, 0.7, 0.2])
        return fm.Simulation(
            piecewise(excitation, 0.2), 0.05, newton=TIGHT, **({"dt": 0.01} | settings)
        )

    path = "line/activation/excitation/times/1"
    assert f"{time:g} s: a corner at which a step ends or evaluates forces" in warned(
        run(time), path
    )
    assert not warned(run(time + 1e-4), path)
    angles = [run(time + off).run().coordinates["hinge"][-1] for off in (-1e-5, 0.0, 1e-5)]
    left, right = np.diff(angles) / 1e-5
    assert abs(right - left) > 1e-3 * max(abs(left), abs(right))


def test_every_corner_ends_an_adaptive_step():
    run = fm.Simulation(
        piecewise(fm.Ramp(0.011, 0.0234, 0.5), 0.1), 0.05, 0.01, control=fm.AdaptiveSteps(1e-3)
    )
    assert (
        "'line/activation/excitation/start' = 0.011 s and 1 more times: a corner at which"
        in warned(run, "line/activation/excitation/*")
    )


def test_points_of_a_function_of_a_coordinate_are_no_times():
    model = hinged(fm.HillLaw())
    bone = model.add(fm.Body("toe", 0.1, (0, -0.05, 0), (1e-4, 1e-5, 1e-4)))
    model.add(fm.Hinge("toe", model.body("bone"), bone, (0, -0.2, 0), (0, 0, 1)))
    curve = fm.PiecewiseLinear([-1.0, 0.02, 1.0], [0.0, 0.3, 0.4])
    model.add(fm.Coupling("toe", curve, "hinge"))
    model.add(
        fm.CoordinateActuator("motor", "hinge", fm.PiecewiseLinear([0, 0.02, 0.1], [0, 1, 0]))
    )
    assert not warned(fm.Simulation(model, 0.05, 0.01), "couplings/toe/function/x")


def test_times_at_which_a_force_jumps_are_refused():
    model = hinged(fm.HillLaw())
    steps = fm.PiecewiseConstant([0.0, 0.02, 0.1], [0.1, -0.1])
    model.add(fm.CoordinateActuator("motor", "hinge", steps))
    run = fm.Simulation(model, 0.05, 0.01, newton=TIGHT)
    with pytest.raises(fm.ModelError, match=r"force/x.*no point in time of a PiecewiseConstant"):
        fm.gradient(run, END, "motor/force/*")
    assert worst(run, END, "motor/force/y") < 1e-6


def test_numbers_that_a_law_holds_are_left_out_of_patterns():
    held = fm.HillLaw(tendon="implicit")
    run = fm.Simulation(hinged(held), 0.02, 0.01, newton=TIGHT)
    found = fm.gradient(run, END, "line/law/curves/*")
    assert "line/law/curves/slack_width" not in [one.path for one in found.parameters]
    with pytest.raises(fm.ModelError, match='slack_width.* is 0 for tendon="implicit"'):
        fm.gradient(run, END, "line/law/curves/slack_width")


def test_all_numbers_of_an_activation():
    assert worst(
        fm.Simulation(piecewise(0.4, 0.1), 0.02, 0.01, newton=TIGHT), END,
        ["line/activation/excitation", "line/activation/activation_time"],
    ) < 1e-6  # fmt: skip
    found = fm.gradient(fm.Simulation(piecewise(0.4, 0.1), 0.02, 0.01), END, "line/activation/*")
    assert np.isfinite(found.gradient).all() and len(found.parameters) == 6


def test_a_number_counts_once():
    system = fm.build(hinged(fm.HillLaw()))
    names = [one.name for one in entries_of(system, ["bone/com", "bone/com/y", "bone/*/y"])]
    assert names == ["bone/com[0]", "bone/com[1]", "bone/com[2]"]


def rope_over_a_drum(weight):
    """A rope of eight elements over half a drum, with a weight."""
    model = fm.Model("rope", gravity=(0.0, 0.0, -9.81))
    drum = model.add(
        fm.Body("drum", 1.0, (0, 0, 0), (1e-3,) * 3,
                shapes=fm.InfiniteCylinder((0, 0, 0), (0, 1, 0), 0.02))
    )  # fmt: skip
    model.add(fm.Hinge("turn", model.ground, drum, (0, 0, 0), (0, 1, 0), speed=3.0))
    body = model.add(fm.Body("weight", weight, (0, 0, 0), (1e-5,) * 3))
    model.add(fm.Slider("fall", model.ground, body, (-0.0245, 0, -0.06), (0, 0, 1)))

    def path(theta):
        angle = np.pi * np.clip(2.0 * theta - 0.5, 0.0, 1.0)
        down = 4.0 * np.maximum(np.maximum(0.25 - theta, theta - 0.75), 0.0)
        x, z = 0.0245 * np.cos(angle), 0.0245 * np.sin(angle) - 0.06 * down
        return np.stack([x, 0.0 * theta, z], axis=1)

    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(5e4, 5e2), prestress=2e4)
    ends = model.ground.at(0.0245, 0, -0.06), body.at(0, 0, 0)
    rope = model.add(
        fm.Fiber("rope", path=path, attach=ends, radius=0.004, n_elements=8, tissue=tissue)
    )
    law = fm.PenaltyContact(5e3, 4.0)
    model.add(fm.Contact(rope, drum, law, formulation="variational", friction=None, name="on"))
    return model


@pytest.mark.filterwarnings("ignore:compressed fibers")
@pytest.mark.parametrize("weight", [0.045, 0.145 / 3.0, 0.055])
def test_points_of_contact_that_open_within_a_difference(weight):
    """A difference of the equations passes the kink of a force; one of runs does not."""
    run = fm.Simulation(rope_over_a_drum(weight), 0.05, 0.005, newton=TIGHT)
    aim = fm.Objective(lambda time, z: 1e3 * z[-1] ** 2, {"z": "fall"})
    radius = "drum/shapes/0/radius"
    slope = fm.gradient(run, aim, radius).gradient[0]

    def value(at):
        model = fm.with_parameters(rope_over_a_drum(weight), {radius: at})
        return (
            1e3 * fm.Simulation(model, 0.05, 0.005, newton=TIGHT).run().coordinates["fall"][-1] ** 2
        )

    h = 2e-8
    assert slope == pytest.approx((value(0.02 + h) - value(0.02 - h)) / (2.0 * h), rel=1e-5)
