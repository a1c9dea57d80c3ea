"""Tables of curves: as the Bezier curves, twice continuously differentiable, and rising."""

import numpy as np
import pytest
from identification.planar_arm import CURVES, arm

import fibermsk as fm
from fibermsk.identification.equations.curves import table_of, tables_of
from fibermsk.kernels.identification.quintic import table_at
from fibermsk.laws.hill.bezier import size_of, value_and_slope
from fibermsk.laws.hill.millard import SECTIONS
from fibermsk.laws.hill.row import CURVES as FIRST

plain = getattr(table_at, "py_func", table_at)


def of(curves, pieces=512):
    model = arm()
    muscle = model.muscles[0]
    law = fm.HillLaw(curves, tendon="rigid")
    return law.constants(muscle), *tables_of([muscle], [law], pieces)


def first(k):
    return FIRST + sum(size_of(n) for n in SECTIONS[:k])


@pytest.mark.parametrize("curves", [CURVES, fm.MillardCurves()], ids=["own", "usual"])
@pytest.mark.parametrize("k", range(4))
def test_a_table_is_the_curve(curves, k):
    row, tables, own = of(curves)
    ends = tables.ends[own[0, k]][: SECTIONS[k] + 1]
    for x in np.linspace(ends[0] - 0.1, ends[-1] + 0.1, 997):
        value, slope = value_and_slope(row, first(k), SECTIONS[k], x)
        found = plain(tables, own[0, k], x)
        assert found[0] == pytest.approx(value, abs=1e-10)
        assert found[1] == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("k", range(4))
def test_errors_fall_with_the_sixth_power(k):
    row, _, _ = of(CURVES)
    n, errors = SECTIONS[k], []
    for pieces in (16, 32, 64):
        ends, found = table_of(row, first(k), n, pieces)
        s = np.array([0.3, 0.5, 0.7])
        off = 0.0
        for j, c in enumerate(found):
            width = (ends[j // pieces + 1] - ends[j // pieces]) / pieces
            x = ends[j // pieces] + (j % pieces + s) * width
            exact = [value_and_slope(row, first(k), n, one)[0] for one in x]
            off = max(off, np.abs(np.polynomial.polynomial.polyval(s, c) - exact).max())
        errors.append(off)
    # half the pieces, 64 times the error; sharp bends of the velocity curve are not yet resolved
    assert errors[1] / errors[2] > 20.0


def test_pieces_meet_in_value_slope_and_curvature():
    row, _, _ = of(CURVES)
    for k, n in enumerate(SECTIONS):
        ends, c = table_of(row, first(k), n, 64)
        widths = np.repeat(np.diff(ends) / 64, 64)
        end = c.sum(axis=1), c @ np.arange(6) / widths, c @ [0, 0, 2, 6, 12, 20] / widths**2
        start = c[:, 0], c[:, 1] / widths, 2.0 * c[:, 2] / widths**2
        for a, b, size in zip(end, start, (1e-12, 1e-10, 1e-6), strict=True):
            np.testing.assert_allclose(a[:-1], b[1:], atol=size * (1.0 + np.abs(a).max()))


def test_muscles_share_tables_and_other_curves_are_refused():
    model = arm()
    laws = [one.law for one in model.muscles]
    tables, own = tables_of(model.muscles, laws)
    assert tables.n.size == 4 and (own == own[0]).all()
    other = fm.HillLaw(fm.DeGrooteCurves(), tendon="rigid")
    with pytest.raises(fm.ModelError, match="'flexor': law.curves .* must be MillardCurves"):
        tables_of(model.muscles[:1], [other])


def test_a_table_that_falls_where_the_curve_rises_is_refused():
    model = arm()
    with pytest.raises(fm.ModelError, match="force-velocity = .* must rise: its table does not"):
        tables_of(model.muscles[:1], [model.muscles[0].law], 5)
