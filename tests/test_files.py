"""Files that are replaced as a whole, alone or together, and through links."""

import os
from pathlib import Path

import pytest
from make_result import make_result

import fibermsk as fm
from fibermsk import files
from fibermsk.files import replacing, replacing_all


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def linked(tmp_path):
    """A link in one folder to a file in another."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    link, target = tmp_path / "here" / "link.csv", tmp_path / "there" / "real.csv"
    link.symlink_to(Path("..") / "there" / "real.csv")
    return link, target


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_its_target_is_written(linked, there):
    link, target = linked
    if there:
        target.write_text("old")
    with replacing(link) as beside:
        # on the file system of the target, where a move is possible
        assert beside.parent == target.parent
        beside.write_text("new")
    assert link.is_symlink() and target.read_text() == "new"
    assert names(link.parent) == ["link.csv"] and names(target.parent) == ["real.csv"]


def test_links_of_links_and_folders_that_are_links(linked, tmp_path):
    link, target = linked
    (tmp_path / "folder").symlink_to(link.parent)
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "link.csv")
    with replacing(tmp_path / "link") as beside:
        beside.write_text("new")
    assert target.read_text() == "new" and link.is_symlink() and (tmp_path / "link").is_symlink()


def test_links_in_a_circle_are_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(fm.ModelError, match="cannot write .*a: .*link in a cycle; remove it"):
        with replacing(tmp_path / "a") as beside:
            beside.write_text("new")
    assert names(tmp_path) == ["a", "b"]


def test_result_and_export_through_links(linked, tmp_path):
    link, target = linked
    fm.save(make_result(), link)
    assert link.is_symlink() and fm.load(target).status == "success"
    outside = tmp_path / "there" / "times.csv"
    (tmp_path / "here" / "run_time.csv").symlink_to(outside)
    fm.export(make_result(), tmp_path / "here" / "run.csv")
    assert (tmp_path / "here" / "run_time.csv").is_symlink() and outside.read_text()


def test_two_names_of_one_file_are_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    with pytest.raises(fm.ModelError, match="links to the same file"):
        with replacing_all([tmp_path / "a", tmp_path / "b"]):
            pass


OLD = {"run_time.csv": "old times", "run_nodes.csv": "old nodes"}


@pytest.fixture
def folder(tmp_path):
    for name, text in OLD.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def left(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize("number", range(4))
def test_export_whose_writing_fails_leaves_nothing(folder, monkeypatch, number):
    """On whichever of the files of a table the disk is full."""
    from fibermsk.io import csv as tables

    write, calls = tables._write, []

    def full(result, what, step, path, done):
        calls.append(what)
        write(result, what, step, path, done)
        if len(calls) == number + 1:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(tables, "_write", full)
    with pytest.raises(fm.ModelError, match=r"cannot write .*run_\w+.csv: No space left"):
        fm.export(make_result(), folder / "run.csv")
    assert left(folder) == OLD


@pytest.mark.parametrize("linking", [True, False])
@pytest.mark.parametrize("number", range(4))
def test_export_whose_moving_fails_leaves_what_was_there(folder, monkeypatch, number, linking):
    """As in a folder where a file of another user must not be replaced."""
    replace, moved = os.replace, []

    def refusing(source, target):
        if len(moved) == number:
            moved.append(target)
            raise PermissionError(1, "Operation not permitted")
        moved.append(target)
        replace(source, target)

    def one_name(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(files.os, "replace", refusing)
    if not linking:
        monkeypatch.setattr(files.os, "link", one_name)
    with pytest.raises(fm.ModelError, match=r"cannot write .*not permitted.*are unchanged"):
        fm.export(make_result(), folder / "run.csv")
    assert left(folder) == OLD


def test_interrupted_export_leaves_nothing(folder):
    def stop(path, part):
        if path.name == "run_nodes.csv":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fm.export(make_result(), folder / "run.csv", report=stop)
    assert left(folder) == OLD


def test_whole_export_replaces_all(folder):
    written = fm.export(make_result(), folder / "run.csv")
    assert names(folder) == sorted(path.name for path in written) and len(written) == 4
    assert not set(left(folder).values()) & set(OLD.values())
