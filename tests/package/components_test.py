#!/usr/bin/env python3
"""Tests the contents of each package, by installing the components that CPack packs.

    components_test.py CMAKE BUILD
"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CMAKE, BUILD = sys.argv.pop(1), sys.argv.pop(1)


def files_of(component):
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run([CMAKE, "--install", BUILD, "--component", component, "--prefix", prefix], check=True,
                       capture_output=True)
        return {path.relative_to(prefix).as_posix() for path in Path(prefix).rglob("*") if not path.is_dir()}


class ComponentsTest(unittest.TestCase):
    def setUp(self):
        self.files = {component: files_of(component) for component in ("command", "library", "development")}

    def ending(self, component, *endings):
        return all(any(name.endswith(end) for name in self.files[component]) for end in endings)

    def test_command(self):
        self.assertTrue(self.ending("command", "bin/vidconv", "man1/vidconv.1.gz", "zsh/site-functions/_vidconv",
                                    "bash-completion/completions/vidconv", "fish/vendor_completions.d/vidconv.fish",
                                    "doc/vidconv/copyright", "doc/vidconv/changelog.gz"), self.files["command"])
        documents = [name for name in self.files["command"] if "doc/vidconv/" in name]
        self.assertEqual(len(self.files["command"]) - len(documents), 5, self.files["command"])

    def test_library_is_what_a_program_loads(self):
        self.assertTrue(self.ending("library", "libvidconv.so.0"), self.files["library"])
        # Each linked file contains all of our code: one such file is enough.
        self.assertEqual(len([name for name in self.files["library"] if re.search(r"\.so\.0$", name)]), 1)
        for name in self.files["library"]:
            self.assertRegex(name, r"\.so\.[\d.]+$|share/doc/libvidconv0/(copyright|changelog\.gz)$")

    def test_development_is_the_rest(self):
        self.assertTrue(self.ending("development", "include/vidconv/vidconv.h", "libvidconv.so", "libvidconv.a",
                                    "pkgconfig/vidconv.pc", "vidconvConfig.cmake"), self.files["development"])

    @unittest.skipUnless(any(Path(BUILD).glob("api/python/vidconv/_core.*.so")), "built without the Python package")
    def test_python_is_the_package_alone(self):
        files = files_of("python3")
        folder = "lib/python3/dist-packages/vidconv"
        for name in ("__init__.py", "_arrays.py", "_core.pyi", "py.typed"):
            self.assertIn(f"{folder}/{name}", files)
        self.assertEqual(len([name for name in files if name.endswith(".so")]), 1)
        self.assertTrue(any(name.endswith(".dist-info/METADATA") for name in files))
        for name in files:
            self.assertRegex(name, rf"^{folder}[-/]|^share/doc/python3-vidconv/(copyright|changelog\.gz)$")

    def test_the_library_that_is_suggested_for_cameras_is_the_one_that_is_opened(self):
        opened = re.search(rb"libavdevice\.so\.(\d+)", (Path(BUILD) / "vidconv").read_bytes())[1].decode()
        settings = (Path(BUILD) / "CPackConfig.cmake").read_text(encoding="utf-8")
        for name in ("COMMAND", "LIBRARY"):
            self.assertIn(f'set(CPACK_DEBIAN_{name}_PACKAGE_SUGGESTS "libavdevice{opened}")', settings)

    def test_no_file_is_in_two_packages(self):
        everything = [name for files in self.files.values() for name in files]
        self.assertEqual(len(everything), len(set(everything)))


unittest.main()
