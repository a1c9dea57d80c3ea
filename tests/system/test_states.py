"""Unknowns of first order beside those of second: a Maxwell element from the guide."""

import importlib.util
import sys

import doc_pages
import numpy as np
import pytest
from joint_cases import functional_arm
from same_results import differences
from scenes_of_tests import apply, independent, two_link_arm
from scipy.integrate import solve_ivp
from tangents import along, moving_state

import fibermsk as fm
from fibermsk.results import Field
from fibermsk.solvers.statics.linearize import linearize

K, C, L0, K2, M, G = 200.0, 15.0, 0.4, 100.0, 1.0, 9.81


@pytest.fixture(scope="module")
def maxwell(tmp_path_factory):
    """The element as a reader of the guide saves it."""
    block = next(b for b in doc_pages.read("docs/howto/own_states.md") if "file" in b.marks)
    assert len(block.code.splitlines()) < 100
    file = tmp_path_factory.mktemp("user") / block.marks["file"]
    file.write_text(block.code)
    spec = importlib.util.spec_from_file_location("maxwell_element", file)
    module = sys.modules["maxwell_element"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module.Maxwell
    del sys.modules["maxwell_element"]


def weight_on_both(maxwell, elongation=0.0):
    """A weight on a Maxwell element and a spring."""
    model = fm.Model("weight", gravity=(0, 0, -G))
    bob = model.add(fm.Body("bob", M, (0, 0, 0), (1e-3,) * 3))
    model.add(fm.Slider("z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1)))
    ends = model.ground.at((0, 0, 0.5)), bob.at((0, 0, 0))
    model.add(maxwell("strut", *ends, L0, K, C, elongation))
    model.add(fm.PointSpring("spring", *ends, stiffness=K2, rest_length=L0))
    return fm.build(model)


def motion(t, x):
    """The same as equations of z, its speed and the damper's elongation."""
    z, p, s = x
    stretch = 0.5 - z - L0
    tension = K * (stretch - s)
    return p, (tension + K2 * stretch) / M - G, tension / C


def exact(t_end):
    options = {"rtol": 1e-12, "atol": 1e-13, "method": "DOP853"}
    return solve_ivp(motion, (0.0, t_end), [0.0, 0.0, 0.0], **options).y[:, -1]


METHODS = [
    fm.BackwardEuler(),
    fm.BDF2(),
    fm.SDIRK2(),
    fm.GeneralizedAlpha(0.0),
    fm.GeneralizedAlpha(0.8),
    fm.GeneralizedAlpha(1.0),
]


class Last:
    """Observer of the last state."""

    name = "last"

    def start(self, now):
        return 0.0

    def step(self, memory, now):
        self.state = now.memory.state
        return memory

    def finish(self, memory, now):
        pass


def ended(system, **options):
    """State and rates at the end of a run."""
    last = Last()
    fm.simulate(system, t_end=1.0, observers=[last], **options)
    return last.state.y, last.state.v


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_every_method_has_its_order_for_both_kinds_of_unknowns(maxwell, method):
    z, p, s = exact(1.0)
    goal = np.array([z, p, s, motion(1.0, (z, p, s))[2]])
    errors = []
    for n in (200, 400) if method.order == 1 else (100, 200):
        y, v = ended(
            weight_on_both(maxwell), dt=1.0 / n, method=method, control=fm.FixedSteps(),
            newton=fm.Newton(tolerance=1e-11),
        )  # fmt: skip
        errors.append(np.abs([y[0], v[0], y[1], v[1]] - goal))
    order = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(order[-1], method.order, atol=0.35)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_adaptive_steps_control_states(maxwell, method):
    """A state that is stiff and fast by itself, beside a body at rest."""
    errors = []
    for tolerance in (1e-4, 1e-6):
        y, _ = ended(
            weight_on_both(maxwell), dt=0.05, method=method, control=fm.AdaptiveSteps(tolerance)
        )
        errors.append(abs(y[1] - exact(1.0)[2]) / L0)
    assert errors[0] < 3e-2 and errors[1] < 0.25 * errors[0]


def test_the_error_in_time_of_states_is_estimated(maxwell):
    options = {"t_end": 1.0, "dt": 0.01, "control": fm.FixedSteps()}
    result = fm.simulate(weight_on_both(maxwell), **options)
    exactly = {"rtol": 1e-10, "atol": 1e-12, "t_eval": result.time}
    fine = solve_ivp(motion, (0.0, 1.0), [0.0] * 3, **exactly)
    off = result.states["strut"]["elongation"] - fine.y[2]
    assert 0.5 < result.stats["time_error"]["states"] / (np.abs(off).max() / L0) < 3.0


def test_a_run_starts_with_the_rate_that_the_row_gives(maxwell):
    system = weight_on_both(maxwell, elongation=0.03)
    method = fm.SDIRK2()
    from fibermsk.solvers import State

    state = State(0.0, *system.initial_state())
    memory = method.start(system, state)
    tension = K * (0.1 - 0.03)
    assert memory.state.v[1] == pytest.approx(tension / C, rel=1e-12)
    assert memory.v_dot[0] == pytest.approx((tension + K2 * 0.1) / M - G, rel=1e-9)


def test_equilibrium_has_no_rates(maxwell):
    y, v = fm.equilibrium(weight_on_both(maxwell))
    assert not v.any()
    sag = M * G / K2
    np.testing.assert_allclose(y, [0.5 - L0 - sag, sag], atol=1e-9)


def test_states_that_dissipate_keep_a_stable_state_stable(maxwell):
    system = weight_on_both(maxwell)
    y, _ = fm.equilibrium(system)
    found = fm.stability(system, y)
    assert found.stable
    # z' = p, M p' = -(K + K2) z - K s, C s' = -K s - K z
    rates = np.linalg.eigvals([[0, 1, 0], [-(K + K2) / M, 0, -K / M], [-K / C, 0, -K / C]])
    assert found.frequency == pytest.approx(np.abs(rates.imag).max() / (2.0 * np.pi), rel=1e-9)
    rest = np.zeros_like(y)
    here = linearize(system, 0.0, y, rest, rest)
    assert here.n_states == 1
    np.testing.assert_allclose(here.stiffness.D, [[K + K2, K], [K, K]], rtol=1e-9)
    np.testing.assert_allclose(here.damping.D, [[0.0, 0.0], [0.0, C]], atol=1e-9)
    np.testing.assert_allclose(here.mass.D, [[M, 0.0], [0.0, 0.0]], atol=1e-9)


def test_a_strut_that_creeps_does_not_hold_an_inverted_pendulum(maxwell):
    """Stiff enough for a moment, it gives way in the end."""
    model = fm.Model("inverted", gravity=(0, 0, -G))
    rod = model.add(fm.Body("rod", 1.0, (0, 0, 0.5), (1e-2,) * 3))
    model.add(fm.Hinge("hinge", model.ground, rod, (0, 0, 0), axis=(0, 1, 0)))
    ends = model.ground.at((1.0, 0, 0.5)), rod.at((0, 0, 0.5))
    model.add(maxwell("strut", *ends, 1.0, 500.0, 10.0))
    system = fm.build(model)
    y = np.zeros(2)
    found = fm.stability(system, y)
    assert not found.stable
    # the strut is 0.5 m above the hinge: its elongation is s, its length 1 - 0.5 angle
    J = 1e-2 + 0.25
    rates = np.linalg.eigvals(
        [[0, 1, 0], [(0.5 * G - 125.0) / J, 0, -250.0 / J], [-25.0, 0, -50.0]]
    )
    assert found.growth_rate == pytest.approx(rates.real.max(), rel=1e-6)
    # with a spring that stays, it stands
    model.add(fm.PointSpring("spring", *ends, stiffness=500.0, rest_length=1.0))
    assert fm.stability(fm.build(model), y).stable


def test_a_state_that_grows_by_itself_is_unstable(maxwell):
    """A damper that feeds energy in."""
    model = fm.Model("feeding", gravity=(0, 0, 0))
    bob = model.add(fm.Body("bob", M, (0, 0, 0), (1e-3,) * 3))
    model.add(fm.Slider("z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1)))
    ends = model.ground.at((0, 0, 0.5)), bob.at((0, 0, 0))
    model.add(maxwell("strut", *ends, 0.5, K, -C))
    model.add(fm.PointSpring("spring", *ends, stiffness=K2, rest_length=0.5))
    found = fm.stability(fm.build(model), np.zeros(2))
    rates = np.linalg.eigvals([[0, 1, 0], [-(K + K2) / M, 0, -K / M], [K / C, 0, K / C]])
    assert not found.stable
    assert found.growth_rate == pytest.approx(rates.real.max(), rel=1e-9)


class Reflex:
    """Force -20 s on a coordinate, which s follows with a lag: 0.3 s' = x - s."""

    name, bodies, coordinates, signals = "reflex", (), ("z",), ()

    def contribute(self, configuration):
        from fibermsk.system.ports import CoordinatePort

        self.port = CoordinatePort(configuration, "z")
        self.states = configuration.states.new("reflex", ["s"], ["m"], [1.0], [0.0])
        return self

    def add(self, at, sums):
        (x, _), (s, rate) = self.port.at(at), self.states.at(at)
        self.port.push(at, sums, -10.0 * x - 20.0 * s[0], -10.0, 0.0)
        self.states.add(sums, 0.3 * rate - x + s, [[1.0]], [[0.3]])
        if sums.slopes is not None:
            X, _ = self.port.follow(at, sums.slopes)
            self.states.follow(sums, -X)
            self.states.act(sums, X, [[-20.0]])


def test_a_reflex_that_lags_makes_a_motion_grow():
    model = fm.Model("reflex", gravity=(0, 0, 0))
    bob = model.add(fm.Body("bob", 1.0, (0, 0, 0), (1e-3,) * 3))
    model.add(fm.Slider("z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1)))
    model.add(Reflex())
    found = fm.stability(fm.build(model), np.zeros(2))
    rates = np.linalg.eigvals([[0, 1, 0], [-10, 0, -20], [1 / 0.3, 0, -1 / 0.3]])
    assert not found.stable
    assert found.growth_rate == pytest.approx(rates.real.max(), rel=1e-9)


def arm(name, maxwell):
    """Fibers, joints of all kinds and two Maxwell elements."""
    if name == "hinges":
        model = two_link_arm()
    else:
        model = functional_arm("multiplier" if name == "multiplier" else "eliminate")
    first, second = model.bodies[-2:]
    ends = first.at((0.05, -0.02, 0.1)), second.at((-0.03, 0.04, -0.1))
    model.add(maxwell("one", *ends, 0.05, 300.0, 20.0, 0.01))
    model.add(maxwell("two", model.ground.at((0.3, 0.1, 0.2)), ends[1], 0.1, 80.0, 5.0))
    return fm.build(model)


@pytest.mark.parametrize("kind", ["hinges", "functions", "multiplier"])
@pytest.mark.parametrize("beta, alpha", [(0.0, 0.0), (50.0, 70.0)])
def test_tangents_with_states_agree_with_central_differences(maxwell, rng, kind, beta, alpha):
    system = arm(kind, maxwell)
    y, v, a = moving_state(system, rng)
    evaluation = system.evaluate(0.1, y, v, a, beta, alpha)
    residual = along(system, y, v, a, beta, alpha)
    free = independent(system)
    free[-2:] = True
    assert system.n == 6 * system.cables.n_nodes + system.skeleton.n + 2
    for _ in range(4):
        d = rng.normal(size=system.n) * system.scale * free
        h = 2e-7
        ahead, back = (system.retract(0.0, y, sign * h * d) for sign in (1.0, -1.0))
        slope = (residual(ahead) - residual(back)) / (2.0 * h)
        exact = apply(evaluation.tangent, d) * free
        n_x, n = 6 * system.cables.n_nodes, system.n
        for part in (slice(0, n_x), slice(n_x, n - 2), slice(n - 2, n)):
            atol = 2e-6 * np.abs(slope[part]).max()
            np.testing.assert_allclose(exact[part], slope[part], atol=atol, rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS[1:4], ids=lambda method: method.name)
def test_a_run_with_states_that_is_left_and_continued_is_the_same(maxwell, method, tmp_path):
    options = {"t_end": 0.05, "dt": 0.01, "method": method, "control": fm.AdaptiveSteps(1e-3)}
    taken = []
    whole = fm.simulate(
        arm("hinges", maxwell), **options, checkpoint=taken.append, checkpoint_every=0.0
    )
    resumed = fm.simulate(arm("hinges", maxwell), **options, resume_from=taken[len(taken) // 2])
    assert differences(whole, resumed, tmp_path) == []


def test_forces_of_elements_with_states_make_the_reported_motion(maxwell):
    mismatch = []
    for dt in (0.02, 0.01):
        system = weight_on_both(maxwell)
        result = fm.simulate(system, t_end=1.0, dt=dt, control=fm.FixedSteps(4))
        assert result.states["strut"]["elongation"].shape == result.time.shape
        mismatch.append(fm.check(system, result).coordinates["z"].rms)
    assert mismatch[1] < 0.3 * mismatch[0] and mismatch[1] < 1e-3 * M * G


def test_states_of_other_numbers_are_another_run(maxwell):
    taken, options = [], {"t_end": 0.1, "dt": 0.05}
    fm.simulate(weight_on_both(maxwell), **options, checkpoint=taken.append, checkpoint_every=0.0)
    with pytest.raises(fm.ModelError, match="differs in the states"):
        other = weight_on_both(maxwell, elongation=0.01)
        fm.simulate(other, **options, resume_from=taken[0])


@pytest.mark.parametrize(
    "change, message",
    [
        ({"scale": [0.0]}, "scale = 0.0; must be positive"),
        ({"scale": [1.0, 2.0]}, r"scale = .*of shape \(1,\)"),
        ({"start": [np.nan]}, "start"),
        ({"names": ["a", "a"]}, "names = "),
        ({"names": [""]}, "entry: name = ''; must be a text that is not blank"),
        ({"names": "a"}, "names = 'a'; must be a list of names"),
        ({"units": [None]}, r"units\[0\] = None; must be a text"),
    ],
)
def test_states_that_make_no_sense_are_refused(change, message):
    from fibermsk.system.states import StatesOfModel

    given = {"names": ["a"], "units": ["m"], "scale": [1.0], "start": [0.0]} | change
    with pytest.raises(fm.ModelError, match=message):
        StatesOfModel().new("damper", **given)


def test_owners_of_states_have_names_of_their_own():
    from fibermsk.system.states import StatesOfModel

    states = StatesOfModel()
    states.new("damper", ["a"], ["m"], [1.0], [0.0])
    with pytest.raises(fm.ModelError, match="'damper': the name 'a' is taken"):
        states.new("damper", ["a"], ["m"], [1.0], [0.0])


def test_states_stand_in_the_result_and_its_file(maxwell, tmp_path):
    control = fm.AdaptiveSteps(1e-6)
    result = fm.simulate(weight_on_both(maxwell), t_end=1.0, dt=0.05, control=control)
    own = fm.load(fm.save(result, tmp_path / "run.h5")).states["strut"]
    assert own.fields["elongation"].axis_label == "elongation [m]" and len(own) == 1
    options = {"t_eval": result.time, "rtol": 1e-10, "atol": 1e-12}
    found = solve_ivp(motion, (0.0, 1.0), [0.0, 0.0, 0.0], **options).y[2]
    np.testing.assert_allclose(own["elongation"], found, atol=5e-5)
    assert found[-1] > 0.02
    np.testing.assert_array_equal(own["elongation"], result.states["strut"]["elongation"])


def test_a_field_named_as_a_state_ends_before_the_run(maxwell):
    class Told(maxwell):
        def contribute(self, configuration):
            strut = super().contribute(configuration)
            strut.reports = (Field("elongation", "m", "elongation"),)
            strut.fields = lambda at: {"elongation": strut.states.at(at)[0][0]}
            return strut

    with pytest.raises(fm.ModelError, match="name = 'elongation'; must be unique among its fields"):
        fm.simulate(weight_on_both(Told), t_end=0.1, dt=0.05)
