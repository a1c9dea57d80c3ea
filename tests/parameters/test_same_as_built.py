"""A system with other parameters is bitwise the one that is built with them."""

import copy
import pickle

import numpy as np
import pytest
from parameter_models import MODELS, limb, numbers_of
from same_results import differences

import fibermsk as fm

HAND_WRITTEN = {
    "mass": ("lower/mass", 1.8),
    "damping": ("elbow/damping", 0.35),
    "modulus": ("inner/tissue/muscle/shear_modulus", 3.1e4),
    "prestress": ("inner/tissue/prestress", 1.7e4),
    "radius": ("inner/radius", 0.0055),
    "origin": ("inner/attach/origin/x", 0.0523),
    "level": ("inner/activation/knots/1", 0.17),
    "stiffness": ("contacts/muscles/stiffness", 810.0),
    "limit": ("contacts/muscles/limit", 2.7),
    "gravity": ("model/gravity/z", -3.7),
    "bone": ("upper/shapes/0/radius", 0.031),
    "rest_length": ("cord/rest_length", 0.12),
}


@pytest.fixture(scope="module")
def system():
    return fm.build(limb())


@pytest.mark.parametrize("name", HAND_WRITTEN)
def test_as_described_with_the_value_from_the_start(system, name):
    path, value = HAND_WRITTEN[name]
    built = fm.build(limb(**{name: value}))
    changed = system.with_parameters({path: value})
    assert changed.parameters[path].value == value != system.parameters[path].value
    assert numbers_of(changed) == numbers_of(built) != numbers_of(system)
    times = np.linspace(0.0, 0.1, 3)
    before, after = system.identity(times), changed.identity(times)
    assert after == built.identity(times) != before


def test_all_at_once_and_back(system):
    values = {path: value for path, value in HAND_WRITTEN.values()}
    changed = system.with_parameters(values)
    numbers = {name: value for name, (_, value) in HAND_WRITTEN.items()}
    assert numbers_of(changed) == numbers_of(fm.build(limb(**numbers)))
    back = {path: system.parameters[path].value for path in values}
    assert numbers_of(changed.with_parameters(back)) == numbers_of(system)


def moved(value):
    return value * 0.997 + (1e-4 if value == 0.0 else 0.0)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_every_number_gives_what_a_build_gives(name):
    system = fm.build(MODELS[name]())
    before, refused, idle = numbers_of(system), [], []
    known = {path: one.value for path, one in system.parameters.items()}
    for path, value in known.items():
        if np.ndim(value):
            continue  # directions and rotations, as a whole
        try:
            changed = system.with_parameters({path: moved(value)})
        except fm.ModelError:
            refused.append(path)
            continue
        assert changed.parameters[path].value == moved(value)
        others = {one: found.value for one, found in changed.parameters.items() if one != path}
        assert all(np.array_equal(found, known[one]) for one, found in others.items()), path
        after = numbers_of(changed)
        assert after == numbers_of(fm.build(changed.model)), path
        if after == before:
            idle.append(path)
    assert numbers_of(system) == before
    # ends of a path must stay at their attachments, and knots of a quaternion are no angles
    assert all("/path/" in path or "/attach/" in path for path in refused), refused
    # descriptions that exert no force, bodies that never move, values that a coupling gives
    assert all(
        path.split("/")[0] in ("over_line", "wraps", "l") or "rotation" in path for path in idle
    ), idle


def test_a_run_of_it_and_its_pickle(system, tmp_path):
    changed = system.with_parameters({"inner/tissue/active/max_stress": 2e5, "lower/mass": 2.0})
    settings = {"t_end": 0.02, "dt": 0.005}
    runs = [
        fm.simulate(one, **settings)
        for one in (changed, fm.build(changed.model), copy.deepcopy(changed))
    ]
    for other in runs[1:]:
        assert not differences(runs[0], other, tmp_path)
    other = system.with_parameters({"inner/muscle_fraction": 0.5, "outer/muscle_fraction": 0.5})
    assert numbers_of(pickle.loads(pickle.dumps(other))) == numbers_of(other)


def test_a_checkpoint_knows_its_numbers(system, tmp_path):
    changed, taken = system.with_parameters({"lower/mass": 2.0}), []
    settings = {"t_end": 0.02, "dt": 0.005}
    whole = fm.simulate(changed, **settings, checkpoint=taken.append, checkpoint_every=0.0)
    again = system.with_parameters({"lower/mass": 2.0})
    assert not differences(whole, fm.simulate(again, **settings, resume_from=taken[1]), tmp_path)
    with pytest.raises(fm.ModelError, match="bodies or joints"):
        fm.simulate(system, **settings, resume_from=taken[1])
