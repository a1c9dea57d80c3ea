"""API reference: a page for each public name, in groups by where a name is defined."""

from __future__ import annotations

import inspect
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import sources
from _write import clear_except, write
from docutils import nodes
from examples import example
from sphinx.addnodes import pending_xref
from sphinx.transforms import SphinxTransform

__all__ = ["GROUPS", "grouped", "setup"]

GROUPS = {
    "Model, bodies and shapes": (
        "What is described, and the rigid bodies in it.",
        ["model", "model.skeleton.body", "model.skeleton.mesh"],
    ),
    "Joints and coordinates": (
        "Joints, their coordinates, couplings, and forces on coordinates.",
        [
            "model.skeleton",
            "laws.coordinate",
        ],
    ),
    "Functions": (
        "Functions of a coordinate or of time.",
        ["model.function", "model.multivariate", "model.muscles.activation"],
    ),
    "Fibers and tissue": (
        "Fibers, what they are made of, and what activates them.",
        ["model.muscles", "model.skeleton.moving_point", "laws"],
    ),
    "Parameters": ("Numbers of a model by path, and models with other numbers.", ["parameters"]),
    "Forces": ("Springs, loads and controllers on bodies and coordinates.", ["forces"]),
    "Contact": (
        "Between fibers, and of fibers with bones.",
        ["model.contact", "laws.penalty", "laws.friction"],
    ),
    "Line muscles": (
        "Muscles as lines with numbers, their paths and wrap surfaces, and bundles made of them.",
        ["model.muscles.line_muscle", "model.muscles.wrap", "anatomy", "analysis"],
    ),
    "Motion and size of a person": (
        "Markers, sensors, inverse kinematics, and models of the size of a person.",
        ["model.skeleton.marker", "read.recordings", "analysis.kinematics", "analysis.scaling"],
    ),
    "Files": ("Models, meshes, signals, results and checkpoints.", ["read", "io", "write"]),
    "Computing": (
        "From a model to a result.",
        [
            "backend",
            "from_models",
            "system",
            "solvers",
            "scene_run",
            "scene_files",
            "cli",
            "protocol",
            "_version",
        ],
    ),
    "Gradients": ("Derivatives of whole runs in numbers of their model.", ["gradients"]),
    "Optimal control": ("Controls that do a task best, found with CasADi.", ["control"]),
    "Identification": ("Parameters of muscles and bones from motion and EMG.", ["identification"]),
    "Studies": ("One scene at many values of its parameters.", ["studies"]),
    "Results": ("What a run gives.", ["results"]),
    "Pictures": ("`fibermsk.view`: windows, pictures, movies, plots.", ["view"]),
    "Errors and warnings": ("What is raised.", ["errors"]),
}
"""Title: introduction, and modules of the package; the longest that fits a name decides."""

HEAD = """# API reference

Everything that `import fibermsk as fm` offers: `fm.NAME` for every name on these pages. SI units;
angles in radians; arrays have the item first and the component last. Whatever is wrong with an
argument raises {py:class}`fibermsk.ModelError` before anything is computed.

"""


def grouped() -> dict[str, list[str]]:
    """Full public names by group, such as ``fibermsk.Fiber``; each in one group.

    Raises
    ------
    ValueError
        If a name is of a module that no group holds, or a group names no module.
    """
    import fibermsk
    from fibermsk import view

    for start in (start for _, starts in GROUPS.values() for start in starts):
        if find_spec(f"fibermsk.{start}") is None:
            raise ValueError(f"docs/_ext/api.py: there is no module fibermsk.{start}")
    found: dict[str, list[str]] = {title: [] for title in GROUPS}
    names = [("fibermsk", name) for name in fibermsk.__all__ if name not in ("view", "__version__")]
    names += [("fibermsk.view", name) for name in view.__all__]
    for package, name in names:
        item = getattr({"fibermsk": fibermsk, "fibermsk.view": view}[package], name)
        found[_group(item.__module__, f"{package}.{name}")].append(f"{package}.{name}")
    return {title: sorted(items, key=str.lower) for title, items in found.items()}


def _group(module: str, name: str) -> str:
    place = module.removeprefix("fibermsk.")
    fits = [
        (len(start), title)
        for title, (_, starts) in GROUPS.items()
        for start in starts
        if place == start or place.startswith((f"{start}.", f"{start}_"))
    ]
    if not fits:
        raise ValueError(f"{name} is defined in {module}: name it in a group of docs/_ext/api.py")
    return max(fits)[1]


def _item(name: str) -> Any:
    import fibermsk

    item: Any = fibermsk
    for part in name.split(".")[1:]:
        item = getattr(item, part)
    return item


def _file(name: str) -> str:
    """File name of a name's page; a class and a function may differ by one capital only."""
    kind = "class" if inspect.isclass(_item(name)) else "function"
    return f"{kind}-{name.removeprefix('fibermsk.')}"


def _summary(item: Any) -> str:
    return (inspect.getdoc(item) or "").partition("\n\n")[0].replace("\n", " ")


def _stub(name: str) -> str:
    package, _, short = name.rpartition(".")
    shown = f"fm.{name.removeprefix('fibermsk.')}"
    head = f"{shown}\n{'=' * len(shown)}\n\n.. currentmodule:: {package}\n\n"
    item = _item(name)
    kind = (
        f"autoclass:: {short}\n   :members:" if inspect.isclass(item) else f"autofunction:: {short}"
    )
    return f"{head}.. {kind}\n\n{_example(name, item)}{_source(name, item)}"


def _example(name: str, item: Any) -> str:
    """Excerpt of a guide or a scene, unless the docstring has an example of its own."""
    found = example(name.removeprefix("fibermsk."))
    if found is None or ">>>" in (item.__doc__ or ""):
        return ""
    place = f":doc:`/{found.page}`" if found.page else f":ref:`scene-{found.scene}`"
    code = found.code.replace("\n", "\n   ")
    return f".. rubric:: Example\n\n.. code-block:: python\n\n   {code}\n\nFrom {place}.\n\n"


def _source(name: str, item: Any) -> str:
    """Links to the source, to the equations of its module, and to the theory that names it."""
    module, function = item.__module__.removeprefix("fibermsk."), item.__qualname__
    parts = [f":source_of:`{module} {function}`"]
    if labels := ", ".join(f":eq:`{label}`" for label in _equations().get(module, ())):
        parts.append(f"Equations: {labels}")
    titles = _sections(name.removeprefix("fibermsk."), module)
    if titles:
        parts.append("Theory: " + ", ".join(f":theory:`{title}`" for title in titles))
    return ".. rubric:: Source\n\n" + "\n\n".join(parts) + "\n"


def _sections(name: str, module: str) -> list[str]:
    """Titles of the sections of the theory that name a public name or its module."""
    own = re.compile(rf"`(?:fm\.)?{re.escape(name)}\b(?!\.)|`{re.escape(module)}[.`]")
    parts = re.split(r"^##+ (.+)$", _theory(), flags=re.MULTILINE)
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return [title for title, text in pairs if own.search(text)]


@cache
def _equations() -> dict[str, list[str]]:
    """Labels of the equations of each module that the page of equations names."""
    found: dict[str, list[str]] = {}
    for label, names in sources.equations(_theory()).items():
        for module in {part[0] for name in names if (part := sources.split(name))}:
            found.setdefault(module, []).append(label)
    return found


@cache
def _theory() -> str:
    return (Path(__file__).parents[1] / "theory.md").read_text(encoding="utf-8")


def _index(groups: dict[str, list[str]]) -> str:
    parts = [HEAD]
    for title, names in groups.items():
        parts += [f"## {title}\n\n{GROUPS[title][0]}\n\n", "| name | |\n|---|---|\n"]
        for name in names:
            role = "class" if inspect.isclass(_item(name)) else "func"
            short = name.removeprefix("fibermsk.")
            parts.append(
                f"| {{py:{role}}}`fm.{short} <{name}>` | {_plain(_summary(_item(name)))} |\n"
            )
        listed = "\n".join(_file(name) for name in names)
        parts.append(f"\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n\n")
    return "".join(parts)


def _plain(text: str) -> str:
    """Docstring's words in a Markdown table."""
    return text.replace("``", "`").replace("|", "\\|")


def generate(app: Any, config: Any) -> None:
    """Write the pages before the sources are looked for."""
    folder = Path(app.srcdir) / "generated" / "api"
    groups = grouped()
    written = [write(folder / "index.md", _index(groups))]
    for names in groups.values():
        written += [write(folder / f"{_file(name)}.rst", _stub(name)) for name in names]
    clear_except(folder, written)


def target(text: str, *, bare: bool) -> str | None:
    """Full public name that a piece of code begins with, such as ``fm.Fiber(...)``, or None.

    With `bare` also without ``fm.``: docstrings name their neighbors so.
    """
    match = re.match(r"(fm\.|fibermsk\.)?((?:view\.)?[A-Za-z_]\w*)", text)
    if match is None or not (match[1] or bare):
        return None
    name = f"fibermsk.{match[2]}"
    # a word that docstrings use for their own arguments too
    return name if name in public_names() and (match[1] or match[2] != "check") else None


@cache
def public_names() -> frozenset[str]:
    """Full names of all pages."""
    return frozenset(name for names in grouped().values() for name in names)


def link(code: nodes.literal, name: str, document: str) -> nodes.Node:
    """A piece of code that leads to a name's page."""
    found = pending_xref(
        code.rawsource,
        code.deepcopy(),
        refdomain="py",
        reftype="obj",
        reftarget=name,
        refdoc=document,
        refexplicit=True,
    )
    found["refwarn"] = True
    return found


def code_or_link(
    role: str,
    rawtext: str,
    text: str,
    line: int,
    inliner: Any,
    options: Any = None,
    content: Any = (),
) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """Single backticks in docstrings: a link where the code begins with a public name."""
    code = nodes.literal(rawtext, text, classes=["code"])
    name = target(text, bare=True)
    document = inliner.document.settings.env.docname
    return [link(code, name, document) if name else code], []


class LinkNames(SphinxTransform):
    """Links from ``fm.NAME`` in the text of all pages."""

    default_priority = 400

    def apply(self, **kwargs: Any) -> None:
        """Put a link in the place of the code."""
        for code in list(self.document.findall(nodes.literal)):
            inside = code.parent
            while inside is not None and not isinstance(inside, _NO_LINKS):
                inside = inside.parent
            name = target(code.astext(), bare=False)
            if inside is None and name:
                code.replace_self(link(code, name, self.env.docname))


_NO_LINKS = (nodes.reference, pending_xref, nodes.title)


def setup(app: Any) -> dict[str, bool]:
    """Connect with Sphinx."""
    app.add_role("code_or_link", code_or_link)
    app.add_transform(LinkNames)
    app.connect("config-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
