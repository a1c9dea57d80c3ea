"""Hill laws from parameters of OpenSim's muscles."""

import numpy as np
import pytest
from laws.hill_muscles import MILLARD, drawn, muscle, random_state
from opensim_peer import hill_muscles

import fibermsk as fm
from fibermsk.read.osim.forces.hill import hill_of, substitute_of


def test_defaults():
    law, activation, notes = hill_of("Millard2012EquilibriumMuscle", {})
    assert law == fm.HillLaw(fm.MillardCurves(), min_activation=0.01)
    assert activation == fm.PiecewiseActivation(0.01, 0.04, min_activation=0.01)
    assert notes == ()
    thelen = hill_of("Thelen2003Muscle", {"FmaxTendonStrain": 0.05})
    assert thelen.law.curves == fm.ThelenCurves(tendon_strain=0.05)
    assert thelen.activation == fm.PiecewiseActivation(0.015, 0.05, min_activation=0.01)
    degroote = hill_of("DeGrooteFregly2016Muscle", {"ignore_tendon_compliance": True})
    assert degroote.law == fm.HillLaw(tendon="rigid", damping=0.0)
    assert degroote.activation == fm.SmoothActivation(sharpness=0.1)
    rigid = hill_of(
        "Millard2012EquilibriumMuscle",
        {"ignore_tendon_compliance": True, "ActiveForceLengthCurve.minimum_value": 0.1},
    )
    assert (rigid.law.tendon, rigid.law.pull_only) == ("rigid", True)
    assert rigid.notes == ("min_active_force is set to 0, as in OpenSim",)
    assert hill_of("Schutte1993Muscle", {}) is None
    with pytest.raises(fm.ModelError, match="eccentric_force = 0.5; must be greater than 1"):
        hill_of("Thelen2003Muscle", {"Flen": 0.5})


def test_millard_without_damping_near_rest(tmp_path):
    """There OpenSim inverts the curve with other parameters, which it derives from the file's."""
    rng = np.random.default_rng(13)
    one = muscle(rng)
    curves = {name: drawn(rng, table)[0] for name, table in MILLARD.items()}
    parameters = {f"{c}.{n}": value for c, held in curves.items() for n, value in held.items()}
    parameters["fiber_damping"] = 0.0
    law = hill_of("Millard2012EquilibriumMuscle", parameters).law
    states = [random_state(rng, law, one) for _ in range(200)]
    numbers = {
        name: getattr(one, name)
        for name in ("max_isometric_force", "optimal_fiber_length", "tendon_slack_length")
    }
    numbers |= {
        "max_contraction_velocity": one.max_contraction_velocity,
        "pennation_angle_at_optimal": one.pennation_angle,
        "fiber_damping": 0.0,
    }
    names = ("length", "speed", "activation", "fiber_length")
    asked = [dict(zip(names, x, strict=False)) for x in states]
    task = {
        "kind": "Millard2012EquilibriumMuscle", "numbers": numbers, "curves": curves,
        "states": asked,
    }  # fmt: skip
    compared = 0
    for x, answer in zip(states, hill_muscles(tmp_path, [task])[0], strict=True):
        found = law.describe(one, *x)
        if abs(answer["normalized_fiber_velocity"]) > 5.0:
            continue
        compared += 1
        assert abs(found["normalized_fiber_velocity"] - answer["normalized_fiber_velocity"]) < 1e-9
        assert abs(found["tendon_force"] - answer["tendon_force"]) < 1e-9 * one.max_isometric_force
    assert compared > 30


@pytest.mark.parametrize(
    ("kind", "more"),
    [("Thelen2003Muscle", {}), ("Millard2012EquilibriumMuscle", {"fiber_damping": 0.0})],
)
def test_an_activation_of_zero_without_damping_is_refused_as_in_opensim(kind, more):
    with pytest.raises(fm.ModelError, match=f"{kind}: minimum_activation = .*; must be 0.01"):
        hill_of(kind, {"minimum_activation": 0.0} | more)
    assert hill_of(kind, {"minimum_activation": 0.01} | more).law.min_activation == 0.01


def test_a_substitute_has_a_rigid_tendon_of_length_zero():
    kind = "Schutte1993Muscle_Deprecated"
    assert substitute_of("Delp1990Muscle_Deprecated", {}, 0.1) is None
    assert substitute_of(kind, {}, 0.1).acting.law == fm.HillLaw(tendon="implicit")
    assert substitute_of(kind, {}, 0.0).acting.law == fm.HillLaw(tendon="rigid")
    undamped = substitute_of(kind, {"damping": 0.0}, 0.1).acting.law
    assert undamped == fm.HillLaw(tendon="implicit", damping=0.0, min_activation=0.01)
    assert substitute_of(kind, {}, 0.1).max_contraction_velocity is None
    with pytest.raises(fm.ModelError, match="activation2 = -1"):
        substitute_of(kind, {"activation2": -1.0}, 0.1)
