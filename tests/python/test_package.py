"""Tests the package as a whole: its examples, docstrings and version."""
import doctest
import inspect
import re
import sys
import sysconfig
from pathlib import Path

import pytest

import vidconv
from vidconv import _arrays, _frame, _reader, _records, _video, _writer

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("module", [vidconv, _arrays, _frame, _reader, _records, _video, _writer], ids=lambda m: m.__name__)
def test_examples(module):
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0 and result.failed == 0


def test_everything_public_is_explained():
    for name in [*vidconv.__all__, "filter", "open"]:
        assert inspect.getdoc(getattr(vidconv, name)), name


def test_one_version():
    stated = re.search(r"project\(vidconv VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    assert vidconv.__version__ == stated
    assert f'version = "{stated}"' in (ROOT / "api/python/pyproject.toml").read_text()
    assert (ROOT / f"tests/judge/numerics_{vidconv.numerics}.txt").exists()


@pytest.mark.skipif(sys.version_info < (3, 12) or bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
                    reason="this Python has no stable ABI that nanobind uses")
def test_one_module_serves_later_versions_of_python():
    assert Path(vidconv._core.__file__).name == "_core.abi3.so"


def test_the_stub_is_of_what_there_is():
    core = vidconv._core
    stub = (ROOT / "api/python/vidconv/_core.pyi").read_text()
    names = set(re.findall(r"^(?:class|def) (\w+)", stub, re.MULTILINE))
    assert names == {n for n in vars(core) if not n.startswith("_")}
