"""Warnings about a model reach the JSON of a command whatever the filters of Python are."""

import warnings

import pytest

from fibermsk.cli.warned import collecting
from fibermsk.errors import ModelWarning


def _refuse() -> None:
    for _ in range(2):
        warnings.warn(ModelWarning("muscle a", kind="refused", fiber="a"), stacklevel=1)


@pytest.mark.parametrize("action, shown", [("ignore", 0), ("default", 1), ("always", 2)])
def test_filters_only_decide_what_is_shown(action, shown):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter(action)
        with collecting() as kept:
            _refuse()
    assert {(one["kind"], one["fiber"]) for one in kept} == {("refused", "a")}
    assert len(told) == shown


def test_errors_stay_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ModelWarning, match="muscle a"), collecting():
            _refuse()
