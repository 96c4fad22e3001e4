"""The documentation site: `sphinx-build -W -c docs . site`.

The site has the layout of the repository, so that a link between pages is right in both.
"""

project = "sweepstakes"
copyright = "the sweepstakes authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/*.md", "examples/**.md", "leaderboards/**.md"]
exclude_patterns = ["leaderboards/*/reading.md"]  # a part of the page beside it
suppress_warnings = ["toc.not_included"]  # pages of leaderboards are reached by links; a test lists those of docs

html_theme = "furo"
html_title = "sweepstakes"
html_show_sphinx = False

myst_heading_anchors = 4

default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
