"""Tests the package as a whole: its examples, docstrings and version."""
import doctest
import inspect
import re
from pathlib import Path

import pytest

import vidconv
import vidconv._arrays
import vidconv._errors
import vidconv._video

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("module", [vidconv, vidconv._arrays, vidconv._video], ids=lambda m: m.__name__)
def test_examples(module):
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0 and result.failed == 0


def test_everything_public_is_explained():
    for name in vidconv.__all__:
        assert inspect.getdoc(getattr(vidconv, name)), name


def test_one_version():
    stated = re.search(r"project\(vidconv VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    assert vidconv.__version__ == stated
    assert f'version = "{stated}"' in (ROOT / "api/python/pyproject.toml").read_text()
    assert (ROOT / f"tests/judge/numerics_{vidconv.numerics}.txt").exists()


def test_the_stub_is_of_what_there_is():
    core = vidconv._core
    stub = (ROOT / "api/python/vidconv/_core.pyi").read_text()
    names = set(re.findall(r"^(?:class|def) (\w+)", stub, re.MULTILINE))
    assert names == {n for n in vars(core) if not n.startswith("_")}
