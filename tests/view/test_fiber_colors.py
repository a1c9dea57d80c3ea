import numpy as np
import pytest
from make_result import make_fiber, make_muscle, make_result
from matplotlib.colors import to_rgb

from fibermsk.results.result import FiberHistory
from fibermsk.view.drawing.colors import color_stops, color_table, is_signed
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.fields import fiber_field, field_range


def lightness(colors):
    """CIE lightness (n,) of colors (n, 3) from 0 to 255."""
    c = colors / 255.0
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    y = linear @ [0.2126, 0.7152, 0.0722]
    return np.where(y > 0.008856, 116.0 * np.cbrt(y) - 16.0, 903.3 * y)


def test_tissue_is_red_muscle_darker_with_activation_and_ivory_tendon():
    tendon, muscle = color_table("tissue", (0.0, 1.0)).astype(float)
    assert np.all(tendon == tendon[0]) and np.all(tendon[0] > 200) and tendon[0, 0] > tendon[0, 2]
    assert np.all(muscle[:, 0] > muscle[:, 1] + 50) and np.all(muscle[:, 0] > muscle[:, 2] + 50)
    steps = np.diff(lightness(muscle[::15]))
    assert np.all(steps < 0.0)
    # in nearly even steps
    assert steps.min() > 1.6 * steps.mean() and steps.max() < 0.4 * steps.mean()


@pytest.mark.parametrize("field", ["stretch", "activation", "stress"])
def test_field_has_one_even_map_for_all_tissue_that_has_it(field):
    tendon, muscle = color_table(field, (0.7, 1.4))
    expected = color_table("tissue", (0.0, 1.0))[0] if field == "activation" else muscle
    np.testing.assert_array_equal(tendon, expected)
    steps = np.diff(lightness(muscle[::5].astype(float)))
    assert np.all(steps > 0.0) and steps.max() < 1.6 * steps.mean()


def test_signed_field_diverges_around_zero():
    low, high = -2.0, 6.0
    table = color_table("axial_force", (low, high))[1].astype(float)
    light = lightness(table)
    zero = round(255 * -low / (high - low))
    assert abs(int(light.argmax()) - zero) <= 4
    assert np.ptp(table[zero]) < 15  # gray
    assert table[0, 2] > table[0, 0] + 20 and table[-1, 0] > table[-1, 2] + 100
    # equal magnitudes are equally far from neutral
    assert light[round(255 * 4.0 / 8.0)] == pytest.approx(light[0], abs=2.0)


@pytest.mark.parametrize(
    ("limits", "signed"),
    [((-1.0, 1.0), True), ((0.0, 1.0), False), ((-1e-4, 1.0), False), ((-1.0, 0.02), True)],
)
def test_round_off_makes_no_field_signed(limits, signed):
    assert is_signed(limits) == signed


def test_stops_of_the_page_are_those_of_pictures():
    for field, limits in (("tissue", (0.0, 0.5)), ("stretch", (0.9, 1.2)), ("stress", (-1, 3))):
        table, stops = color_table(field, limits), color_stops(field, limits, 17)
        for row, tissue in enumerate(("tendon", "muscle")):
            given = np.array([to_rgb(c) for c in stops[tissue]]) * 255.0
            at = np.linspace(0, 16, 256)
            between = np.stack([np.interp(at, np.arange(17), given[:, i]) for i in range(3)], 1)
            assert np.max(np.abs(between - table[row])) < 6.0


def active(part):
    """One fiber with an activation up to a part."""
    ends = np.zeros((3, 3)), np.ones((3, 3))
    fiber = make_fiber(*ends, np.ones((3, 1)))
    given = vars(fiber) | {"activation": np.array([0.0, part, 0.5 * part])}
    return make_result(3, fibers={"one": FiberHistory(**given)})


@pytest.mark.parametrize(
    ("part", "end"), [(0.0, 1.0), (0.04, 0.1), (0.1, 0.1), (0.13, 0.2), (0.3, 0.5), (0.7, 1.0)]
)
def test_scale_of_activation_is_round_and_starts_at_rest(part, end):
    result = active(part)
    assert field_range(result, "tissue") == (0.0, end)
    assert Stage(result, "tissue").limits == (0.0, end)


def test_muscle_without_an_activation_looks_at_rest():
    muscle = make_muscle(3)
    del muscle.arrays["activation"]
    assert np.all(np.isnan(muscle.drawn.activation))
    assert np.all(fiber_field(muscle.drawn, "tissue") == 0.0)
    stage = Stage(make_result(3, fibers={}, muscles={"one": muscle}), "tissue")
    stage.move(0)
    np.testing.assert_array_equal(stage.tubes.colors[0], stage.colors[1, 0])
