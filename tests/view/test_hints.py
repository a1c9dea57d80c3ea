"""What to install where a package is missing: the package is on no index yet, only in clones."""

import sys

import pytest
from make_result import make_result

from fibermsk.errors import ModelError
from fibermsk.view import web


def test_missing_packages_of_the_browser_viewer(monkeypatch):
    monkeypatch.setattr(web, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"trame.*, .* are not.*clone.*pip install -e \"\.\[web\]"):
        web._check_packages()
    monkeypatch.setattr(web, "find_spec", lambda name: None if name == "trame" else object())
    with pytest.raises(ModelError, match="needs trame, which is not installed"):
        web._check_packages()


def test_missing_packages_of_labelled_tables(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModelError, match=r"pandas.*in the clone.*pip install -e \"\.\[data\]"):
        make_result().to_dataframe()
