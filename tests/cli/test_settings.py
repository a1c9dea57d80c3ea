import inspect
from pathlib import Path
from typing import Literal

import pytest

from fibermsk.cli.options import parse_numbers, parse_settings
from fibermsk.errors import ModelError


def values(function, *settings):
    return parse_settings(settings, inspect.signature(function).parameters, "scene 'x'")


def test_values_take_the_annotated_type():
    def scene(
        n: int = 1,
        x: float = 1,
        on: bool = False,
        name: str = "a",
        file: Path = Path("a"),
        size: int | None = None,
        kind: Literal["fast", "slow"] = "fast",
        point: tuple[float, float, float] = (0.0, 0.0, 0.0),
        many: list[int] = [],  # noqa: B006
    ): ...

    found = values(
        scene,
        "n=3",
        "x=1e-3",
        "on=yes",
        "name=007",
        "file=b/c",
        "size=none",
        "kind=slow",
        "point=1,2,3.5",
        "many=1, 2",
    )
    assert found == {
        "n": 3,
        "x": 1e-3,
        "on": True,
        "name": "007",
        "file": Path("b/c"),
        "size": None,
        "kind": "slow",
        "point": (1.0, 2.0, 3.5),
        "many": [1, 2],
    }
    assert values(scene, "size=4", "size=5")["size"] == 5
    for bad in ("kind=medium", "point=1,2", "many=1,x", "size=big", "x=nan"):
        with pytest.raises(ModelError, match=bad.partition("=")[0]):
            values(scene, bad)


def test_values_take_the_type_of_the_default_where_there_is_no_annotation():
    def scene(n=1, x=1.0, on=True, name="a", anything=None): ...

    found = values(scene, "n=2", "x=2", "on=0", "name=b", "anything=[1, 2]")
    assert found == {"n": 2, "x": 2.0, "on": False, "name": "b", "anything": [1, 2]}
    assert isinstance(found["x"], float)
    with pytest.raises(ModelError, match="n = '2.0'; must be a whole number"):
        values(scene, "n=2.0")


def test_numbers_by_path():
    found = parse_numbers(["forearm/mass=1.5", "*/tissue/density=1e3", "forearm/com=0,0,-0.1"])
    assert found == {
        "forearm/mass": 1.5, "*/tissue/density": 1e3, "forearm/com": [0.0, 0.0, -0.1]
    }  # fmt: skip
    for texts, words in (
        (["forearm/mass"], "must be path=value without spaces"),
        (["=3"], "must be path=value"),
        (["a/b="], "a/b: has no value; must be a number, or several"),
        (["a/b=x"], "a/b = 'x'; must be a finite number"),
        (["a/b=(1,2"], "a/b = '.1'; must be a finite number"),
        (["a/b=nan"], "a/b = 'nan'; must be a finite number"),
        (["a/b=1", "a/b=2"], "a/b: given twice"),
    ):
        with pytest.raises(ModelError, match=words):
            parse_numbers(texts)
