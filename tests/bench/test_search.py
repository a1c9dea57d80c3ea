"""The cheapest good settings are found, and nothing that is not good."""

from fibermsk.bench.measure.cheapest import Contender, find_cheapest


def contender(*models, steps=(10, 20, 40, 80)):
    return Contender("made_up", "no:where", models, steps, 1000)


def made_up(steps, model=0, deep=0.0, breaks=15, hard=1):
    """Converges like 1/steps; breaks down with few of them, and takes long with `hard`."""
    if steps < breaks:
        return {"seconds": 0.1, "sag": None, "penetration": None}
    return {
        "seconds": steps * (1.0 + model) * (100.0 if steps == hard else 1.0),
        "sag": 0.04 * (1.0 + 0.7 / steps),
        "penetration": deep,
    }


def test_the_first_that_is_near_enough():
    said = []
    (found,) = find_cheapest(contender({}), made_up, said.append)
    # 0.7 / 20 is more than 2 %, 0.7 / 40 is less
    assert found.steps == 40 and found.converged["seconds"] == 1000.0
    # converged, 10, 20, 40, and 80 to see that it takes longer
    assert len(said) == 5 and "no result after" in said[1]


def test_more_steps_that_take_less_time():
    (found,) = find_cheapest(contender({"hard": 40}), made_up, print)
    assert found.steps == 80


def test_models_by_their_time():
    found = find_cheapest(contender({"model": 1}, {"model": 0}), made_up, print)
    assert [one.model["model"] for one in found] == [0, 1]


def test_too_deep_is_not_good_enough():
    assert find_cheapest(contender({"deep": 0.021}), made_up, print) == []


def test_a_model_that_never_works():
    assert find_cheapest(contender({"breaks": 10**6}), made_up, print) == []
