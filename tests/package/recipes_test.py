#!/usr/bin/env python3
"""The recipes of conda-forge and Homebrew fit the tree, and what does not fit is named. recipes_test.py SOURCE"""
import hashlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

SOURCE = Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "packaging"))
sys.dont_write_bytecode = True
import recipes  # pylint: disable=wrong-import-position

READ = [recipes.CONDA, recipes.HOMEBREW, "CMakeLists.txt", "api/python/pyproject.toml", "api/vapoursynth/pyproject.toml"]


def tree_with(folder, file, old, new):
    """Returns a copy of what is checked, in which one text is another."""
    root = Path(folder)
    for name in [*READ, *(f"{room}/CMakeLists.txt" for room in ("kernels", "pipeline", "api", "src"))]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / name, root / name)
    text = (root / file).read_text(encoding="utf-8")
    assert old in text, old
    (root / file).write_text(text.replace(old, new), encoding="utf-8")
    return root


class RecipesTest(unittest.TestCase):
    def test_they_fit(self):
        self.assertEqual(recipes.faults(SOURCE), [])

    def test_what_does_not_fit_is_named(self):
        for file, old, new, said in (
                ("CMakeLists.txt", "project(vidconv VERSION 0.", "project(vidconv VERSION 7.0.", "which should be"),
                ("CMakeLists.txt", "VERSION 3.25", "VERSION 3.99", "cmake >=3.99"),
                ("CMakeLists.txt", "find_package(PNG REQUIRED)", "find_package(TIFF REQUIRED)", "CMake looks for TIFF"),
                ("pipeline/CMakeLists.txt", "libavutil>=57.28", "libass>=1", "CMake looks for libass"),
                ("api/python/pyproject.toml", 'version = "', 'version = "7.', "api/python/pyproject.toml has the version 7."),
                (recipes.CONDA, 'version: "', 'version: "7.', f"{recipes.CONDA} has the version 7."),
                (recipes.CONDA, "        - fmt\n", "", f"{recipes.CONDA} lacks fmt"),
                (recipes.HOMEBREW, '  depends_on "highway"\n', "", f"{recipes.HOMEBREW} lacks highway"),
                (recipes.HOMEBREW, "OWNER/vidconv/releases", "OWNER/video/releases", "has the address"),
                (recipes.HOMEBREW, 'sha256 "0', 'sha256 "1', "has a digest")):
            with self.subTest(file=file, new=new), tempfile.TemporaryDirectory() as folder:
                self.assertIn(said, "\n".join(recipes.faults(tree_with(folder, file, old, new))))

    def test_a_release_fills_in_its_digest_and_owner(self):
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / "vidconv-1.2.3.tar.gz"
            archive.write_bytes(b"an archive")
            recipes.fill(SOURCE, Path(folder), "someone")
            digest = hashlib.sha256(b"an archive").hexdigest()
            conda = yaml.safe_load((Path(folder) / "vidconv-1.2.3.conda.yaml").read_text(encoding="utf-8"))
            homebrew = (Path(folder) / "vidconv-1.2.3.homebrew.rb").read_text(encoding="utf-8")
        self.assertEqual(conda["source"]["sha256"], digest)
        self.assertTrue(conda["source"]["url"].startswith("https://github.com/someone/"))
        self.assertIn(f'sha256 "{digest}"', homebrew)
        self.assertNotIn("OWNER/", homebrew + str(conda))

    @unittest.skipUnless(shutil.which("ruby"), "ruby is not installed")
    def test_the_formula_is_ruby(self):
        subprocess.run(["ruby", "-c", SOURCE / recipes.HOMEBREW], check=True, capture_output=True)

    def test_workflows_pin_what_they_use(self):
        """Only the job that publishes may ask for a token, and actions are commits."""
        for file in sorted((SOURCE / ".github/workflows").glob("*.yml")):
            workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
            self.assertEqual(workflow["permissions"], {"contents": "read"}, file)
            for name, job in workflow["jobs"].items():
                self.assertEqual(job.get("permissions"), {"id-token": "write"} if name == "publish" else None, file)
                for step in job["steps"]:
                    self.assertRegex(step.get("uses", "a@" + "0" * 40), "@[0-9a-f]{40}$", file)


unittest.main()
