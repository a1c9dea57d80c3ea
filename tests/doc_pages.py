"""Pages of the documentation as programs: their blocks in order, and what runs them.

A visible comment right above a block says what is special about it:

    <!-- needs arm26.osim -->       a file of models published by others (its meshes come along)
    <!-- needs display -->          opens a window; not run
    <!-- not run: reason -->        not run, for a reason of three words or more
    <!-- slow -->                   the page runs with the slow tests
    <!-- tested with: steps=20 -->  the tests add these settings to its `fibermsk run`; all scenes
                                    run as printed in test_scenes_more.py, anatomy/test_arm26.py
    <!-- file: my_scene.py -->      is written to a file of this name, and not run by itself
    <!-- fails -->                  must end with an error (a ModelError, or an exit status)
    <!-- output -->                 a text block: what the block before prints, numbers to 1 %,
                                    `...` for anything
"""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import shlex
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from scenes_of_tests import ROOT
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.cli.main import app
from fibermsk.scene_files import list_files

RUN, SHELL, TEXT = {"python"}, {"sh"}, {"text", "json", "toml", "xml", "powershell"}
MARKS = ("needs", "not run", "slow", "tested with", "file", "fails", "output")
# Commands that no page runs, and why.
BY_RULE = {
    "pip": "installs",
    "python -m": "installs or serves",
    "source": "enters an environment",
    "git": "fetches from elsewhere",
    "cd": "goes to where the reader's files are",
    "pytest": "these are the tests",
    "sphinx-build": "its own step of the checks",
    "fibermsk bench": "minutes; tests/bench",
    "fibermsk view (window)": "opens a window; tests/view",
    "fibermsk view --web": "serves until it is stopped; tests/view",
    "fibermsk verify (all)": "minutes; tests/verification",
}


@dataclass(frozen=True)
class Block:
    """A fenced block: language, text, line of its first line, and marks."""

    page: str
    language: str
    code: str
    line: int
    marks: dict[str, str]

    def __str__(self):
        return f"{self.page}:{self.line}"

    @property
    def runs(self):
        """Whether it is run at all."""
        return "not run" not in self.marks and self.marks.get("needs") != "display"


def pages():
    """All pages: the README, and those of docs/ that are written by hand."""
    found = [path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md")]
    own = [path for path in found if path.parts[1] not in ("_build", "generated")]
    return ["README.md", *sorted(path.as_posix() for path in own)]


def read(page):
    """Blocks of a page of the repository."""
    return blocks((ROOT / page).read_text(encoding="utf-8"), page)


def blocks(text, page="page.md"):
    """Fenced blocks of a text, directives left out."""
    found, marks, fence, head = [], {}, None, None
    for number, line in enumerate(text.splitlines(), start=1):
        if fence is not None:
            if line.strip() == fence:
                if not head[0].startswith("{"):
                    found.append(Block(page, head[0], "\n".join(head[2]) + "\n", head[1], marks))
                fence, marks = None, {}
            else:
                head[2].append(line)
        elif re.match(r"\s*(~{3,}|`{3,}\s*\{code)", line):
            raise ValueError(
                f"{page}:{number}: a block that would not be run; use ```python or ```sh"
            )
        elif match := re.match(r"\s*(`{3,})\s*(\S*)", line):
            fence, head = match[1], (match[2], number + 1, [])
        elif match := re.fullmatch(r"\s*<!-- ([\w ]+?)(?:: (.*?)|(?<=needs) (\S+))? -->", line):
            key, value = match[1], match[2] or match[3] or ""
            if key.startswith("needs "):
                key, value = key.split(" ", 1)
            marks = {**marks, key: value}
        else:
            marks = {}
    if fence is not None:
        raise ValueError(f"{page}: the block of line {head[1] - 1} does not end")
    return found


def commands(code):
    """Commands of a shell block: without comments, joined lines, split at `&&`."""
    lines = re.sub(r"\\\n\s*", "", code).splitlines()
    for line in lines:
        words = shlex.split(line, comments=True)
        while words:
            end = words.index("&&") if "&&" in words else len(words)
            if words[:end]:
                yield words[:end]
            words = words[end + 1 :]


def rule(words):
    """The rule by which a command is not run, or None."""
    first = words[0]
    if first == "python":
        return "python -m" if words[1] == "-m" else None
    if first == "fibermsk":
        options = [word for word in words if word.startswith("--")]
        if words[1] == "bench":
            return "fibermsk bench"
        if words[1] == "view" and "--web" in options:
            return "fibermsk view --web"
        if words[1] == "view" and not {"--picture", "--movie", "--html"} & set(options):
            return "fibermsk view (window)"
        if words[1] == "verify" and (len(words) == 2 or words[2].startswith("-")):
            return "fibermsk verify (all)"
        return None
    if first in BY_RULE:
        return first
    raise ValueError(f"{shlex.join(words)}: nothing runs this command, and no rule exempts it")


class Reader:
    """Somebody who types a page's blocks, in order, in one folder and one Python session."""

    computed: dict = {}  # runs of the package's scenes, shared by all pages

    def __init__(self, folder):
        self.folder = Path(folder)
        self.names = {"__name__": "page", "fm": fm}
        self.printed = ""
        self.all_printed = ""

    def follow(self, block):
        """Do what a block says."""
        if block.language in TEXT:
            if "output" in block.marks:
                compare(block, self.printed)
            return
        if name := block.marks.get("file"):
            (self.folder / name).write_text(block.code, encoding="utf-8")
            return
        out = io.StringIO()
        with contextlib.chdir(self.folder):
            if block.language in RUN:
                self._python(block, out)
            else:
                self._shell(block, out)
        self.printed = out.getvalue()
        self.all_printed += self.printed

    def _python(self, block, out):
        text = "\n" * (block.line - 1) + block.code
        code = compile(text, block.page, "exec", dont_inherit=True)
        with contextlib.redirect_stdout(out), self._modules_of_the_folder():
            if "fails" not in block.marks:
                exec(code, self.names)
                return
            try:
                exec(code, self.names)
            except (fm.ModelError, fm.ConvergenceError) as error:
                print(f"{type(error).__name__}: {error}")
            else:
                raise AssertionError(f"{block} must fail, and does not")

    @contextlib.contextmanager
    def _modules_of_the_folder(self):
        """Import what lies in the folder, as an interpreter started there does."""
        with pytest.MonkeyPatch.context() as changed:
            changed.syspath_prepend(self.folder)
            for file in self.folder.glob("*.py"):
                changed.delitem(sys.modules, file.stem, raising=False)
            yield

    def _shell(self, block, out):
        for words in commands(block.code):
            if rule(words) is not None:
                check_words(words)
                continue
            more = block.marks.get("tested with", "")
            if more and words[1] == "run":
                words = [*words, "--set", *more.split()]
            status, text = self._command(words)
            out.write(text)
            failed = "fails" in block.marks
            assert (status != 0) == failed, f"{block}: {shlex.join(words)}: {status}\n{text}"

    def _command(self, words):
        """Exit status and output of a command, each run of a scene of the package done once."""
        named = {path.stem for path in list_files("scenes")}
        values = [word.rpartition("=")[2] for word in words[3:]]
        if words[1] != "run" or words[2] not in named or any(Path(v).exists() for v in values):
            return _execute(words)
        key = tuple(words)
        if key not in self.computed:
            folder = tempfile.TemporaryDirectory(prefix="page")  # until the process ends
            with contextlib.chdir(folder.name):
                self.computed[key] = (folder, *_execute(words))
        folder, status, text = self.computed[key]
        shutil.copytree(folder.name, self.folder, dirs_exist_ok=True)
        return status, text


def check_words(words):
    """Refuse what a command that is not run does not take, and results that no page has made."""
    if words[0] != "fibermsk":
        return
    command = typer.main.get_command(app).commands[words[1]]
    try:
        command.make_context(words[1], list(words[2:]))
    except Exception as error:
        raise AssertionError(f"{shlex.join(words)}: {error}") from error
    for word in words[2:]:
        if words[1] == "view" and word.endswith(".h5"):
            assert Path(word).exists(), f"{shlex.join(words)}: there is no {word}"


def _execute(words):
    if words[0] == "python":
        return _script(words[1:])
    done = CliRunner().invoke(app, words[1:])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def _script(words):
    """`python FILE ...`, in this process."""
    out, before, path = io.StringIO(), sys.argv, list(sys.path)
    sys.argv = list(words)
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as end:
        return int(end.code or 0), out.getvalue()
    finally:
        sys.argv, sys.path[:] = before, path
    return 0, out.getvalue()


def compare(block, printed):
    """Compare what a page says is printed with what is, line by line in order."""
    lines = iter(printed.splitlines())
    for wanted in block.code.splitlines():
        if wanted.strip() in ("", "..."):
            continue
        if not any(_alike(wanted, line) for line in lines):
            raise AssertionError(f"{block}: not printed: {wanted!r}, in:\n{printed}")


def _alike(wanted, line):
    ours, theirs = wanted.split(), line.split()
    for i, word in enumerate(ours):
        if word == "...":
            return True
        if i >= len(theirs) or not _same(word, theirs[i]):
            return False
    return len(ours) == len(theirs)


def _same(wanted, word):
    if wanted == word:
        return True
    # a number may stand in brackets, or have a comma behind it
    split = re.compile(r"(\W*?)([-+]?\d+\.?\d*(?:e[-+]?\d+)?)(\W*)$")
    ours, theirs = split.match(wanted), split.match(word)
    if not (ours and theirs) or (ours[1], ours[3]) != (theirs[1], theirs[3]):
        return False
    a, b = float(ours[2]), float(theirs[2])
    return abs(a - b) <= 0.01 * max(abs(a), abs(b))
