"""Error estimates, their norm, and what adaptive steps make of them."""

import numpy as np
import pytest
from pendulum import Pendulum, exact
from scenes_of_tests import rubber, two_link_arm

import fibermsk as fm
from fibermsk.protocol import Tolerance
from fibermsk.solvers import State
from fibermsk.solvers.methods import backward_euler, bdf2, generalized_alpha

NEWTON = fm.Newton(tolerance=1e-13)
T = 1.3


def exact_memory(method, h):
    """Memory at time T whose history, with steps of h, is the exact solution."""
    (y, v, v_dot), (y0, v0, _) = exact()(T), exact()(T - h)
    state = State(T, y, v)
    if method.name == "bdf2":
        return bdf2.Memory(state, State(T - h, y0, v0), v_dot)
    if method.name == "generalized_alpha":
        delay = 0.5 * (1.0 - method.rho_inf) / (1.0 + method.rho_inf) * h
        (_, r, r_dot), (_, r0, r0_dot) = exact()(T - delay), exact()(T - delay - h)
        slopes = (r - r0) / h, (r_dot - r0_dot) / h
        t_stage = T - h + h / (1.0 + method.rho_inf)
        stage = t_stage, exact()(t_stage)[2], np.zeros(0)
        return generalized_alpha.Memory(state, v_dot, r, r_dot, *slopes, delay, True, *stage)
    return backward_euler.Memory(state, v_dot)


# the estimated over the true error of a step, of positions and of velocities: one where the
# estimate is asymptotically exact, and otherwise as measured on this motion
RATIOS = [
    (fm.BackwardEuler(), (1.0, 1.0)),
    (fm.BDF2(), (1.0, 1.0)),
    (fm.SDIRK2(), (1.0, 2.0)),
    (fm.GeneralizedAlpha(1.0), (1.0, 2.9)),
    (fm.GeneralizedAlpha(0.8), (1.08, 2.53)),
    (fm.GeneralizedAlpha(0.0), (1.0, 1.0)),
]


@pytest.mark.parametrize("method, ratios", RATIOS, ids=lambda item: repr(item)[:24])
def test_error_estimates_are_of_the_stated_order(method, ratios):
    found = []
    for h in (0.04, 0.02, 0.01):
        step = method.step(Pendulum(), NEWTON, exact_memory(method, h), h)
        y, v, _ = exact()(T + h)
        true = (y - step.memory.state.y)[0], (v - step.memory.state.v)[0]
        found.append((step.error[0], step.velocity_error[0], *true))
    order = np.log2(np.array(found[:-1]) / np.array(found[1:]))
    np.testing.assert_allclose(order[-1], method.error_order, atol=0.15)
    # with its sign: the exact solution less the computed one
    ratio = np.array(found[-1][:2]) / np.array(found[-1][2:])
    np.testing.assert_allclose(ratio, ratios, rtol=0.05)


def fibers_and_hinge(elements, grading=1.0):
    """A fiber of 0.2 m, one of 0.1 m on the same body, and a hinge."""
    model = fm.Model("two")
    arm = model.add(
        fm.Body("arm", mass=1.0, inertia=(1e-2, 1e-2, 1e-2), com=(0, 0, -0.1), shapes=())
    )
    model.add(fm.Hinge("hinge", model.ground, arm, at=(0, 0, 0), axis=(0, 1, 0)))
    nodes = np.linspace(0.0, 1.0, elements + 1) ** grading
    for name, x in (("long", 0.2), ("short", 0.1)):
        ends = model.ground.at(x, 0, 0), arm.at(0, 0, 0)
        model.add(
            fm.Fiber(
                name, attach=ends, radius=2e-3, n_elements=elements, nodes=nodes, tissue=rubber()
            )
        )
    return fm.build(model)


def bump(system, fiber, height):
    """A displacement height sin(pi theta)^2 of one fiber, across."""
    dy = np.zeros(system.n)
    nodes, _ = system.split(dy)
    own = slice(*system.cables.node_start[fiber : fiber + 2])
    theta = system.cables.theta[own]
    nodes[own, 1] = height * np.sin(np.pi * theta) ** 2
    nodes[own, 4] = height * np.pi * np.sin(2.0 * np.pi * theta)
    return dy


def test_size_of_an_error_does_not_depend_on_the_mesh():
    tolerance = Tolerance(relative=1e-3)
    meshes = [fibers_and_hinge(n, g) for n, g in ((32, 1.0), (64, 1.0), (32, 1.3), (64, 1.3))]
    sizes = [system.error_size(bump(system, 0, 2e-4), None, tolerance) for system in meshes]
    # the root mean square of sin^2 is sqrt(3/8); what tangents add falls with the element's square
    np.testing.assert_allclose(sizes, np.sqrt(3.0 / 8.0), rtol=0.02)
    tangents = [fibers_and_hinge(n) for n in (8, 16)]
    with_tangents = [
        system.error_size(bump(system, 0, 2e-4), None, tolerance) for system in tangents
    ]
    excess = np.array(with_tangents) - np.sqrt(3.0 / 8.0)
    assert excess[0] / excess[1] == pytest.approx(4.0, rel=0.1)


def test_error_is_measured_per_kind_and_per_fiber():
    system = fibers_and_hinge(16)
    rms = np.sqrt(3.0 / 8.0)

    def size(dy, dv=None, **tolerance):
        return system.error_size(dy, dv, Tolerance(**{"relative": 1e-3} | tolerance))

    turn = np.zeros(system.n)
    turn[-1] = 3e-3
    assert size(turn) == pytest.approx(3.0)
    assert size(turn, angle=2e-3) == pytest.approx(1.0)
    # relative to each fiber's own length; the largest counts
    assert size(bump(system, 1, 1e-4)) == pytest.approx(rms, rel=0.05)
    assert size(bump(system, 1, 1e-4) + bump(system, 0, 1e-4)) == pytest.approx(rms, rel=0.05)
    assert size(bump(system, 0, 1e-4), length=2e-4) == pytest.approx(0.25 * rms, rel=0.05)
    # velocities count where they have a tolerance
    none = np.zeros(system.n)
    assert size(none, turn) == size(none, bump(system, 0, 1.0)) == 0.0
    assert size(none, turn, angular_speed=1e-2) == pytest.approx(0.3)
    assert size(none, bump(system, 0, 1.0), speed=0.1) == pytest.approx(10 * rms, rel=0.05)
    # attached ends follow the hinge
    end = np.zeros(system.n)
    node = system.cables.attached_nodes[1]
    end[6 * node : 6 * node + 3] = 1.0
    assert size(end) == 0.0


@pytest.fixture(scope="module")
def arm():
    return fm.build(two_link_arm(elements=3, contact=False))


def run(system, **options):
    control = fm.AdaptiveSteps(**{"relative": 1e-3} | options)
    return fm.simulate(system, t_end=0.2, dt=0.1, method=fm.BDF2(), control=control)


def test_tolerances_of_each_kind_set_the_steps(arm):
    def steps(**options):
        return run(arm, **options).stats["substeps"]

    plain = steps()
    assert steps(relative=1e-4) > plain
    assert steps(relative=1e-5, length=1e-2, angle=1e-2) < plain
    assert steps(speed=1e-3) > plain and steps(angular_speed=1e-3) > plain
    assert steps(speed=1e3, angular_speed=1e3) == plain
    assert steps(longest=2e-3) >= 100


def test_first_step_follows_from_the_initial_acceleration(arm):
    """Not from the time between frames; and it is neither rejected nor far too short."""
    from fibermsk.solvers.steps.control import Counters

    for control in (fm.AdaptiveSteps(1e-4), fm.AdaptiveSteps(1e-4, angular_speed=1e-3)):
        method = fm.BDF2()
        memory = method.start(arm, State(0.0, *arm.initial_state()))
        first, other = (control.start(arm, method, memory, dt) for dt in (0.05, 0.2))
        assert first == other
        counters = Counters()
        new = control.advance(arm, method, fm.Newton(), memory, first, 0.2, counters)
        assert counters.rejected_steps == 0 and new.h == first.h
        assert 1e-3 < new.control.error


class Moody(Pendulum):
    """A pendulum in which Newton's method fails, or takes long, around t = 1."""

    def __init__(self, trouble):
        self.trouble = trouble

    def evaluate(self, t, y, v, v_dot, dv_dy=0.0, dvdot_dv=0.0, *, rates=False, tangent=True):
        found = super().evaluate(t, y, v, v_dot, dv_dy, dvdot_dv, tangent=tangent)
        if not 1.0 < t < 1.2 or not tangent or dvdot_dv == 0.0:
            return found
        if self.trouble == "fails" and dvdot_dv < 1.0 / 0.011:
            return found._replace(residual=found.residual * np.nan)
        if self.trouble == "is slow":
            return found._replace(tangent=3.0 * found.tangent)
        return found


@pytest.mark.parametrize("trouble", ["fails", "is slow"])
def test_steps_recover_after_newtons_method_struggled(trouble):
    control = fm.AdaptiveSteps(1e-4, longest=0.05, landing=False)
    result = fm.simulate(
        Moody(trouble),
        t_end=3.0,
        dt=0.025,
        method=fm.SDIRK2(),
        newton=fm.Newton(tolerance=1e-12, max_iterations=60),
        control=control,
    )
    frames = result.frames
    before = frames.step_size[(frames.t > 0.5) & (frames.t < 0.95)]
    during = frames.step_size[(frames.t > 1.05) & (frames.t < 1.15)]
    after = frames.step_size[(frames.t > 1.5) & (frames.t < 2.85)]
    assert (result.stats["failed_steps"] > 0) == (trouble == "fails")
    assert np.median(during) < 0.6 * before.max()
    assert after.min() > 0.8 * before.max()


@pytest.mark.parametrize(
    "options",
    [
        {"speed": 0.0},
        {"angular_speed": -1.0},
        {"angular_speed": "fast"},
        {"longest": "long"},
        {"landing": 1},
    ],
)
def test_bad_tolerances(options):
    with pytest.raises(fm.ModelError, match=f"AdaptiveSteps: {next(iter(options))} = "):
        fm.AdaptiveSteps(**options)
