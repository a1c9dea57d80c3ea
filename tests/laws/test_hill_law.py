"""Hill muscles with tendon: derivatives, equilibria, energies, refusals."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from laws.hill_muscles import FORMS, KINDS, muscle, random_law, random_state
from numpy.testing import assert_allclose
from reference import hill as page

import fibermsk as fm
from fibermsk.laws.hill import bezier, degroote, millard, millard_fit
from fibermsk.laws.hill.kinds import KINDS as MODULES, equations_of
from fibermsk.laws.hill.row import CURVES

ARGUMENTS = ("length", "speed", "activation", "state", "rate")
SIMPLE = SimpleNamespace(
    name="m", max_isometric_force=800.0, optimal_fiber_length=0.1, tendon_slack_length=0.2,
    pennation_angle=0.2, max_contraction_velocity=10.0,
)  # fmt: skip


@pytest.mark.parametrize(("kind", "form"), FORMS)
def test_slopes_are_derivatives(kind, form):
    rng = np.random.default_rng(3)
    for k in range(12):
        one = muscle(rng, pennate=k % 3 > 0)
        law, _, _ = random_law(rng, kind, form)
        if form != "rigid" and kind == "degroote":
            law = fm.HillLaw(law.curves, form)
        c, x = law.constants(one), random_state(rng, law, one)
        function = getattr(equations_of(type(law.curves)), form)
        exact = np.array(function(c, *x))
        for j in range(5):
            moved = x.astype(complex)
            moved[j] += 1e-40j
            found = np.array([row[0] for row in function(c.astype(complex), *moved)]).imag / 1e-40
            assert_allclose(found, exact[:, j + 1], rtol=1e-9, atol=1e-10 * abs(exact).max())


@pytest.mark.parametrize("kind", KINDS)
def test_slopes_in_the_values_of_muscle_and_law(kind):
    """Complex steps through the row of constants agree with central differences."""
    rng = np.random.default_rng(4)
    one = muscle(rng)
    law, _, _ = random_law(rng, kind, "balance")
    x, values = random_state(rng, law, one), law.values(one)
    function = equations_of(type(law.curves)).balance

    def force_and_row(**moved):
        return np.array([r[0] for r in function(law.row(values | moved), *x)])

    for name, value in values.items():
        step = 1e-6 * max(abs(value), 0.1)
        exact = function(law.row(values | {name: value + 1e-40j}), *x.astype(complex))
        exact = np.array([row[0] for row in exact]).imag / 1e-40
        rough = force_and_row(**{name: value + step}) - force_and_row(**{name: value - step})
        assert_allclose(rough / (2.0 * step), exact, rtol=2e-6, atol=2e-6, err_msg=name)


def test_velocity_of_the_page():
    rng = np.random.default_rng(5)
    law = fm.HillLaw()
    for _ in range(30):
        one = muscle(rng)
        x = random_state(rng, law, one)
        found = law.describe(one, *x)
        tendon = page.f_tendon(found["tendon_length"] / one.tendon_slack_length)
        assert_allclose(found["tendon_force"], one.max_isometric_force * tendon, rtol=1e-10)
        expected = page.fiber_velocity(one, x[3], x[2], tendon, 0.1)
        assert_allclose(found["fiber_velocity"], expected, rtol=1e-9, atol=1e-12)
        # the four forms agree on the same muscle in the same motion
        balance = fm.HillLaw(tendon="balance")
        same = balance.describe(one, *x[:4], found["fiber_velocity"])
        assert_allclose(same["total_fiber_force"], found["total_fiber_force"], rtol=1e-9, atol=1e-7)
        F = found["tendon_force"] / one.max_isometric_force
        same = fm.HillLaw(tendon="implicit").describe(one, *x[:3], F)
        assert_allclose(same["fiber_velocity"], found["fiber_velocity"], rtol=1e-8, atol=1e-10)


def test_bezier_curves():
    """Curves of Millard against a Bezier curve of SciPy, through the points of its corners."""
    curves = fm.MillardCurves()
    c = fm.HillLaw(curves).constants(SIMPLE)
    for x, value, slope in (
        (0.0, 1.0, 5.0),
        (-1.0, 0.0, 0.0),
        (1.0, 1.4, 0.0),
        (0.9, 1.3925, 0.15),
    ):
        assert_allclose(millard.force_velocity_factor(c, x, 1.0)[:2], (value, slope), atol=1e-13)
    assert_allclose(millard.active_length(c, 1.0), (1.0, 0.0), atol=1e-13)
    assert_allclose(millard.passive(c, 1.7), (1.0, 2.0 / 0.7), rtol=1e-13)
    assert_allclose(millard.tendon(c, 1.049), (1.0, 1.375 / 0.049), rtol=1e-12)
    assert millard.tendon(c, 0.99) == (0.0, 0.0)
    row = np.array(bezier.curve([(0.0, 0.0, 0.0), (1.0, 1.0, 2.5)], [0.5]))
    corner = [(0, 0), (0.3, 0), (0.3, 0), (0.8, 0.5), (0.8, 0.5), (1, 1)]
    for x in np.linspace(0.0, 1.0, 41):
        assert_allclose(bezier.value_and_slope(row, 0, 1, x)[0], page.bezier(x, corner), atol=1e-14)


def test_fit_of_bezier_curves():
    """The stated error, continuous second derivatives, slopes that are those of the values."""
    exact, fit = fm.HillLaw(fm.MillardCurves()), fm.HillLaw(fm.FittedMillardCurves())
    row, table = exact.constants(SIMPLE), fit.constants(SIMPLE)
    force_velocity = [
        lambda c, x, module=module: module.force_velocity_factor(c, x, 1.0)[:2]
        for module in (millard, millard_fit)
    ]
    pairs = [force_velocity, *(
        (getattr(millard, name), getattr(millard_fit, name))
        for name in ("active_length", "passive", "tendon")
    )]  # fmt: skip
    ends = (-1.1, 1.1), (0.4, 1.9), (0.9, 1.8), (0.99, 1.07)
    for (curve, fitted), (low, high) in zip(pairs, ends, strict=True):
        x = np.linspace(low, high, 1201)
        values = np.array([curve(row, one) for one in x])
        found = np.array([fitted(table, one) for one in x])
        assert abs(found - values)[:, 0].max() < 1e-7
        assert abs(found - values)[:, 1].max() < 1e-4
        for one in x[::60]:
            stepped = fitted(table.astype(complex), complex(one, 1e-40))[0].imag / 1e-40
            assert_allclose(stepped, fitted(table, one)[1], rtol=1e-12, atol=1e-13)
    assert_allclose(
        fit.energy(SIMPLE, 0.15, 0.208), exact.energy(SIMPLE, 0.15, 0.208), rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("kind", KINDS)
def test_force_velocity_increases_and_the_search_for_the_velocity_ends(kind):
    law = fm.HillLaw(KINDS[kind](), min_activation=0.01)
    equations, c = equations_of(KINDS[kind]), law.constants(SIMPLE)
    rng = np.random.default_rng(6)
    for _ in range(200):
        length, a = 0.1 * rng.uniform(0.2, 2.0), rng.choice([0.0, 1e-3, rng.uniform()])
        T = rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-6.0, 3.0)
        w = equations.velocity(c, length, a, T)[0]
        P = equations.fiber_force(c, length, w, a)[0]
        assert abs(P - T) <= 1e-12 * (1.0 + abs(T))


@pytest.mark.parametrize("kind", KINDS)
def test_initial_equilibrium(kind):
    law = fm.HillLaw(KINDS[kind]())
    for length in np.linspace(0.24, 0.4, 10):
        for activation in (0.01, 0.5, 1.0):
            start = law.start(SIMPLE, length, activation)
            found = law.describe(SIMPLE, length, 0.0, activation, start.state)
            assert_allclose(found["fiber_force_along_tendon"], start.tendon_force, atol=1e-8)
            assert abs(found["fiber_velocity"]) < 1e-9
            assert start.slack == (found["tendon_strain"] <= 1e-12)


def test_all_equilibria_are_found():
    """A long tendon is softer than the descending limb: two stable equilibria at one length."""
    one = SimpleNamespace(**vars(SIMPLE) | {"tendon_slack_length": 1.2, "pennation_angle": 0.0})
    law, several = fm.HillLaw(fm.ThelenCurves(tendon_strain=0.2, passive_strain=1.5)), 0
    for length in np.linspace(1.3, 1.6, 31):
        start = law.start(one, length, 1.0)
        fibers = np.linspace(0.0011, length, 2001)
        function = equations_of(fm.ThelenCurves).balance
        c = law.constants(one)
        signs = np.array([function(c, length, 0.0, 1.0, x, 0.0)[1][0] >= 0.0 for x in fibers])
        crossings = fibers[:-1][signs[1:] & ~signs[:-1]]
        assert_allclose(start.equilibria, crossings, atol=2.0 * (fibers[1] - fibers[0]))
        if len(crossings) > 1:
            several += 1
            assert start.fiber_length == start.equilibria[0]
            near = law.start(one, length, 1.0, near=length)
            assert near.fiber_length == start.equilibria[-1]
    assert several > 1


def test_no_equilibrium_says_why():
    law = fm.HillLaw()
    with pytest.raises(fm.ModelError, match=r"'m': length of the path = 0.001 m; must exceed 0.00"):
        law.start(SIMPLE, 0.001, 0.5)
    with pytest.raises(fm.ModelError, match="fibers would shorten below their least length"):
        fm.HillLaw(fm.ThelenCurves()).start(SIMPLE, 0.15, 1.0)
    with pytest.raises(fm.ModelError, match="must exceed tendon_slack_length = 0.2 m by 0.002"):
        fm.HillLaw(tendon="rigid").start(SIMPLE, 0.2, 0.5)


@pytest.mark.parametrize("least", [0.4441, 0.25])
def test_short_fibers_of_a_slack_tendon_rest_where_they_carry_nothing(least):
    """As in OpenSim: active fibers shorten to the end of their active force."""
    law = fm.HillLaw(fm.MillardCurves(min_length=least), damping=0.1, min_activation=0.01)
    start = law.start(SIMPLE, 0.9 * SIMPLE.tendon_slack_length, 0.5)
    assert start.slack and start.tendon_force == 0.0
    assert_allclose(start.fiber_length, least * SIMPLE.optimal_fiber_length, rtol=1e-9)
    longer = law.describe(SIMPLE, 0.9 * SIMPLE.tendon_slack_length, 0.0, 0.5, 1.01 * start.state)
    assert longer["fiber_velocity"] < 0.0


def test_slack_tendons():
    published = fm.HillLaw().describe(SIMPLE, 0.25, 0.0, 0.0, 0.08)
    assert published["tendon_slack"] == 1.0
    assert published["tendon_force"] < 0.0
    c = fm.HillLaw(fm.DeGrooteCurves(slack_width=0.01)).constants(SIMPLE)
    assert degroote.tendon(c, 0.9) == (0.0, 0.0)
    assert_allclose(degroote.tendon(c, 1.01), degroote.tendon_force_length(1.01), rtol=1e-13)
    # twice continuously differentiable
    for at in (1.0, 1.01):
        slopes = [degroote.tendon(c, at + s * 1e-9)[1] for s in (-1, 1)]
        assert abs(slopes[1] - slopes[0]) < 1e-4
        curved = [
            degroote.tendon(c.astype(complex), complex(at + s * 1e-9, 1e-30))[1].imag / 1e-30
            for s in (-1, 1)
        ]
        assert abs(curved[1] - curved[0]) < 2e-2
    rigid = fm.HillLaw(tendon="rigid", pull_only=True).describe(SIMPLE, 0.3, -2.0, 0.0)
    assert rigid["tendon_force"] == 0.0
    pushes = fm.HillLaw(tendon="rigid").describe(SIMPLE, 0.3, -2.0, 0.0)
    assert pushes["tendon_force"] < 0.0
    assert pushes["tendon_slack"] == 1.0


@pytest.mark.parametrize(
    "curves", [*(kind() for kind in KINDS.values()), fm.DeGrooteCurves(slack_width=0.02)]
)
def test_energy_is_the_integral_of_the_force(curves):
    law = fm.HillLaw(curves)
    c, module = law.constants(SIMPLE), MODULES[type(curves)]
    zero = law.energy(SIMPLE, 0.1, 0.2)
    assert_allclose(zero[1], 0.0, atol=1e-15)
    h = 1e-7
    for fiber, strain in ((1.5, 0.03), (1.2, 0.006), (0.9, -0.01), (1.75, 0.08), (1.05, 0.0123)):
        above = law.energy(SIMPLE, 0.1 * fiber + h, 0.2 * (1.0 + strain) + h)
        below = law.energy(SIMPLE, 0.1 * fiber - h, 0.2 * (1.0 + strain) - h)
        forces = module.passive(c, fiber)[0], module.tendon(c, 1.0 + strain)[0]
        expected = 800.0 * np.array(forces)
        assert_allclose(np.subtract(above, below) / (2.0 * h), expected, rtol=1e-6, atol=1e-6)


def test_power_of_the_path_goes_to_tendon_and_fibers():
    """F L' is the rate of the tendon's energy and the power of the fibers, section 2."""
    rng = np.random.default_rng(11)
    law = fm.HillLaw(fm.MillardCurves())
    for _ in range(20):
        one = muscle(rng)
        x = random_state(rng, law, one)
        d = law.describe(one, *x)
        fibers = d["total_fiber_force"] * d["fiber_velocity"]
        tendon = d["tendon_force"] * d["tendon_velocity"]
        assert_allclose(d["tendon_force"] * x[1], tendon + fibers, rtol=1e-9, atol=1e-7)
        stored = [law.energy(one, x[3], d["tendon_length"] + s * 1e-7)[1] for s in (-1, 1)]
        force = (stored[1] - stored[0]) / 2e-7
        assert_allclose(force, d["tendon_force"], rtol=1e-5, atol=1e-4)


def test_fibers_stop_at_their_least_length():
    one = SimpleNamespace(**vars(SIMPLE) | {"pennation_angle": 0.0})
    law = fm.HillLaw(fm.ThelenCurves(), damping=0.0, min_activation=0.01)
    speeds = [law.describe(one, 0.15, 0.0, 1.0, x)["fiber_velocity"] for x in (3e-3, 1.5e-3, 1e-3)]
    assert speeds[0] < speeds[1] < 0.0
    assert speeds[2] == 0.0


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: fm.HillLaw(curves=1), "curves = 1; must be DeGrooteCurves or Millard"),
        (lambda: fm.HillLaw(tendon="soft"), "tendon = 'soft'; must be one of 'elastic', 'balance'"),
        (lambda: fm.HillLaw(damping=-1.0), "damping = -1.0; must be zero or positive"),
        (lambda: fm.HillLaw(damping=0.0), "damping = 0.0; must be positive for tendon"),
        (lambda: fm.HillLaw(pull_only=True), "pull_only = True; must be False for tendon"),
        (
            lambda: fm.HillLaw(fm.ThelenCurves(), "implicit"),
            "curves of Thelen: a slack tendon has no force",
        ),
        (
            lambda: fm.HillLaw(fm.MillardCurves(), damping=0.0, min_activation=0.01),
            "without damping where the force does not grow",
        ),
        (lambda: fm.MillardCurves(passive_strain=-0.1), "passive_strain = -0.1; must be positive"),
        (lambda: fm.MillardCurves(isometric_slope=1.01), "force-velocity curve"),
        (lambda: fm.ThelenCurves(linear_from=0.5), "linear_from = 0.5; must be greater than 1 / "),
        (lambda: fm.DeGrooteCurves(slack_width=0.1), "slack_width = 0.1; must be below tendon_st"),
    ],
)
def test_refusals(made, message):
    with pytest.raises(fm.ModelError) as refused:
        made()
    assert message in str(refused.value)


def test_row_has_the_values():
    law = fm.HillLaw(fm.DeGrooteCurves(active_width=1.5))
    c = law.constants(SIMPLE)
    assert c[CURVES + 2] == 1.5
    assert_allclose(c[7], math.cos(law.max_pennation_angle))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("length", [1.0, 100.0, 1e5])
@pytest.mark.parametrize(("kind", "form"), FORMS)
def test_a_path_of_wrong_units_is_refused(kind, form, length):
    """Exponential curves would give a finite force of 1e20 N, or overflow."""
    lengths = {"optimal_fiber_length": 0.1, "tendon_slack_length": 0.1}
    one = SimpleNamespace(**vars(SIMPLE) | lengths)
    law = fm.HillLaw(KINDS[kind](), tendon=form)
    with pytest.raises(fm.ModelError, match="line muscle 'm': length of the path") as raised:
        law.start(one, length, 0.5)
    text = str(raised.value)
    assert f"= {length} m; must leave the fibers at most 0.5 m long (5 optimal" in text
    assert "check the units of the model, tendon_slack_length = 0.1 m" in text
    assert "the fibers would be" in text


def test_a_long_path_that_a_model_may_have_is_not_refused():
    """Tendons of published models pull with up to 7 times the isometric force at the start."""
    lengths = {"optimal_fiber_length": 0.1, "tendon_slack_length": 0.1}
    one = SimpleNamespace(**vars(SIMPLE) | lengths)
    start = fm.HillLaw().start(one, 0.3, 0.5)
    assert start.fiber_length > 0.16
    assert 4.0 < start.tendon_force / one.max_isometric_force < 10.0


@pytest.mark.parametrize(("kind", "form"), FORMS)
def test_derivatives_in_every_number(kind, form):
    """Of force and equation, in the arguments and in the numbers of muscle, law and curves."""
    rng = np.random.default_rng(5)
    for k in range(4):
        law, one = random_law(rng, kind, form)[0], muscle(rng, pennate=k % 2 > 0)
        law = replace(law, damping=0.1)
        at = random_state(rng, law, one)
        equations = getattr(equations_of(type(law.curves)), form)
        found, values = law.derivatives(one, *at), law.values(one)
        assert set(found) == {*values, *ARGUMENTS}

        def moved(name, step, at=at, values=values, law=law, equations=equations):
            numbers, state = dict(values), np.array(at)
            if name in ARGUMENTS:
                state[ARGUMENTS.index(name)] += step
            else:
                numbers[name] += step
            return np.array([float(row[0]) for row in equations(law.row(numbers), *state)])

        size = np.abs(moved("", 0.0, values=values | {"": 0.0})) + 1.0
        for name, own in found.items():
            h = 1e-6 * max(abs({**values, **dict(zip(ARGUMENTS, at, strict=True))}[name]), 0.01)
            rough = (moved(name, h) - moved(name, -h)) / (2.0 * h)
            # differences lose where curves have corners in their second derivatives
            assert_allclose(own, rough, rtol=2e-4, atol=2e-4 * size.max(), err_msg=name)


def test_derivatives_without_a_velocity_are_refused():
    law = fm.HillLaw(tendon="implicit", damping=0.0, min_activation=1e-6)
    one = fm.make_scene("arm2").model.muscle("brachialis")
    with pytest.raises(fm.ModelError, match="state = 0.9; must admit a velocity of the fibers"):
        law.derivatives(one, 0.4, 0.4, 1e-6, 0.9)


def test_a_rigid_tendon_that_pushes_is_slack():
    one = fm.make_scene("arm2").model.muscle("brachialis")
    law = fm.HillLaw(tendon="rigid")
    length = one.tendon_slack_length + 0.15 * one.optimal_fiber_length
    start = law.start(one, length, 0.0)
    assert (
        start.slack
        == (start.tendon_force < 0.0)
        == bool(law.describe(one, length, 0.0, 0.0)["tendon_slack"])
    )
    assert start.slack
