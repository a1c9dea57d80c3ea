"""Logo, versions and repository, at the head of every page of the site."""

import re
import subprocess

import pytest
from scenes_of_tests import ROOT

pytest.importorskip("jinja2", reason="the site needs sphinx; install the extra docs")

import about
import jinja2

import fibermsk as fm


@pytest.fixture
def clone(tmp_path):
    """A repository with versions, and a project without an address."""
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "one"\n')
    for words in (
        ("init", "-q"),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first", "--allow-empty"),
        *(("tag", name) for name in ("v0.9.0", "v0.10.0", "v1.0", "other", "v2-rc")),
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return tmp_path


def test_versions_are_those_of_the_tags_and_this_one(clone, tmp_path_factory):
    assert about.versions(clone, "1.1.0") == ["1.1.0", "1.0", "0.10.0", "0.9.0"]
    assert about.versions(tmp_path_factory.mktemp("plain"), "1.1.0") == ["1.1.0"]
    assert fm.__version__ in about.versions(ROOT, fm.__version__)


@pytest.mark.parametrize(
    "remote, address",
    [
        ("https://forge.example/a/b.git", "https://forge.example/a/b"),
        ("git@forge.example:a/b.git", "https://forge.example/a/b"),
        ("/home/me/b", ""),
        ("https://me:secret@forge.example/a/b.git", ""),
    ],
)
def test_the_repository_has_a_public_address_or_none(clone, remote, address):
    assert about.repository(clone) == ""
    subprocess.run(["git", "remote", "add", "origin", remote], cwd=clone, check=True)
    assert about.repository(clone) == address
    (clone / "pyproject.toml").write_text(
        '[project.urls]\nRepository = "https://named.example/x"\n'
    )
    assert about.repository(clone) == "https://named.example/x"


def test_other_versions_lie_beside_this_one():
    text = (ROOT / "docs" / "_templates" / "versions.html").read_text(encoding="utf-8")

    def pathto(target, resource):
        assert resource == 1
        return f"../{target}"

    page = jinja2.Template(text).render(release="0.2", versions=["0.2", "0.1"], pathto=pathto)
    assert re.findall(r'href="(.*?)"', page) == ["../../0.1/index.html"]
    assert "<strong>0.2</strong>" in page and "//" not in page


def test_the_logo_is_what_its_script_draws(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "images")
    import make_logo

    monkeypatch.setattr(make_logo, "HERE", tmp_path)
    make_logo.main()
    drawn = (ROOT / "docs" / "images" / "logo.svg").read_text(encoding="utf-8")
    assert (tmp_path / "logo.svg").read_text(encoding="utf-8") == drawn
    conf = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    assert 'html_logo = html_favicon = "images/logo.svg"' in conf
