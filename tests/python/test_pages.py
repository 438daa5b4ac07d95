"""The examples of docs/python.md and of api/python/README.md run, and are right by mypy --strict."""
import importlib.util
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "api" / "python" / "vidconv"


def examples():
    """Returns the programs, each by its page."""
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    readme = (ROOT / "api/python/README.md").read_text(encoding="utf-8")
    indented = re.search(r"^    import numpy as np, vidconv\n(?:(?:    .*)?\n)*", readme, re.MULTILINE)[0]
    top = re.search(r"^From Python .*\n\n((?:    .*\n)+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
    recipes = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
    return {"python.md": "\n".join(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)),
            "README.md": textwrap.dedent(indented),
            "top": "import numpy as np\narray = np.zeros((4, 6, 3), np.uint8)\n" + textwrap.dedent(top),
            **{name: re.search(rf"^```python {name}\n(.*?)^```$", recipes, re.MULTILINE | re.DOTALL)[1] for name in ("opencv", "batches", "device")}}


@pytest.mark.parametrize("name", ["python.md", "README.md", "top"])
def test_examples_run(command, tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    command("pattern:640x360@25#30", "-o", "in.mp4", "--kernel", "identity", "-q")
    exec(compile(examples()[name], name, "exec"), {"__name__": "__main__"})  # pylint: disable=exec-used
    assert not capsys.readouterr().err and len(list(tmp_path.iterdir())) > 1


def test_types_of_the_package_and_of_the_examples(tmp_path):
    if not importlib.util.find_spec("mypy"):
        pytest.skip("mypy is not installed: types are not checked")
    files = [str(PACKAGE)]
    for name, text in examples().items():
        files.append(str(tmp_path / f"{name.replace('.', '_')}_example.py"))
        Path(files[-1]).write_text(text, encoding="utf-8")
    typed = tmp_path / "typed_example.py"
    typed.write_text(textwrap.dedent("""
        import numpy as np
        import numpy.typing as npt
        from pathlib import Path
        import vidconv
        grey: npt.NDArray[np.uint8] = vidconv.filter(np.zeros((4, 4), np.uint8), "box")
        real: npt.NDArray[np.float32] = vidconv.filter(np.zeros((2, 3, 4, 4), np.float32), [[1, 2, 1]], layout="nchw")
        frame: vidconv.Frame = vidconv.open(Path("a"), format="rgb24")[0]
        several: list[vidconv.Frame] = vidconv.open("a")[1:2]
        video = vidconv.Video("gray", 4, 4, frame_rate=29.97)
    """), encoding="utf-8")
    # OpenCV's own stub says that imread() may return None, where a version of it does.
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "--disable-error-code",
                           "import-not-found", *files, str(typed)], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={"MYPYPATH": str(PACKAGE.parent), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_tell_wrong_calls(tmp_path):
    if not importlib.util.find_spec("mypy"):
        pytest.skip("mypy is not installed: types are not checked")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(textwrap.dedent("""
        import numpy as np, vidconv
        vidconv.Video("gray", "4", 4)
        vidconv.open("a")["first"]
        vidconv.open("a", format=24)
        vidconv.Writer("a", "gray")
    """), encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(wrong)], cwd=tmp_path,
                          capture_output=True, text=True, check=False, env={"MYPYPATH": str(PACKAGE.parent), "PATH": "/usr/bin:/bin"})
    assert done.stdout.count("error:") == 4, done.stdout + done.stderr


def test_imports_make_no_circle():
    """Each module can be imported before all others."""
    package = Path(importlib.util.find_spec("vidconv").origin).parent
    uses = {file.stem: set(re.findall(r"^\s*from \.(\w+) import", file.read_text(encoding="utf-8"), re.MULTILINE))
            for file in package.glob("_[a-z]*.py")}
    while uses:
        free = {name for name, used in uses.items() if not used & set(uses)}
        assert free, f"a circle of {sorted(uses)}"
        uses = {name: used for name, used in uses.items() if name not in free}
