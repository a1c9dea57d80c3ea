"""Hill muscles against those of the OpenSim package, in random states of random muscles."""

import numpy as np
import pytest
from laws.hill_muscles import muscle, random_law, random_state
from numpy.testing import assert_allclose
from opensim_peer import hill_muscles

import fibermsk as fm

CLASSES = {
    "degroote": "DeGrooteFregly2016Muscle",
    "millard": "Millard2012EquilibriumMuscle",
    "thelen": "Thelen2003Muscle",
}
STATES = {"elastic": "fiber_length", "implicit": "normalized_tendon_force"}

# OpenSim stops its own iterations in the muscle of Millard at 1e-10
TOLERANCE = {"degroote": 1e-12, "millard": 2e-9, "thelen": 1e-11}

FASTEST = 1e3
"""Velocity, over the largest, up to which states are compared: without damping, as in OpenSim's
muscle of De Groote, the logarithmic curve has velocities of 1e12 in random states."""


def asked(rng, kind, form, n_muscles, n_states, **more):
    """Random muscles with their laws and states, and what OpenSim is asked of them."""
    ours, theirs = [], []
    for k in range(n_muscles):
        one = muscle(rng, pennate=k % 3 > 0)
        law, numbers, curves = random_law(rng, kind, form)
        states = [random_state(rng, law, one) for _ in range(n_states)]
        numbers |= {
            name: getattr(one, name)
            for name in ("max_isometric_force", "optimal_fiber_length", "tendon_slack_length")
        }
        numbers["max_contraction_velocity"] = one.max_contraction_velocity
        numbers["pennation_angle_at_optimal"] = one.pennation_angle
        given = [
            dict(zip(("length", "speed", "activation", STATES.get(form, "-")), x, strict=False))
            | more
            for x in states
        ]
        theirs.append(
            {"kind": CLASSES[kind], "numbers": numbers, "curves": curves, "states": given}
        )
        ours.append((law, one, states))
    return ours, theirs


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        ("degroote", "implicit"), ("degroote", "rigid"), ("millard", "elastic"),
        ("millard", "rigid"), ("thelen", "elastic"),
    ],
)  # fmt: skip
def test_forces_lengths_and_velocities(kind, form, tmp_path):
    rng, compared = np.random.default_rng(7), 0
    ours, theirs = asked(rng, kind, form, 10, 100)
    for (law, one, states), answers in zip(ours, hill_muscles(tmp_path, theirs), strict=True):
        for x, answer in zip(states, answers, strict=True):
            if abs(answer["normalized_fiber_velocity"]) > FASTEST:
                continue
            compared += 1
            found = law.describe(one, *x)
            for name, value in answer.items():
                if name not in found:
                    continue
                force = "force" in name and not name.endswith("multiplier")
                unit = one.max_isometric_force if force else 1.0
                scale = unit + abs(value)
                assert abs(found[name] - value) <= TOLERANCE[kind] * scale, (name, x)
    assert compared > (600 if kind == "degroote" and form == "implicit" else 950)


def test_energy_of_the_tendon(tmp_path):
    ours, theirs = asked(np.random.default_rng(8), "thelen", "elastic", 4, 25)
    for (law, one, states), answers in zip(ours, hill_muscles(tmp_path, theirs), strict=True):
        for x, answer in zip(states, answers, strict=True):
            # OpenSim gives its function of the normalized length the length in m: fibers below
            # 1 m never store energy there
            _, found = law.energy(one, answer["fiber_length"], answer["tendon_length"])
            assert_allclose(found, answer["stored"], rtol=1e-9, atol=1e-12)
            assert x[3] == answer["fiber_length"]


@pytest.mark.parametrize("kind", ["millard", "thelen"])
def test_initial_equilibrium(kind, tmp_path):
    """OpenSim's own search, at rest, agrees wherever it ends with a taut tendon."""
    ours, theirs = asked(
        np.random.default_rng(9), kind, "elastic", 6, 20, speed=0.0, equilibrium=True
    )
    compared = 0
    for (law, one, states), answers in zip(ours, hill_muscles(tmp_path, theirs), strict=True):
        for x, answer in zip(states, answers, strict=True):
            start = law.start(one, x[0], x[2], near=answer["fiber_length"])
            if start.slack or answer["tendon_strain"] <= 0.0:
                continue
            compared += 1
            # OpenSim's tolerance is 1e-8 of the force
            assert abs(start.fiber_length - answer["fiber_length"]) < 1e-6
            assert abs(start.tendon_force - answer["tendon_force"]) < 1e-6 * one.max_isometric_force
    assert compared > 80


def test_rate_of_activation(tmp_path):
    rng = np.random.default_rng(10)
    _, theirs = asked(rng, "thelen", "elastic", 1, 100)
    for given in theirs[0]["states"]:
        given["excitation"], given["activation"] = rng.uniform(0.01, 1.0, 2)
    law = fm.PiecewiseActivation(0.015, 0.05, min_activation=0.01)
    for given, answer in zip(theirs[0]["states"], hill_muscles(tmp_path, theirs)[0], strict=True):
        rate = float(law.rate(given["excitation"], given["activation"])[0])
        assert_allclose(rate, answer["activation_rate"], rtol=1e-12)
