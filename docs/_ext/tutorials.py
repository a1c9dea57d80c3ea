"""Pages of the notebooks in `tutorials/`, run while the site is built.

The notebooks hold no results; the pages show those of this machine and version.
"""

from __future__ import annotations

import base64
import json
import os
import re
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from _write import clear_except, digest, write
from sphinx.util import logging

import fibermsk as fm

__all__ = ["TOLD", "check", "page", "run", "setup", "shown"]

logger = logging.getLogger(__name__)
TOLD = {
    "from_opensim": ["the elbow ends at 74 degrees", "curl_coordinates.sto", "bundle: 92"],
    "from_mechanics": ["stretch 1.0917", "orders [5.5 5.6 5.9]", "orders [2. 2.]"],
    "from_scripting": ["['elbow_flexion']", "True success", "tables_fibers.csv"],
}
"""Notebooks, and what each must print: its text tells of it."""
SECONDS = 600
"""Longest time of a cell; the first run of a machine compiles."""
_NOISE = re.compile(r"^(findfont: .*|\[IPKernelApp\].*)\n?", re.MULTILINE)


def run(path: Path) -> Any:
    """Notebook with the results of its cells, run in a folder of its own.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell fails.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        place = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=SECONDS, resources=place).execute()
    return notebook


def shown(output: Any) -> tuple[str, str, str] | None:
    """Kind of a result, its text or base64, and the ending of its file; None for what is noise."""
    if output["output_type"] == "stream":
        text = _NOISE.sub("", output["text"]).strip("\n")
        return ("text", text, "") if text and output["name"] == "stdout" else None
    data = output.get("data", {})
    for kind, ending in (("image/png", "png"), ("image/jpeg", "jpg")):
        if kind in data:
            return "image", data[kind], ending
    if "text/html" in data:
        return "html", data["text/html"], ""
    return ("text", data["text/plain"], "") if "text/plain" in data else None


def page(notebook: Any, name: str) -> tuple[str, dict[str, bytes]]:
    """Markdown page of a notebook with results, and its pictures by file name."""
    parts, pictures = [], {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = cell.source.replace("](../", "](../../")
            parts.append(text)
            if len(parts) == 1:
                parts.append(
                    f"{{download}}`This page as a notebook <../../tutorials/{name}.ipynb>`; its "
                    "results are of the machine that built this site."
                )
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            if (found := shown(output)) is None:
                continue
            kind, content, ending = found
            if kind == "image":
                file = f"{name}_{len(pictures) + 1}.{ending}"
                pictures[file] = base64.b64decode(content)
                parts.append(f"![Result of the cell above]({file})")
            elif kind == "html":
                parts.append(f'```{{raw}} html\n<div class="result">{content}</div>\n```')
            else:
                parts.append(f"```text\n{content}\n```")
    return "\n\n".join(parts) + "\n", pictures


def check(name: str, text: str, pictures: dict[str, bytes]) -> None:
    """Check the page of a notebook and its pictures by file name.

    Raises
    ------
    ValueError
        If it has no picture, or lacks what it must print.
    """
    absent = [words for words in TOLD[name] if words not in text]
    if absent or not pictures:
        raise ValueError(f"notebook {name}: no longer shows {absent or 'a picture'}")


def _made(name: str, source: Path) -> tuple[str, dict[str, bytes]]:
    # two kernels run beside each other
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    text, pictures = page(run(source / "tutorials" / f"{name}.ipynb"), name)
    check(name, text, pictures)
    return text, pictures


def generate(app: Any, config: Any) -> None:
    """Write the pages; a notebook is run again when it, or the package, has changed."""
    source = Path(app.srcdir)
    folder = source / "generated" / "tutorials"
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "runs.json"
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    package = digest(Path(fm.__file__).parent, Path(__file__))
    keys = {name: digest(package, source / "tutorials" / f"{name}.ipynb") for name in TOLD}
    stale = [name for name in TOLD if known.get(name) != keys[name]]
    if stale:
        with ProcessPoolExecutor(2, get_context("spawn")) as pool:
            runs = {name: pool.submit(_made, name, source) for name in stale}
            for name, done in runs.items():
                text, pictures = done.result()
                for file, content in pictures.items():
                    (folder / file).write_bytes(content)
                write(folder / f"{name}.md", text)
                known[name] = keys[name]
                write(kept, json.dumps(known, indent=1))
                logger.info("ran the notebook %s", name)
    clear_except(folder, [folder / f"{name}.md" for name in TOLD])


def setup(app: Any) -> dict[str, bool]:
    """Connect with Sphinx."""
    app.connect("config-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
