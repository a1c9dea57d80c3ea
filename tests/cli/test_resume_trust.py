"""What a checkpoint may make `fibermsk resume` do: nothing that its user has not said."""

import importlib.util
import json
import os
import py_compile
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from same_results import contents
from swing import CHECKPOINT, OUT, SCENE
from test_resume import refused
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.cli.main import app
from fibermsk.cli.running import job as jobs, seal
from fibermsk.cli.running.job import digest
from fibermsk.io import load, load_checkpoint, save_checkpoint

EVIL = f"{SCENE}\n\nopen('ran', 'w').close()\n"
RAN = Path("ran")


@pytest.fixture
def interrupted(cli, swing_file, stopped):
    """A run that was stopped, whose rest would not stop."""
    assert cli("run", swing_file, "--checkpoint-every", "1000").exit_code == 130
    stopped.after = float("inf")
    return swing_file


def forge(**changes):
    """Write a checkpoint as anyone can, from one that was found."""
    taken = load_checkpoint(CHECKPOINT)
    save_checkpoint(replace(taken, job={**taken.job, **changes}), CHECKPOINT)


def not_own(monkeypatch, tmp_path):
    """Look at it as another user, or on another machine."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))


def shown_command(words):
    return shlex.split(words.replace("\n", " ").partition("if you trust its contents: ")[2])


def test_forged_scene_is_not_run(cli, interrupted, tmp_path):
    evil = tmp_path / "evil.py"
    evil.write_text(EVIL)
    # all digests fit, and the name is a good one
    forge(scene=str(evil), source=digest(evil))
    message = f"cannot resume {CHECKPOINT}: it was not written by your own run on this machine"
    refused(cli, message, CHECKPOINT)
    assert "must be specified: --scene, --out" in cli("resume", CHECKPOINT).stderr
    refused(cli, "must be specified: --scene", CHECKPOINT, "--out", "x.h5")
    assert not RAN.exists() and load(OUT).status == "interrupted"


@pytest.mark.parametrize("replaced", [True, False])
def test_forged_output_is_not_written(cli, interrupted, tmp_path, replaced):
    victim = tmp_path / "victim.h5"
    if replaced:
        victim.write_text("mine")
    forge(out=str(victim), before=digest(victim))
    refused(cli, "must be specified: --scene, --out", CHECKPOINT)
    refused(cli, "must be specified: --out", CHECKPOINT, "--scene", interrupted)
    assert victim.exists() == replaced and not (replaced and victim.read_text() != "mine")


def test_forged_function_is_not_called(cli, interrupted):
    """Any function that the file imports could be meant, with any arguments."""
    text = SCENE.replace("import os\n", "import os\nfrom os import mkdir\n")
    interrupted.write_text(text)
    forge(function="mkdir", settings=["path=made"], parameters={"path": "made"})
    given = "--scene", interrupted, "--out", "x.h5", "--set", "path=made"
    refused(cli, "has no parameter 'path'", CHECKPOINT, *given)
    assert not Path("made").exists()


def test_forged_settings_are_not_taken(cli, interrupted):
    forge(settings=["steps=40", "level=0.9"], parameters={"steps": 40, "level": 0.9})
    given = "--scene", interrupted, "--out", "x.h5"
    refused(cli, "must be specified: --set", CHECKPOINT, *given)
    refused(
        cli,
        "level of scene 'swing' was 0.9 and is now 0.3",
        CHECKPOINT,
        *given,
        "--set",
        "steps=40",
    )
    assert not Path("x.h5").exists()


def test_any_change_of_a_job_is_noticed():
    job = jobs.make_job(Path("x.h5"), **{name: "a" for name in ("scene", "function", "source")})
    job = json.loads(json.dumps(job))
    assert seal.is_sealed(job) and seal.is_sealed({**job, "start": "equilibrium"})
    assert not seal.is_sealed({**job, "more": "b"})
    for name in job:
        assert not seal.is_sealed({**job, name: "b"}), name
        assert not seal.is_sealed({key: value for key, value in job.items() if key != name})
    for mark in ("", None, 3, "é", "0" * 64, job["seal"][:-1], job["seal"].upper() + " "):
        assert not seal.is_sealed({**job, "seal": mark})


def test_a_changed_scene_is_not_run_unless_named(cli, interrupted):
    interrupted.write_text(EVIL)
    refused(cli, f"scene file {interrupted} has changed since the checkpoint", CHECKPOINT)
    assert not RAN.exists() and CHECKPOINT.exists()
    with pytest.warns(fm.ModelWarning, match="is not that of the checkpoint, or has changed"):
        assert cli("resume", CHECKPOINT, "--scene", interrupted).exit_code == 0
    assert RAN.exists() and load(OUT).status == "success"


def test_compiled_file_beside_the_scene_is_not_run(cli, interrupted):
    """A cache that fits by time and size is as good as the file itself for Python."""
    evil = interrupted.with_name("evil.py")
    evil.write_text("open('ran', 'w').close()\n" + "#" * 100)
    cache = Path(importlib.util.cache_from_source(str(interrupted)))
    cache.parent.mkdir(exist_ok=True)
    py_compile.compile(str(evil), str(cache), doraise=True)
    at = interrupted.stat()
    data = bytearray(cache.read_bytes())
    data[8:16] = int(at.st_mtime).to_bytes(4, "little") + at.st_size.to_bytes(4, "little")
    cache.write_bytes(data)
    assert cli("resume", CHECKPOINT).exit_code == 0
    assert not RAN.exists() and load(OUT).status == "success"


def test_output_that_is_no_result_of_the_run_needs_a_word(cli, interrupted):
    there = OUT.read_bytes()
    OUT.write_text("a letter")
    message = f"cannot resume {CHECKPOINT}: {OUT} is not a result of this run"
    refused(cli, message, CHECKPOINT)
    assert OUT.read_text() == "a letter"
    # gone, or as it was: one command
    OUT.write_bytes(there)
    before = CHECKPOINT.read_bytes()
    assert cli("resume", CHECKPOINT).exit_code == 0
    CHECKPOINT.write_bytes(before)
    refused(cli, f"to replace it give --out {OUT}", CHECKPOINT)
    OUT.unlink()
    assert cli("resume", CHECKPOINT).exit_code == 0
    CHECKPOINT.write_bytes(before)
    assert cli("resume", CHECKPOINT, "--out", OUT).exit_code == 0


def test_output_that_the_run_was_to_replace(cli, swing_file, stopped, monkeypatch):
    """A killed run has left the earlier result there, and its checkpoint."""
    stopped.after = float("inf")
    assert cli("run", swing_file, "--set", "steps=10").exit_code == 0
    earlier = OUT.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("fibermsk.cli.running.computing.note_result", lambda *_: None)
        stopped.after = 7
        cli("run", swing_file, "--checkpoint-every", "1000", "--overwrite")
    stopped.after = float("inf")
    refused(cli, "is not a result of this run", CHECKPOINT)
    OUT.write_bytes(earlier)
    assert cli("resume", CHECKPOINT).exit_code == 0 and load(OUT).time.size == 41


def test_a_resumed_run_replaces_the_complete_result_that_was_kept(cli, swing_file, stopped):
    stopped.after = float("inf")
    assert cli("run", swing_file, "--set", "steps=10").exit_code == 0
    earlier = OUT.read_bytes()
    stopped.after = 7
    told = cli("run", swing_file, "--checkpoint-every", "1000")
    assert OUT.read_bytes() == earlier and load("results/swing.partial.h5").time.size < 41
    assert f"the complete result in {OUT} is kept" in told.stderr
    stopped.after = float("inf")
    assert cli("resume", CHECKPOINT).exit_code == 0 and load(OUT).time.size == 41
    # nothing stale is left
    assert sorted(Path("results").iterdir()) == [OUT]


def test_a_second_run_from_the_start_removes_what_the_first_has_left(cli, swing_file, stopped):
    stopped.after = float("inf")
    assert cli("run", swing_file).exit_code == 0
    stopped.after = 7
    cli("run", swing_file, "--checkpoint-every", "1000")
    stopped.after = float("inf")
    assert cli("run", swing_file).exit_code == 0
    assert sorted(Path("results").iterdir()) == [OUT]


@pytest.mark.parametrize("change", ["other", "forged"])
def test_first_frames_are_removed_only_as_they_were_noted(cli, swing_file, stopped, change):
    stopped.after = float("inf")
    assert cli("run", swing_file, "--set", "steps=10").exit_code == 0
    stopped.after = 7
    cli("run", swing_file, "--checkpoint-every", "1000")
    stopped.after = float("inf")
    words = []
    precious = Path("results/swing.partial.h5")
    if change == "other":
        precious.write_text("a letter")
    else:
        precious = Path("precious")
        precious.write_text("a letter")
        noted = [str(precious.absolute()), jobs.digest(precious)]
        forge(partial=noted)
        words = ["--scene", swing_file, "--out", OUT]
    assert cli("resume", CHECKPOINT, *words).exit_code == 0
    assert precious.read_text() == "a letter"


def test_checkpoint_of_an_earlier_run_does_not_get_the_later_result(cli, interrupted, stopped):
    """A run that fails before its own first checkpoint leaves the other one as it was."""
    before = CHECKPOINT.read_bytes()
    jobs.note_result(CHECKPOINT, {"run": "another"}, OUT)
    assert CHECKPOINT.read_bytes() == before


def test_words_that_are_shown_are_enough(cli, interrupted, monkeypatch, tmp_path):
    """On another machine all is to be said, and the message says how."""
    not_own(monkeypatch, tmp_path)
    done = cli("resume", CHECKPOINT)
    assert done.exit_code == 2
    command = shlex.split(
        done.stderr.replace("\n", " ").partition("if you trust its contents: ")[2]
    )
    assert command[:3] == ["fibermsk", "resume", str(CHECKPOINT)]
    assert command[3:] == ["--scene", str(interrupted), "--out", str(OUT.absolute())]
    assert " ".join(command) in cli("info", CHECKPOINT).stdout
    assert cli(*command[1:]).exit_code == 0
    continued = contents(OUT)
    assert cli("run", interrupted).exit_code == 0 and contents(OUT) == continued


def test_settings_are_among_the_words(cli, swing_file, stopped, monkeypatch, tmp_path):
    run = ["run", swing_file, "--checkpoint-every", "1000", "--set", "steps=20", "scale=2,1"]
    cli(*run, "--param", "rod/mass=1.5", "f/*/muscle/viscosity=400")
    not_own(monkeypatch, tmp_path)
    stopped.after = float("inf")
    done = cli("resume", CHECKPOINT)
    assert "must be specified: --scene, --out, --set, --param;" in done.stderr
    command = shlex.split(
        done.stderr.replace("\n", " ").partition("if you trust its contents: ")[2]
    )
    assert command[-6:-3] == ["--set", "steps=20", "scale=2,1"]
    assert command[-3:] == ["--param", "rod/mass=1.5", "f/*/muscle/viscosity=400"]
    # interrupted again, it is this user's run from then on
    stopped.after = 13
    assert cli(*command[1:]).exit_code == 130
    stopped.after = float("inf")
    assert cli("resume", CHECKPOINT).exit_code == 0 and load(OUT).time.size == 21


def test_scenes_of_the_package_are_safe_by_name(cli, interrupted, monkeypatch, tmp_path):
    not_own(monkeypatch, tmp_path)
    forge(scene="contracting_fiber", settings=[], numbers=[], function="open")
    words = "must be specified: --out;"
    refused(cli, words, CHECKPOINT)
    # a file of that name in this folder is not the scene
    Path("contracting_fiber.py").write_text(EVIL)
    refused(cli, "must be specified: --out;", CHECKPOINT)
    refused(cli, "contracting_fiber.py has changed since", CHECKPOINT, "--out", "x.h5")
    assert not RAN.exists()


def test_moved_scene_is_named(cli, interrupted, tmp_path):
    moved = tmp_path / "deeper" / "swing.py"
    moved.parent.mkdir()
    interrupted.rename(moved)
    refused(cli, f"there is no scene file {interrupted}", CHECKPOINT)
    assert cli("resume", CHECKPOINT, "--scene", moved).exit_code == 0


def test_control_characters_of_a_forged_file_do_not_reach_the_terminal(cli, interrupted):
    forge(scene="\x1b[2Jevil.py", out="a\nb")
    for command in ("resume", "info"):
        # as a terminal would get it
        done = CliRunner().invoke(app, [command, str(CHECKPOINT)], color=True)
        assert "evil.py" in done.output and "\x1b" not in done.output, command


def test_damaged_jobs_are_refused(cli, interrupted):
    taken = load_checkpoint(CHECKPOINT)
    for name, kind in jobs._KINDS.items():
        wrong = [value for value in ([3], {"a": 1}, 3, "x", None) if not isinstance(value, kind)]
        damaged = [{**taken.job, name: value} for value in wrong]
        damaged += [{k: v for k, v in taken.job.items() if k != name}]
        for job in damaged:
            save_checkpoint(replace(taken, job=job), CHECKPOINT)
            said = "a script wrote it" if "scene" not in job else f"its entry '{name}' is missing"
            refused(cli, f"cannot resume {CHECKPOINT}: {said}", CHECKPOINT)
    save_checkpoint(replace(taken, job={**taken.job, "settings": [3]}), CHECKPOINT)
    refused(cli, "its settings are not texts", CHECKPOINT)
    save_checkpoint(replace(taken, job={**taken.job, "numbers": [3]}), CHECKPOINT)
    refused(cli, "its settings are not texts", CHECKPOINT)


posix = pytest.mark.skipif(os.name != "posix", reason="rights of files as in POSIX")


@posix
def test_key_is_private_and_stays(cli, interrupted, own_state):
    key = own_state / "fibermsk" / "key"
    assert key.stat().st_mode & 0o777 == 0o600 and key.parent.stat().st_mode & 0o077 == 0
    assert [path.name for path in key.parent.iterdir()] == ["key"]
    content, job = key.read_bytes(), load_checkpoint(CHECKPOINT).job
    assert seal.is_sealed(job) and seal.sealed(job)["seal"] == job["seal"]
    try:
        # whoever can read it could have made the mark
        for path, mode in ((key, 0o644), (key.parent, 0o755)):
            kept = path.stat().st_mode
            path.chmod(mode)
            assert not seal.is_sealed(job)
            path.chmod(kept)
        key.write_bytes(content[:-1])
        assert not seal.is_sealed(job)
        key.unlink()
        key.symlink_to(own_state / "elsewhere")
        (own_state / "elsewhere").write_bytes(content)
        (own_state / "elsewhere").chmod(0o600)
        assert not seal.is_sealed(job)
    finally:
        key.unlink()
        key.write_bytes(content)
        key.chmod(0o600)
    assert seal.is_sealed(job)


def test_home_that_cannot_be_written(cli, swing_file, stopped, monkeypatch, tmp_path):
    """A key is kept with the temporary files; where that fails too, the run says what it costs."""
    taken = tmp_path / "taken"
    taken.write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(taken))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    assert cli("run", swing_file, "--checkpoint-every", "1000").exit_code == 130
    assert seal.is_sealed(load_checkpoint(CHECKPOINT).job)
    monkeypatch.setattr(seal.tempfile, "gettempdir", lambda: str(taken))
    done = cli("run", swing_file, "--checkpoint-every", "1000")
    assert "cannot store a private key in your home folder: fibermsk resume will ask" in done.stderr
    assert f"fibermsk resume {CHECKPOINT} --scene {swing_file} --out" in done.stderr
    stopped.after = float("inf")
    refused(cli, "must be specified: --scene, --out;", CHECKPOINT)
    assert cli("resume", CHECKPOINT, "--scene", swing_file, "--out", OUT).exit_code == 0


def test_scene_that_was_just_rewritten_is_the_new_one(swing_file, monkeypatch):
    """Within a second and with as many characters, which a cache of Python takes for the same."""
    from fibermsk.scene_files import find

    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    at = swing_file.stat()
    for number in "123":
        swing_file.write_text(f"{SCENE}\nNUMBER = {number}\n")
        os.utime(swing_file, (at.st_atime, at.st_mtime))
        module = sys.modules[find(str(swing_file)).function.__module__]
        assert int(number) == module.NUMBER
