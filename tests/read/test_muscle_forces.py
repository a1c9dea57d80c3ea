"""Imported line muscles that act as in OpenSim."""

from pathlib import Path

import numpy as np
import pytest

import fibermsk as fm

MODEL = Path(__file__).parents[1] / "data" / "limb_v4.osim"


def model_of_file():
    return fm.read_osim(MODEL)


def test_muscles_get_the_law_of_their_class():
    model = model_of_file()
    first = model.muscles[0]
    made = fm.with_muscle_forces(model, 0.3)
    muscle = made.muscles[0]
    assert isinstance(muscle.law, fm.HillLaw) and first.law is None
    assert muscle.activation.excitation_at(0.2) == 0.3
    assert muscle.activation.law.min_activation == 0.01
    assert muscle.activation.start >= 0.01
    assert made.bodies == model.bodies
    assert made.muscles_with_fibers == set() and muscle in made.acting_muscles


@pytest.mark.parametrize("form", ["{}", "/forceset/{}", "{}.excitation", "{}/excitation"])
def test_columns_of_controls(form):
    model = model_of_file()
    name = model.muscles[0].name
    signals = fm.Signals("c", np.array([1.0, 2.0]), {form.format(name): np.array([0.0, 1.0])})
    made = fm.with_muscle_forces(model, signals, begin=1.0)
    assert made.muscles[0].activation.excitation_at(0.5) == 0.5


def test_left_out_muscles_are_named_once():
    model = model_of_file()
    with pytest.warns(fm.ModelWarning, match=model.muscles[0].name) as warned:
        made = fm.with_muscle_forces(model, {})
    assert len(warned) == 1
    assert made.muscles[0].activation.excitation_at(0.0) == 0.0


def test_wrong_names_and_values_are_refused():
    model = model_of_file()
    with pytest.raises(fm.ModelError, match="has no line muscle 'no'"):
        fm.with_muscle_forces(model, {"no": 0.1})
    signals = fm.Signals("c", np.array([0.0, 1.0]), {"no": np.array([0.0, 1.0])})
    with pytest.raises(fm.ModelError, match="columns 'no'; must be muscles"):
        fm.with_muscle_forces(model, signals)
    with pytest.raises(fm.ModelError, match=f"line muscle '{model.muscles[0].name}'"):
        fm.with_muscle_forces(model, 2.0)


def test_activations_of_line_muscles_that_act():
    model = fm.with_muscle_forces(model_of_file(), 0.3)
    name = model.muscles[0].name
    other = fm.with_activations(model, {name: 0.6})
    assert other.muscles[0].activation_at(0.0) == 0.6


SCHUTTE = (
    "<time_scale>0.2</time_scale><activation1>6</activation1><activation2>2</activation2>"
    "<damping>0.05</damping>"
)


def of_class(tmp_path, kind, inside=""):
    """The model with a muscle of another class."""
    text = MODEL.read_text().replace("Thelen2003Muscle", kind)
    path = tmp_path / "other.osim"
    path.write_text(text.replace(f'<{kind} name="flexor">', f'<{kind} name="flexor">{inside}'))
    return fm.read_osim(path)


@pytest.mark.parametrize("kind", ["Schutte1993Muscle_Deprecated", "Schutte1993Muscle"])
def test_muscles_of_schutte_get_the_curves_of_de_groote_and_a_warning(kind, tmp_path):
    model = of_class(tmp_path, kind, SCHUTTE)
    before = model.muscle("flexor")
    with pytest.warns(fm.ModelWarning) as warned:
        made = fm.with_muscle_forces(model, 0.3)
    (one,) = warned
    assert str(one.message) == (
        f"model {model.name!r}: line muscles of class {kind} (1), which has no law here, act by "
        "the curves of DeGrooteFregly2016Muscle with their own numbers, time constants and "
        "damping: flexor"
    )
    muscle = made.muscle("flexor")
    assert muscle.law == fm.HillLaw(fm.DeGrooteCurves(), "implicit", damping=0.05)
    for name in ("max_isometric_force", "optimal_fiber_length", "tendon_slack_length"):
        assert getattr(muscle, name) == getattr(before, name)
    assert muscle.pennation_angle == before.pennation_angle
    assert muscle.max_contraction_velocity == 5.0
    assert muscle.activation.law == fm.PiecewiseActivation(0.2 / 8.0, 0.2 / 2.0, variation=0.0)
    assert muscle.activation.excitation_at(0.0) == 0.3
    notes = [one for one in made.import_report.entries if one.element == "flexor"]
    assert any("has no law here: acts by the curves of De" in one.text for one in notes)


def test_the_rates_of_schutte_at_full_excitation_and_in_falling(tmp_path):
    """Those of OpenSim's Schutte1993Muscle_Deprecated."""
    with pytest.warns(fm.ModelWarning, match="Schutte1993Muscle"):
        made = fm.with_muscle_forces(of_class(tmp_path, "Schutte1993Muscle_Deprecated"), 0.3)
    law = made.muscle("flexor").activation.law
    for a in (0.05, 0.6):
        assert law.rate(1.0, a)[0] == pytest.approx((1.0 - a) * (7.667 + 1.459854) / 0.1)
        assert law.rate(0.0, a)[0] == pytest.approx(-a * 1.459854 / 0.1)


def test_muscles_of_schutte_act(tmp_path):
    model = of_class(tmp_path, "Schutte1993Muscle_Deprecated", SCHUTTE)
    with pytest.warns(fm.ModelWarning, match="Schutte1993Muscle"):
        system = fm.build(fm.with_muscle_forces(model, 0.3))
    run = fm.simulate(system, t_end=0.002, dt=0.001)
    assert (run.muscles["flexor"]["tendon_force"] > 1.0).all()


def test_wrong_constants_of_schutte_name_the_muscle(tmp_path):
    model = of_class(tmp_path, "Schutte1993Muscle", "<time_scale>0</time_scale>")
    with pytest.raises(fm.ModelError, match="line muscle 'flexor': .*: time_scale = 0"):
        fm.with_muscle_forces(model, 0.3)


def test_other_unknown_classes_have_no_force(tmp_path):
    model = of_class(tmp_path, "Delp1990Muscle_Deprecated")
    match = r"exert no force, since their class has no law here: flexor \(Delp1990Muscle_Depre"
    with pytest.warns(fm.ModelWarning, match=match):
        made = fm.with_muscle_forces(model, 0.3)
    assert made.muscle("flexor").law is None
