"""Functions of the user, and their derivatives."""

import numpy as np
import pytest

import fibermsk as fm

TIME = np.arange(3.0)


def bend(time, q):
    """Analytic, with a sharp bend of width 1e-8 at its least value."""
    return np.sqrt(q[-1] ** 2 + 1e-16)


def slopes_of_bend(time, q):
    return {"q": np.array([0.0, 0.0, q[-1] / np.sqrt(q[-1] ** 2 + 1e-16)])}


@pytest.mark.parametrize("slopes", [None, slopes_of_bend], ids=["complex", "slopes"])
@pytest.mark.parametrize("size", [1.0, 30.0, 1e3])
@pytest.mark.parametrize("end", [0.0, 1e-10, 1e-9, 1e-8, 1e-7])
def test_a_sharp_bend_is_differentiated_at_its_least_value(slopes, size, end):
    samples = {"q": np.array([size, 0.3, end])}
    found = fm.Objective(bend, {"q": "hinge"}, slopes).derivatives(TIME, samples)
    np.testing.assert_allclose(found["q"], slopes_of_bend(TIME, **samples)["q"], rtol=1e-12)


@pytest.mark.parametrize("end", [1e-9, 1e-7])
def test_wrong_slopes_of_a_sharp_bend_are_refused(end):
    def twice(time, q):
        return {"q": 2.0 * slopes_of_bend(time, q)["q"]}

    aim = fm.Objective(bend, {"q": "hinge"}, twice)
    with pytest.raises(fm.ModelError, match="its slopes give another derivative .*'bend'"):
        aim.derivatives(TIME, {"q": np.array([30.0, 0.3, end])})


def test_a_kink_is_refused():
    aim = fm.Objective(
        lambda time, q: max(q[-1], 0.0), {"q": "hinge"}, lambda time, q: {"q": np.eye(3)[2]}
    )
    with pytest.raises(fm.ModelError, match="its slopes give another derivative"):
        aim.derivatives(TIME, {"q": np.array([30.0, 0.3, 0.0])})


@pytest.mark.parametrize("error", [ValueError, AttributeError, RuntimeError, KeyError, TypeError])
@pytest.mark.parametrize("where", ["function", "complex", "beside", "slopes"])
def test_what_a_function_raises_names_it(error, where):
    start = np.array([0.1, 0.2, 0.3])

    def stretch(time, q):
        beside = not np.iscomplexobj(q) and (q != start).any()
        if where == "function" or (where, np.iscomplexobj(q)) == ("complex", True):
            raise error("broken")
        if where == "beside" and beside:
            raise error("broken")
        return q[-1]

    def raising(time, q):
        raise error("broken")

    aim = fm.Objective(stretch, {"q": "hinge"}, raising if where == "slopes" else None)
    name = "slopes 'raising'" if where == "slopes" else "function 'stretch'"
    text = rf"Objective of q: its {name} raised {error.__name__}: .*broken.*; must .*"
    with pytest.raises(fm.ModelError, match=text) as told:
        if where == "function":
            aim.evaluate(TIME, {"q": start})
        else:
            aim.derivatives(TIME, {"q": start})
    assert isinstance(told.value.__cause__, error)


def test_slopes_with_other_arguments_are_named():
    aim = fm.Objective(lambda time, q: q[-1], {"q": "hinge"}, lambda time, p: {"q": p})
    with pytest.raises(
        fm.ModelError,
        match="its slopes '<lambda>' has other arguments; its functions must take the times and q",
    ):
        aim.derivatives(TIME, {"q": TIME})


def test_what_an_objective_does_to_its_arguments_stays_its_own():
    """A function that works in place has the derivatives of what it returns."""

    def inplace(time, q):
        time.fill(0.0)
        q -= 0.5
        return (q**2).sum()

    aim = fm.Objective(inplace, {"q": "hinge"}, lambda time, q: {"q": 2.0 * (q - 0.5)})
    time, q = np.array([0.0, 1.0]), np.array([0.2, 0.9])
    assert aim.evaluate(time, {"q": q}) == pytest.approx(0.3**2 + 0.4**2)
    assert aim.derivatives(time, {"q": q})["q"] == pytest.approx([-0.6, 0.8])
    assert time.tolist() == [0.0, 1.0] and q.tolist() == [0.2, 0.9]
    with pytest.raises(fm.ModelError, match="slopes of"):
        odd = fm.Objective(inplace, {"q": "hinge"}, lambda time, q: {"q": q, 3: q})
        odd.derivatives(time, {"q": q})
