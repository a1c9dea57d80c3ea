"""A user's laws are checked where they are given, before anything is computed."""

import math

import numpy as np
import own_laws as own
import pytest
import values_of_laws
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.laws.derivatives import _with_slopes, stress_at
from fibermsk.laws.own import constant_values, law_digest


def tissue(law, **more):
    return fm.Tissue(density=1060, muscle=law, **more)


@pytest.mark.parametrize("law", [own.Linear(2e4, 1e3), own.Fung(1e4, 2.0), own.Twin(2e4, 1e3, 2e5)])
def test_derivatives_of_a_law_at_a_point(law, rng):
    """Given or by complex steps, against central differences."""
    h = 1e-6
    for stretch, rate in rng.uniform((0.7, -2.0), (1.5, 2.0), (20, 2)):
        P, by_stretch, by_rate = stress_at(law, stretch, rate, 0.4)
        pairs = [
            [stress_at(law, stretch + s * a, rate + s * b, 0.4)[0] for s in (h, -h)]
            for a, b in ((1, 0), (0, 1))
        ]
        for found, (ahead, behind) in zip((by_stretch, by_rate), pairs, strict=True):
            assert_allclose(found, (ahead - behind) / (2 * h), rtol=1e-6, atol=1e-8 * abs(P) / h)


def line_force_at(law, gap):
    """Line force of a law and its derivative in the gap; zero for open contact."""
    if gap >= 0.0:
        return 0.0, 0.0
    return _with_slopes(type(law).line_force, constant_values(law), (gap,), 1)


def test_line_force_and_its_derivative():
    assert_allclose(line_force_at(own.PenaltyTwin(768.0, 3.0), -0.1), [76.8 / 0.7, -768 / 0.49])
    assert line_force_at(own.Hertz(768.0), 0.1) == (0.0, 0.0)


REFUSED = {
    own.WrongSlope(3.0): r"law 'WrongSlope': stress at stretch = 0.526429, stretch_rate = -4.7 "
    r"1/s, activation = 0: dP_dstretch = 1.57928571; must be 3.15857143, the complex step",
    own.WrongEnergy(3.0): r"law 'WrongEnergy': energy at stretch = .*the stress, its slope, = -1.42"
    r"\d*; must be -2.84\d*, the complex step",
    own.NoComplex(3.0, 0.0): "it accepts no complex numbers; must accept complex "
    "numbers, or return dP_dstretch as well",
    own.Limited(3.0): r"stress at stretch = 1.9\d*, .*: value = nan; must be finite; for "
    r"another range of a stress law set stretch_range",
    own.Twin(-1.0, 2.0): "law 'Twin': shear_modulus = -1.0 N/m.2; must be greater than 0",
    own.Linear(math.inf): "law 'Linear': modulus = inf N/m.2; must be finite",
    own.Settings(3.0): r"law 'Settings': SETTINGS = {'factor': 2.0}; must be a function, a number, "
    r".*; make the needed values constants of the law with fm.law_constant",
    own.Linear: " = .*must be a frozen dataclass with stress",
}


@pytest.mark.parametrize("law", REFUSED, ids=lambda law: getattr(type(law), "__name__", "class"))
def test_wrong_stress_laws_are_refused(law):
    with pytest.raises(fm.ModelError, match=f"^(tissue: muscle.*)?{REFUSED[law]}"):
        tissue(law)


def test_a_law_that_takes_no_complex_numbers_is_checked_by_differences():
    assert tissue(own.NoComplex(3.0)).stress(1.2)[1] == 3.0 * math.exp(0.2)


def test_bending_needs_a_slope_at_rest():
    assert_allclose(tissue(own.Linear(6e4), bending=1.0).modulus(np.ones(1)), [2e4])
    falling = own.NoComplex(-3.0)
    with pytest.raises(fm.ModelError, match="bending = 1.0; must be zero for a muscle whose"):
        tissue(falling, bending=1.0)


@pytest.mark.parametrize(
    "law, message",
    [
        (own.ForceAlone(5.0), "no energy.*must have one for formulation='variational'"),
        (own.Jumps(5.0), r"line_force at gap = -5e-13: value = 5; must go to zero"),
        (own.Attracts(5.0), r"line_force at gap = -0.49\d*: value = -2.4\d* N/m; must be positive"),
        (own.ForceAlone(5.0, 0.5), "limit = 0.5; must be a number above 1"),
        (own.Hertz(-1.0), "law 'Hertz': stiffness = -1.0 N/m; must be greater than 0"),
        (768.0, "law = 768.0; must be a PenaltyContact or a user-defined law"),
    ],
)
def test_wrong_contact_laws_are_refused(law, message):
    a, b = (
        fm.Fiber(
            name, [(0, y, 0), (1, y, 0)], radius=0.1, n_elements=1, tissue=tissue(own.Fung(1, 1))
        )
        for name, y in (("a", 0), ("b", 1))
    )
    formulation = "half_pass" if isinstance(law, own.Jumps | own.Attracts) else "variational"
    with pytest.raises(fm.ModelError, match=f"^contact: .*{message}"):
        fm.Contact(a, b, law, formulation=formulation)
    fm.Contact(a, b, own.ForceAlone(5.0), formulation="half_pass")


def test_laws_of_coordinates():
    """An oscillator on a cubic spring keeps its energy, and a wrong slope is refused."""
    with pytest.raises(fm.ModelError, match=r"forces\[0\]: law 'Cubic': force at q = .*dq = -"):
        fm.Coordinate("q", forces=own.Cubic(5.0, slope=2.0))
    with pytest.raises(fm.ModelError, match="must return a fm.CoordinateForce"):
        fm.Coordinate("q", forces=lambda q, p: -q)
    model = fm.Model("oscillator", gravity=(0, 0, 0))
    body = model.add(fm.Body("body", mass=2.0, inertia=(1, 1, 1)))
    law = own.Cubic(5.0)
    start = fm.Coordinate("x", "translation", value=0.8, forces=(law,))
    model.add(
        fm.Slider("slider", model.ground, body, at=(0, 0, 0), axis=(1, 0, 0), coordinate=start)
    )
    result = fm.simulate(fm.build(model), t_end=4.0, dt=0.1, control=fm.AdaptiveSteps(1e-8))
    x, v = result.coordinate("x"), result.speeds["x"]
    energy = v**2 + np.array([law(q, 0.0).energy for q in x])
    assert_allclose(energy, energy[0], rtol=1e-5)
    assert x.min() < -0.5


def test_digest_tells_laws_apart(monkeypatch):
    """By what they compute, also in functions that they call, not by values of constants."""
    functions = ("stress", "energy")
    first = law_digest(own.Fung, functions)
    assert first == law_digest(own.Fung, functions) != law_digest(own.Linear, functions)
    monkeypatch.setattr(own, "squared", lambda x: x * x * 1.0)
    assert law_digest(own.Fung, functions) != first


def test_digest_knows_the_values_that_a_law_takes(monkeypatch):
    """Items of arrays and tuples, and what it names of a module; nothing else of the module."""
    found = [law_digest(own.Scripted, ("stress",))]
    for module, name, value in (
        (own, "FACTORS", np.array([2.0, 1.6])),
        (own, "FACTORS", np.array([2.0, 1.6], np.float32)),
        (own, "SHAPE", (1.0, (0.4, 2))),
        (own, "SHAPE", (1.0, (0.4, 3))),
        (values_of_laws, "FACTOR", 4.0),
        (own, "odd", lambda x, n: own.even(x, n - 1)),
    ):
        monkeypatch.setattr(module, name, value)
        found.append(law_digest(own.Scripted, ("stress",)))
    assert len(set(found)) == len(found)
    own.FACTORS[0] += 1.0
    assert law_digest(own.Scripted, ("stress",)) not in found
    now = law_digest(own.Scripted, ("stress",))
    monkeypatch.setattr(values_of_laws, "OTHER", 4.0, raising=False)
    assert law_digest(own.Scripted, ("stress",)) == now


def test_a_changed_law_is_checked_again(monkeypatch):
    tissue(own.Scripted(3.0))
    monkeypatch.setattr(values_of_laws, "FACTOR", math.nan)
    with pytest.raises(fm.ModelError, match="law 'Scripted': stress at .*: value = nan"):
        tissue(own.Scripted(3.0))
