#!/usr/bin/env python3
"""Makes the API page of the Python package with Sphinx, of its docstrings.

    page.py OUTPUT_FOLDER [PAGE...]    exits with 1 where Sphinx has something to say, something public has no words, or
                                       docstrings or a page name what there is not; with 77 without Sphinx

The package is that of PYTHONPATH.
"""
import inspect
import re
import sys
import tempfile
from pathlib import Path

CONFIGURATION = {
    "project": "vidconv",
    "extensions": ["sphinx.ext.autodoc", "sphinx.ext.napoleon"],
    "html_theme": "alabaster",
    "html_copy_source": False,
    "html_use_index": False,
    "autodoc_member_order": "bysource",
    "autodoc_typehints": "none",
    "nitpicky": True,  # broken references are reported
    # These are Python's own, which are not on the page.
    "nitpick_ignore": [("py:class", name) for name in ("Exception", "ValueError", "object")],
}
PAGE = """
vidconv for Python
==================

.. automodule:: vidconv
   :members:
   :ignore-module-all:
   :imported-members:
   :undoc-members:
   :show-inheritance:
"""


def public(vidconv):
    """Returns all public names; `import *` leaves two of them out."""
    return [*vidconv.__all__, "filter", "open"]


def without_words(vidconv):
    """Yields public names without a docstring."""
    for name in public(vidconv):
        thing = getattr(vidconv, name)
        if not inspect.getdoc(thing):
            yield f"vidconv.{name} has no docstring"
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)) and not inspect.getdoc(value):
                yield f"vidconv.{name}.{member} has no docstring"


def broken_references(vidconv, *pages):
    """Yields names of vidconv in docstrings and pages that do not exist."""
    texts = {page: Path(page).read_text(encoding="utf-8") for page in pages}
    texts.update((f"vidconv.{name}", inspect.getdoc(getattr(vidconv, name)) or "") for name in public(vidconv))
    for where, text in texts.items():
        for name in sorted(set(re.findall(r"\bvidconv\.([A-Za-z]\w*)\b(?=[(.`)\s])", text))):
            if not hasattr(vidconv, name):
                yield f"{where}: there is no vidconv.{name}"


def make(output, *pages):
    import vidconv
    if faults := [*without_words(vidconv), *broken_references(vidconv, *pages)]:
        return "\n".join(faults)
    from io import StringIO

    from sphinx.application import Sphinx
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "index.rst").write_text(PAGE, encoding="utf-8")
        said = StringIO()
        Sphinx(folder, None, output, str(Path(folder) / "doctrees"), "html", confoverrides=CONFIGURATION, status=None, warning=said,
               freshenv=True).build()
        return said.getvalue()


if __name__ == "__main__":
    try:
        import sphinx  # pylint: disable=unused-import
    except ImportError:
        print("SKIPPED: Sphinx is not installed")
        sys.exit(77)
    if words := make(*sys.argv[1:]):
        print(words)
        sys.exit(1)
