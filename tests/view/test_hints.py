"""What to install where a package is missing: the package is on no index yet, only in clones."""

import sys

import pytest
from make_result import make_result

from fibermsk.errors import ModelError


def test_missing_packages_of_labelled_tables(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModelError, match=r"pandas.*in the clone.*pip install -e \"\.\[data\]"):
        make_result().to_dataframe()
