"""Settings of the site: `sphinx-build -W --keep-going -b html docs docs/_build`."""

import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]

from about import repository, versions  # noqa: E402

from fibermsk import __version__  # noqa: E402

project = "fibermsk"
author = "The fibermsk developers"
copyright = "The fibermsk developers"
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx_design",
    # those of this folder
    "api",
    "commands",
    "fields",
    "gallery",
    "problems",
    "sources",
    "tutorials",
]
exclude_patterns = ["_build", "_ext", "_templates", "images/*.py", "tutorials/*.ipynb"]
templates_path = ["_templates"]
nitpicky = True
# a list of pages may end with all others of its folder, if there are
suppress_warnings = ["toc.empty_glob"]

myst_enable_extensions = ["colon_fence", "dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3

# Shapes, units and types stand in the docstrings.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
default_role = "code_or_link"
python_display_short_literal_types = True

html_theme = "pydata_sphinx_theme"
html_title = "fibermsk"
html_static_path = ["_static"]
html_extra_path = ["generated/extra"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_logo = html_favicon = "images/logo.svg"
html_context = {"default_mode": "light", "versions": versions(HERE.parent, release)}
html_theme_options = {
    "logo": {"text": "fibermsk", "alt_text": "fibermsk, start"},
    "navbar_end": ["versions", "theme-switcher", "navbar-icon-links"],
    "show_prev_next": True,
    "show_toc_level": 2,
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "secondary_sidebar_items": ["page-toc"],
}
if address := repository(HERE.parent):
    icon = {"name": "Repository", "url": address, "icon": "fa-solid fa-code-branch"}
    html_theme_options["icon_links"] = [icon]
# pages without neighbors
html_sidebars = {name: [] for name in ("index", "get_started", "changelog")}

# MathJax from a package instead of a server, so that the site reads without a network.
if (mathjax := find_spec("sphinx-mathjax-offline")) is not None and mathjax.origin:
    html_static_path.append(str(Path(mathjax.origin).parent / "static" / "mathjax" / "tex-svg.js"))
    mathjax_path = "tex-svg.js"
