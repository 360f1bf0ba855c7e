"""Sphinx configuration. Run ``sphinx-build -W docs build/docs``; needs no network."""

import sys
from importlib.metadata import version as version_of
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

from gallery_style import has_files

# Without the extra pyg, its page is generated from a substitute of the package.
HAS_PYG = find_spec("torch_geometric") is not None
# Examples that need a missing package or data set are shown but not run.
NEEDED = {
    "for_pyg": HAS_PYG,
    "conformal": find_spec("crepes") is not None and has_files("esol"),
    "solubility": has_files("esol"),
    "gaussian_process": has_files("freesolv"),
}
NOT_RUN = "|".join(name for name, is_there in NEEDED.items() if not is_there)

project = "gskn"
author = "the authors of gskn"
copyright = author  # noqa: A001 - Sphinx reads this name
version = release = version_of("gskn")

extensions = [
    "baseline_table",
    "command_reference",
    "encoding_tables",
    "explanation_tables",
    "molecule_tables",
    "public_names",
    "result_tables",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinx-mathjax-offline",
]
exclude_patterns = [
    *("_extensions", "_templates", "pictures"),
    *("guide/generated", "results/generated"),
]
templates_path = ["_templates"]
default_role = "py:obj"  # single backticks in docstrings link to public objects
nitpicky = True
# numpydoc links properties of an estimator to pages of their own, which do not exist.
nitpick_ignore = [("py:obj", "coef_"), ("py:obj", "intercept_")]
nitpick_ignore_regex = [("py:obj", r"sklearn\..*")]  # the build does not use the network
toc_object_entries_show_parents = "hide"  # long names do not fit into the sidebar
smartquotes = False  # keep the two dashes of command-line options

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "substitution"]
myst_heading_anchors = 3

# The page of a module lists the names in its `__all__`, including imported ones.
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # docstrings contain types and shapes
autodoc_mock_imports = [] if HAS_PYG else ["torch", "torch_geometric"]
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": f"/plot_(?!.*({NOT_RUN}))" if NOT_RUN else "/plot_",
    "abort_on_example_error": True,
    "within_subsection_order": "gallery_style.ExampleNumber",
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 3600,  # seconds; the times depend on the machine
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("gallery_style.use_style",),
    "thumbnail_size": (560, 392),
}

html_theme = "pydata_sphinx_theme"
html_title = "gskn"
html_static_path = ["_static"]
html_css_files = ["gskn.css"]
html_js_files = ["copy.js"]
html_theme_options = {
    "show_prev_next": True,
    "header_links_before_dropdown": 8,
    "navigation_depth": 3,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
}
html_sidebars = {
    page: [] for page in ("index", "start", "changes", "contributing", "results/index")
}
html_show_sourcelink = False
