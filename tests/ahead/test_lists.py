"""Lists of what a first run compiles: they are of this package, and read as they were written."""

import numba
import pytest
from numba.core import types

import fibermsk as fm
from fibermsk._prepared import PackedType, PreparedType
from fibermsk.ahead import listed
from fibermsk.ahead.kinds import kinds_of
from fibermsk.ahead.listed import FOLDER, Needs, functions_for
from fibermsk.ahead.schedule import Schedule
from fibermsk.ahead.types import Names, UnknownType
from fibermsk.kernels.fibers.cable import CableArrays

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

LISTS = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_all_that_a_list_has_is_in_the_package(path):
    """With as many arguments, and fields of named tuples: `.ci/listed` writes it anew."""
    needs = listed.read(path)
    found, left = listed.find(needs)
    assert left == [] and len(found) == len(needs.lines) > 50


def test_the_list_of_a_scene_is_found_by_its_parts():
    kinds = kinds_of(fm.make_scene("upper_limb").model)
    assert listed.read(FOLDER / "upper_limb.txt").kinds == kinds
    functions = functions_for(kinds)
    assert len(functions) > 150
    # part of them are called by others, which come later
    called = {id(callee) for one in functions for callee in one.callees}
    assert 30 < len(functions) - len(called) < 100
    assert functions_for(frozenset({"joints"})) == []


KINDS = [
    types.float64, types.int64, types.boolean,
    types.Array(types.float64, 2, "C"), types.Array(types.int64, 1, "A", readonly=True),
    types.literal(3), types.literal(False), types.UniTuple(types.float64, 9),
    types.Tuple((types.int64, types.UniTuple(types.float64, 2))),
    types.NamedTuple([types.Array(types.int64, 2, "C"), *[types.float64] * 8], CableArrays),
    types.NamedTuple([types.Array(types.int64, 1, "C"), *[types.float64] * 8], CableArrays),
    types.NamedUniTuple(types.float64, 9, CableArrays),
]  # fmt: skip


def test_types_are_read_as_they_were_written():
    written = Names()
    text = " ".join(written.text(kind) for kind in KINDS)
    assert list(written.defined) == ["CableArrays", "CableArrays.2", "CableArrays.3"]
    read = Names()
    for name, definition in written.defined.items():
        read.define(name, definition)
    assert list(read.kinds(text)) == KINDS


def test_prepared_kernels_are_read_as_they_were_written():
    pair = types.UniTuple(types.float64, 2)
    known = PreparedType(pair, (types.float64, KINDS[3], KINDS[-1]), (1,))
    kinds = [known, PackedType(KINDS[-3]), PreparedType(types.none, (types.boolean,), ()), known]
    written, read = Names(), Names()
    text = " ".join(map(written.text, kinds))
    for name, definition in written.defined.items():
        read.define(name, definition)
    assert list(read.kinds(text)) == kinds
    assert read.kinds(text)[0] != PreparedType(pair, known.arguments, (0,))


@pytest.mark.parametrize("text", ["f9", "f8.2X", "(f8", "Nowhere", "=x", "f8.2C)"])
def test_what_is_no_type_is_refused(text):
    with pytest.raises(UnknownType):
        Names().kinds(text)


@pytest.mark.parametrize(
    "definition", ["fibermsk.nowhere.Cable(f8)", "fibermsk.kernels.fibers.cable.CableArrays(f8)"]
)
def test_named_tuples_of_another_version_are_refused(definition):
    with pytest.raises(UnknownType):
        Names().define("CableArrays", definition)


STALE = (
    "fibermsk.linalg.rows.gone f8",
    "fibermsk.nowhere.multiply_rows f8",
    "fibermsk.linalg.rows.multiply_rows f8.2C i8",
    "fibermsk.linalg.krylov.gmres f8 f8 f8 f8",
)
GOOD = "fibermsk.linalg.rows.multiply_rows f8.2C i8 f8.1C f8.1C"


def test_what_is_no_longer_there_is_left_out(tmp_path):
    needs = Needs(frozenset({"rows"}), {}, (*STALE, GOOD))
    needs.write(tmp_path / "rows.txt")
    assert listed.read(tmp_path / "rows.txt") == needs
    assert len(listed.find(needs)[1]) == len(STALE)
    (one,) = functions_for(frozenset({"rows", "more"}), tmp_path)
    assert one.function.py_func.__name__ == "multiply_rows" and len(one.types) == 4


def test_functions_are_given_out_after_their_callees():
    functions = functions_for(kinds_of(fm.make_scene("upper_limb").model))
    schedule, done, given = Schedule(functions), set(), []
    assert schedule.total == len(functions)
    while not schedule.is_over:
        # two at a time, as two processes take them; the first is left to others once
        pair = [one for one in (schedule.take(0.0), schedule.take(0.0)) if one is not None]
        if not given:
            schedule.give_back(pair[0])
            given.append(pair.pop(0))
        for one in pair:
            assert all(id(callee) in done for callee in one.callees)
        for one in pair:
            schedule.finish(one)
            done.add(id(one))
    assert len(done) == schedule.done == len(functions) and id(given[0]) in done
    assert schedule.take(0.0) is None
