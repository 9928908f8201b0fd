"""Settings of Sphinx; build with `sphinx-build -W --keep-going -b html docs docs/_build/html`."""

import sys
import tomllib
from pathlib import Path

import matplotlib as mpl
from plotly.offline import get_plotlyjs

mpl.use("Agg")
sys.path.insert(0, str(Path(__file__).parent))

import draw_rooms

draw_rooms.draw().savefig(Path(__file__).parent / "_static" / "rooms.png", dpi=150)

# For the pages that show an interactive picture; no reader's browser asks another server for it.
(Path(__file__).parent / "_static" / "plotly.min.js").write_text(get_plotlyjs(), "utf-8")

project = "gpforecast"
author = "The gpforecast developers"
copyright = "The gpforecast developers"
pyproject = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
version = release = pyproject["project"]["version"]

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "shown_code",
]
exclude_patterns = ["_build", "_templates", "sg_execution_times.rst"]
templates_path = ["_templates"]
default_role = "py:obj"

# One reference page for each public name, from its numpydoc docstring.
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Every example is run with --quick; one that fails stops the build.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r".*\.py",
    "abort_on_example_error": True,
    "reset_argv": "quick.arguments",
    "reference_url": {"gpforecast": None},
    "doc_module": ("gpforecast",),
    "backreferences_dir": None,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "capture_repr": (),
    "min_reported_time": 1,
    "plot_gallery": "True",
}

html_theme = "pydata_sphinx_theme"
html_title = "gpforecast"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_sidebars = {"index": []}
toc_object_entries_show_parents = "hide"  # Forecaster.predict_from does not fit beside a page
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
}
