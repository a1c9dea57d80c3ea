"""Gallery: a page for each scene of `scenes/`, made by running it.

Not sphinx-gallery: a scene describes and does not run, its header is plain text, and its pictures
come from its result; what is to be shown of it stands in `gallery.toml`.
"""

from __future__ import annotations

import inspect
import json
import re
import shutil
import tempfile
import tomllib
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from io import StringIO
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import moving
import numpy as np
from _write import clear_except, digest, table, write
from moving import write_frames, write_moving
from numpydoc.docscrape import NumpyDocString
from PIL import Image
from sphinx.util import logging

import fibermsk as fm
from fibermsk.scene_files import SceneFile, find, list_files

__all__ = ["Shown", "ordered", "page", "setup"]

logger = logging.getLogger(__name__)
# Of a page of the folder generated/gallery; the moving pages are copied beside the site's own.
MOVING = """## In motion

```{{raw}} html
<iframe class="moving" src="{path}" title="{name}, in motion" loading="lazy"></iframe>
<p><a href="{path}">On a page of its own</a></p>
```

"""
EXTRA = "generated/extra"
SIZE = (1200, 900)
PROCESSES = 2
_OVER = 25
"""Pictures of a scene at rest, over a parameter."""


@dataclass(frozen=True)
class Shown:
    """What the gallery shows of a scene: an entry of `gallery.toml`.

    Attributes
    ----------
    time : float or None
        When the picture is taken [s]; None for the time of the largest stretch or contact.
    color_by : str
        What colors the fibers.
    envelope : bool
        Whether bundles have their envelopes.
    set : dict
        Parameters of the run.
    over : dict
        For a scene at rest: a parameter and two values of it, between which its picture moves.
    needs : str
        What the scene needs that is not here; it is not run then.
    picture : str
        Picture of the repository that is shown of a scene which is not run, in `docs`; it moves.
    """

    time: float | None = None
    color_by: str = "tissue"
    envelope: bool = False
    set: dict[str, Any] = field(default_factory=dict)
    over: dict[str, tuple[float, float]] = field(default_factory=dict)
    needs: str = ""
    picture: str = ""


def ordered(file: Path) -> dict[str, Shown]:
    """What is shown of each scene, in the order of `scenes/`, as the file says."""
    known = {
        name: Shown(**entry)
        for name, entry in tomllib.loads(file.read_text(encoding="utf-8")).items()
    }
    names = [path.stem for path in list_files("scenes")]
    if unknown := set(known) - set(names):
        raise ValueError(f"{file}: there is no scene {', '.join(sorted(unknown))}")
    return {name: known.get(name, Shown()) for name in names}


def page(scene: SceneFile, shown: Shown, did: dict[str, Any]) -> str:
    """Markdown page of a scene.

    Parameters
    ----------
    scene : SceneFile
        The scene.
    shown : Shown
        What is shown of it.
    did : dict
        What the run gave: words under the picture, and the file names of the pictures.
    """
    header = inspect.cleandoc(inspect.getmodule(scene.function).__doc__ or "")
    title, _, text = header.partition("\n")
    settings = " ".join(f"{name}={value}" for name, value in shown.set.items())
    parts = [f"(scene-{scene.name})=\n# {title.rstrip('.')}\n\n{text.strip()}\n\n"]
    parts.append(f"![{title.rstrip('.')}]({did['picture']})\n\n*{did['words']}*\n\n")
    command = f"fibermsk run {scene.name}" + (f" --set {settings}" if settings else "")
    parts.append(f"```sh\n{command}\n```\n\n")
    if "study" in did:
        parts.append(f"## The study\n\n```sh\npython scenes/{scene.name}.py\n```\n\n")
        parts.append(f"![What {scene.name} draws]({did['study']})\n\n")
    if "moving" in did:
        parts.append(MOVING.format(path=f"../../{did['moving']}", name=short_title(scene.name)))
    parts.append("## Parameters\n\n")
    parts.append(table(("`--set`", "", "default"), _parameters(scene)))
    if "plots" in did:
        parts.append(f"\n## Plots\n\n![Plots of {scene.name}]({did['plots']})\n")
    parts.append(
        f"\n## The scene\n\n```{{literalinclude}} ../../../scenes/{scene.name}.py\n"
        ":language: python\n```\n"
    )
    return "".join(parts)


def _parameters(scene: SceneFile) -> list[tuple[str, str, str]]:
    """Rows of name, meaning and default."""
    meaning: dict[str, str] = {}
    for item in NumpyDocString(inspect.getdoc(scene.function) or "")["Parameters"]:
        kind = f"*{item.type}.* " if item.type.startswith("{") else ""
        for name in item.name.split(","):
            meaning[name.strip()] = kind + " ".join(item.desc)
    return [
        (f"`{name}`", meaning.get(name, "").replace("``", "`"), f"`{parameter.default!r}`")
        for name, parameter in scene.parameters.items()
    ]


def telling_frame(result: fm.Result) -> int:
    """Frame at which the fibers are farthest from how they start."""
    if not result.fibers or len(result.time) < 2:
        return -1
    moved = np.zeros(len(result.time))
    for fiber in result.fibers.values():
        moved += np.linalg.norm(fiber.position - fiber.position[0], axis=-1).mean(axis=-1)
    # what stands still moves by round-off alone
    length = max(float(np.ptp(fiber.position[0])) for fiber in result.fibers.values())
    return int(moved.argmax()) if moved.max() > 1e-6 * length else 0


def _solved(made: Any, name: str) -> fm.Result:
    """The run of a scene, or that with the controls of a problem of optimal control."""
    if isinstance(made, fm.Scene):
        return fm.simulate_scene(made, name=name)
    return replace(made.solve(progress=False).result, scene=name)


def show(scene: SceneFile, shown: Shown, folder: Path, extra: Path) -> dict[str, Any]:
    """Run a scene, draw its pictures and write its moving page; what the scene's page needs."""
    made = scene.make({n: p.default for n, p in scene.parameters.items()} | shown.set)
    result = _solved(made, scene.name)
    at = float(result.time[telling_frame(result)]) if shown.time is None else shown.time
    names = {"picture": f"{scene.name}.png", "card": f"{scene.name}.webp"}
    look = {"color_by": shown.color_by, "envelope": shown.envelope}
    fm.view.screenshot(result, folder / names["picture"], at, size=SIZE, **look)
    if shown.over:
        write_frames(_over(scene, shown, look), folder / names["card"])
    else:
        write_moving(result, folder / names["card"], **look)
    module = inspect.getmodule(scene.function)
    if hasattr(module, "study") and hasattr(module, "draw"):
        names["study"] = f"{scene.name}_study.png"
        with redirect_stdout(StringIO()):
            module.draw(*module.study()).savefig(folder / names["study"], dpi=130)
    names["plots"] = f"{scene.name}_plots.png"
    fm.view.plot(result).savefig(folder / names["plots"], dpi=110)
    names["moving"] = f"moving/{scene.name}.html"
    page_file = extra / names["moving"]
    fm.view.write_page(result, page_file, color_by=shown.color_by, max_frames=301)
    field_name = shown.color_by.replace("_", " ")
    color = "muscle is red by its activation, tendon ivory"
    if shown.color_by != "tissue":
        color = f"the color is the {field_name}"
    words = f"At t = {at:.3g} s; {color}."
    return {**names, "words": words}


def _over(scene: SceneFile, shown: Shown, look: dict[str, Any]) -> list[Image.Image]:
    """Pictures of a scene over one of its parameters."""
    ((name, (first, last)),) = shown.over.items()
    frames = []
    with tempfile.TemporaryDirectory() as folder:
        for value in np.linspace(first, last, _OVER):
            made = scene.make(
                {n: p.default for n, p in scene.parameters.items()} | shown.set | {name: value}
            )
            file = Path(folder) / "frame.png"
            fm.view.screenshot(_solved(made, scene.name), file, size=moving.SIZE, **look)
            frames.append(Image.open(file).convert("RGB"))
    return frames


def short_title(name: str) -> str:
    """Name of a scene as words: ``Upper limb``."""
    words = re.sub(r"\bemg\b", "EMG", name.replace("_", " "))
    return words[:1].upper() + words[1:]


def index(scenes: dict[str, SceneFile], pictures: dict[str, str]) -> str:
    """Page with a card for each scene."""
    cards = "\n".join(
        f":::{{grid-item-card}} {short_title(name)}\n:img-top: {pictures[name]}\n:link: {name}\n"
        f":link-type: doc\n\n{scene.title}\n:::\n"
        for name, scene in scenes.items()
    )
    listed = "\n".join(f"{short_title(name)} <{name}>" for name in scenes)
    return (
        "# Gallery\n\nThe scenes of the package, simplest first, one new idea each. The pictures "
        "on these pages come from running them while\nthe site is built, and each page has its "
        "scene in motion, to turn and to stop; those of scenes that need a\nmodel from a file have "
        "a movie of it, made before. `fibermsk run NAME` runs one, "
        "`fibermsk scenes NAME`\nlists its parameters.\n\n"
        f"::::{{grid}} 1 2 2 3\n:gutter: 3\n\n{cards}\n::::\n\n"
        f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )


def generate(app: Any, config: Any) -> None:
    """Write the pages; a scene is run again when it, or the package, has changed."""
    source = Path(app.srcdir)
    folder = source / "generated" / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    (source / EXTRA / "moving").mkdir(parents=True, exist_ok=True)
    kept = folder / "runs.json"
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    package = digest(Path(fm.__file__).parent, Path(__file__), Path(__file__).parent / "moving.py")
    every = ordered(source / "gallery.toml")
    scenes = {name: find(name) for name in every}
    keys = {name: digest(package, scenes[name].path, repr(shown)) for name, shown in every.items()}
    stale = [name for name, key in keys.items() if known.get(name, {}).get("key") != key]
    if stale:
        with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
            runs = {pool.submit(_did, name, every[name], source, folder): name for name in stale}
            for run in as_completed(runs):
                name = runs[run]
                known[name] = {"key": keys[name], "did": run.result()}
                write(kept, json.dumps(known, indent=1))
                logger.info("made the pictures of the scene %s", name)
    pictures, written = {}, []
    for name, shown in every.items():
        did = known[name]["did"]
        pictures[name] = did.get("card", did["picture"])
        written.append(write(folder / f"{name}.md", page(scenes[name], shown, did)))
    written.append(write(folder / "index.md", index(scenes, pictures)))
    clear_except(folder, written)


def _did(name: str, shown: Shown, source: Path, folder: Path) -> dict[str, Any]:
    scene = find(name)
    if not shown.needs:
        with warnings.catch_warnings():  # what a model cannot do is told by its runs
            warnings.simplefilter("ignore", fm.ModelWarning)
            return show(scene, shown, folder, source / EXTRA)
    if not shown.picture:
        raise ValueError(f"gallery.toml: {scene.name} needs {shown.needs}: give it a picture")
    picture = source / shown.picture
    name = shutil.copy(picture, folder / f"{scene.name}{picture.suffix}").name
    words = f"Drawn before this page was built: the scene needs {shown.needs}."
    return {"picture": name, "words": words}


def setup(app: Any) -> dict[str, bool]:
    """Connect with Sphinx."""
    app.connect("config-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
