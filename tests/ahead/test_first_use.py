"""What scripts are told while their kernels are compiled."""

from types import SimpleNamespace

import pytest

import fibermsk as fm
from fibermsk import _compile, _first_use, from_models
from fibermsk._first_use import FirstUse


class Clock:
    """Time that only the test moves, as `time` has it."""

    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(_first_use, "time", clock)
    monkeypatch.delenv(_first_use.QUIET)
    return clock


def compiled(module="fibermsk.kernels.tension"):
    function = SimpleNamespace(__module__=module)
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function)})


def compile_for(use, clock, seconds, module="fibermsk.kernels.tension"):
    use.on_start(compiled(module))
    use.on_start(compiled(module))
    clock.now += seconds
    use.on_end(compiled(module))
    use.on_end(compiled(module))


def test_a_short_compilation_is_silent_and_a_long_one_is_told(clock, capsys):
    use = FirstUse()
    compile_for(use, clock, 2.5)
    clock.now += 1000.0  # a run
    assert capsys.readouterr() == ("", "")
    compile_for(use, clock, 1.0)
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("fibermsk: compiling kernels, once: 3 functions in 4 s")
    assert _first_use.QUIET in err
    compile_for(use, clock, 5.0)
    assert capsys.readouterr().err == ""
    compile_for(use, clock, 5.0)
    err = capsys.readouterr().err
    assert err == "fibermsk: compiling kernels, once: 7 functions in 14 s\n"


def test_functions_of_others_do_not_count(clock, capsys):
    use = FirstUse()
    compile_for(use, clock, 50.0, module="their.kernels")
    assert capsys.readouterr().err == ""


def test_what_is_left_is_told_where_it_is_known(clock, capsys):
    use = FirstUse()
    with use.knowing_the_rest() as tell:
        tell("compiling kernels, once", "0 of 300", 0.0)
        for _ in range(7):
            clock.now += 2.0
            compile_for(use, clock, 0.0)
            tell("compiling kernels, once", "30 of 300, about 40 s left", 0.1)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("fibermsk: compiling kernels, once, 30 of 300, ") for line in lines)


@pytest.mark.parametrize("asked", ["1", "yes"])
def test_an_environment_variable_silences(clock, capsys, monkeypatch, asked):
    monkeypatch.setenv(_first_use.QUIET, asked)
    compile_for(FirstUse(), clock, 60.0)
    assert capsys.readouterr().err == ""
    monkeypatch.setenv(_first_use.QUIET, "0")
    use = FirstUse()
    compile_for(use, clock, 60.0)
    compile_for(use, clock, 60.0)
    assert "functions in 120 s" in capsys.readouterr().err
    use = FirstUse()
    use.on_start(compiled())
    clock.now += 5.0
    use.on_start(compiled())  # within the first one
    assert capsys.readouterr().err.startswith("fibermsk: compiling kernels, once (")


def test_a_closed_stream_ends_no_run(clock, monkeypatch, tmp_path):
    closed = open(tmp_path / "log", "w")
    closed.close()
    for stream in (closed, None):
        monkeypatch.setattr("sys.stderr", stream)
        compile_for(FirstUse(), clock, 60.0)


@pytest.mark.parametrize("built", [False, True])
def test_simulate_compiles_ahead_and_once(monkeypatch, built):
    model = fm.Model("ball")
    ball = model.add(fm.Body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(fm.Hinge("turn", model.ground, ball, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    asked = []
    monkeypatch.setattr(from_models, "compile_ahead", lambda kinds, tell: asked.append(kinds))
    monkeypatch.setattr(from_models, "_prepared", set())
    subject = fm.build(model) if built else model
    for _ in range(2):
        from_models._prepare(subject)
    assert asked == [frozenset({"joints"})]
    from_models._prepare(None)
    from_models._prepare("no model")
    assert len(asked) == 1


def test_simulate_of_the_package_prepares(monkeypatch):
    model, seen = fm.Model("empty"), []

    def stop(subject):
        seen.append(subject)
        raise KeyError("stopped")

    monkeypatch.setattr(from_models, "_prepare", stop)
    with pytest.raises(KeyError):
        fm.simulate(model, t_end=1.0, dt=0.1)
    with pytest.raises(KeyError):
        fm.simulate(system=model, t_end=1.0, dt=0.1)
    assert seen == [model, model]
    with pytest.raises(fm.ModelError):  # compiled as a whole, where it is called
        fm.simulate(model, t_end=-1.0, dt=0.1, method=fm.NDF())


def test_a_clock_stands_still_while_kernels_are_compiled(clock, monkeypatch):
    monkeypatch.setattr(_first_use, "FIRST_USE", FirstUse())
    begin = _first_use.working_time()
    clock.now += 2.0
    compile_for(_first_use.FIRST_USE, clock, 30.0)
    clock.now += 1.0
    assert _first_use.working_time() - begin == pytest.approx(3.0)


def test_commands_tell_what_has_been_compiled_every_ten_seconds(clock, monkeypatch):
    use, said = FirstUse(), []
    compile_for(use, clock, 30.0)  # before
    monkeypatch.setattr(_compile, "FIRST_USE", use)
    monkeypatch.setattr(_compile, "time", clock)
    with _compile.while_compiling(said.append):
        pass
    assert said == []
    telling = _compile._Telling(said.append)
    for seconds in (4.0, 4.0, 4.0, 9.0):
        for listener in (use, telling):
            listener.on_start(compiled())
        clock.now += seconds
        for listener in (use, telling):
            listener.on_end(compiled())
    assert said == ["", "3 functions in 12 s"]
