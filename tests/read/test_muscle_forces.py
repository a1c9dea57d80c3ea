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
