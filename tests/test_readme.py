"""The README's script is a test."""

import re

from scenes_of_tests import ROOT

import fibermsk as fm


def test_the_readme_script_runs(tmp_path, monkeypatch, capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(script, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("success 54.")
    assert fm.load("limb.h5").time[-1] == 8.0
