"""Functions of a system take its model too, and type checkers know what `add` returns."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import fibermsk as fm


def pendulum(**changes):
    model = fm.Model("pendulum")
    bob = model.add(fm.Body("bob", mass=1.0, com=(0, 0, -1.0), inertia=(0.1, 0.1, 0.1)))
    model.add(fm.Hinge("swing", model.ground, bob, (0, 0, 0), (0, 1, 0), value=0.3, **changes))
    return model


def test_a_model_gives_bitwise_what_its_system_gives():
    model = pendulum(damping=0.5)
    system = fm.build(model)
    one, other = (fm.simulate(it, t_end=0.5, dt=0.1) for it in (model, system))
    assert np.array_equal(one.coordinate("swing"), other.coordinate("swing"))
    assert one.coordinate("swing")[-1] != one.coordinate("swing")[0]
    rest = fm.equilibrium(model)
    assert np.array_equal(rest[0], fm.equilibrium(system)[0])
    assert abs(rest[0][-1]) < 1e-6
    assert fm.stability(model, rest[0]).stable == fm.stability(system, rest[0]).stable is True
    assert fm.check(model, one) == fm.check(system, one)
    again = fm.simulate(model, rest, t_end=0.1, dt=0.1)
    assert np.abs(again.coordinate("swing")).max() < 1e-6
    named = fm.simulate(system=model, t_end=0.5, dt=0.1)
    assert np.array_equal(named.coordinate("swing"), one.coordinate("swing"))


def test_an_element_of_a_model_is_checked():
    model = pendulum()
    ends = model.ground.at(0, 0, -2), model.body("bob").at(0, 0, -1)
    model.add(fm.PointSpring("band", *ends, stiffness=9.0, rest_length=0.5))
    assert fm.check_contribution(model, "band") < 1e-6


@pytest.mark.parametrize("function", [fm.simulate, fm.equilibrium])
def test_what_is_neither_a_model_nor_a_system_is_refused(function):
    options = {"t_end": 1.0, "dt": 0.1} if function is fm.simulate else {}
    with pytest.raises(
        fm.ModelError, match=r"must be a model or a system; fm.build\(model\) makes one"
    ):
        function(fm.Body("bone"), **options)
    with pytest.raises(TypeError):
        function(**options)


def test_an_incomplete_model_is_refused_as_by_build():
    with pytest.raises(fm.ModelError, match="nothing can move"):
        fm.simulate(fm.Model("empty"), t_end=1.0, dt=0.1)


def test_warnings_name_the_line_of_the_caller():
    """Of building, and of the run."""
    heavy = fm.Model("heavy")
    bob = heavy.add(fm.Body("bob", mass=1e6, com=(0, 0, -1.0), inertia=(1e5, 1e5, 1e5)))
    heavy.add(fm.Hinge("swing", heavy.ground, bob, (0, 0, 0), (0, 1, 0)))
    for model, words in ((heavy, "mass"), (pendulum(), "t_end")):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            fm.simulate(model, t_end=0.01 if model is heavy else 900.0, dt=0.01 * (
                1 if model is heavy else 10_000))  # fmt: skip
        told = [one for one in told if words in str(one.message)]
        assert told and all(one.filename == __file__ for one in told)


TYPED = """
import fibermsk as fm
m = fm.Model("a")
b = fm.Body("b")
one: fm.Body = m.add(fm.Body("c"))
two: tuple[fm.Body, fm.Weld] = m.add(b, fm.Weld(m.ground, b))
three: tuple[fm.Body, fm.Weld, fm.Body] = m.add(b, fm.Weld(m.ground, b), b)
result: fm.Result = fm.simulate(m, t_end=1.0, dt=0.1)
other: fm.Result = fm.simulate(fm.build(m), t_end=1.0, dt=0.1)
reveal_type(m.add(b))
wrong: fm.Fiber = m.add(fm.Body("d"))
fm.simulate(3, t_end=1.0, dt=0.1)
fm.simulate(m, t_ende=1.0, dt=0.1)
"""


def test_a_type_checker_knows_what_is_added(tmp_path):
    (tmp_path / "typed.py").write_text(TYPED)
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "typed.py"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    lines = [line for line in told.stdout.splitlines() if "typed.py:" in line]
    wrong = {int(line.split("typed.py:")[1].split(":")[0]) for line in lines if "error" in line}
    assert wrong == {11, 12, 13}, told.stdout + told.stderr
    assert 'Type of "m.add(b)" is "Body"' in told.stdout


FRESH = """
import sys
import fibermsk as fm
names = dir(fm)
heavy = {"numba", "scipy", "matplotlib", "h5py", "pyvista"} & set(sys.modules)
assert not heavy, heavy
assert set(fm.__all__) <= set(names)
odd = [name for name in names if name not in fm.__all__ and not name.startswith("__")]
assert not odd, odd
assert {"simulate", "Model", "view", "save", "equilibrium", "gradient"} <= set(names)
assert "screenshot" in dir(fm.view) and "import_module" not in dir(fm.view)
"""


def test_completion_shows_the_public_names_and_imports_nothing():
    told = subprocess.run(
        [sys.executable, "-c", FRESH], capture_output=True, text=True, timeout=100
    )
    assert told.returncode == 0, told.stderr


def test_every_public_name_can_be_had():
    assert all(getattr(fm, name) is not None for name in dir(fm))
