#!/usr/bin/env python3
"""Everything that a build lacks is named at once, with its packages. requirements_test.py CMAKE SOURCE"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE, SOURCE = shutil.which(sys.argv[1]), sys.argv[2]
ALL = ["libfmt-dev", "libpng-dev", "libhwy-dev", "nlohmann-json3-dev", "libavcodec-dev", "libavformat-dev", "libavutil-dev",
       "libswscale-dev", "libswresample-dev"]
UNTRIED = "was not tried with this FFmpeg"
OF_COMMAND = ["libcli11-dev"]


def configure(*options, path=None, packages="/nowhere"):
    env = {**os.environ, "PKG_CONFIG_LIBDIR": packages, "PKG_CONFIG_PATH": ""}
    if path:
        env["PATH"] = path
        env.pop("CXX", None)
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([CMAKE, "-S", SOURCE, "-B", folder, *options], env=env, capture_output=True, text=True)
    return made.returncode, made.stderr


class Requirements(unittest.TestCase):
    def assert_lists(self, said, packages):
        lines = [line.split() for line in said.splitlines() if "apt-get install" in line]
        self.assertEqual(len(lines), 1, said)
        self.assertEqual(sorted(lines[0][2:]), sorted(packages))

    def test_all_libraries_at_once(self):
        code, said = configure()
        self.assertNotEqual(code, 0)
        self.assert_lists(said, ALL + OF_COMMAND)

    def test_a_wheel_needs_nothing_of_the_command(self):
        code, said = configure("-DSKBUILD=ON", f"-DPython_EXECUTABLE={sys.executable}")
        self.assertNotEqual(code, 0)
        self.assertNotIn("libcli11-dev", said)
        self.assertIn("libavcodec-dev", said)

    def test_a_system_without_compiler_and_pkg_config(self):
        with tempfile.TemporaryDirectory() as empty:
            code, said = configure(path=empty)
        self.assertNotEqual(code, 0)
        self.assert_lists(said, ["g++", "pkgconf"] + ALL + OF_COMMAND)

    def test_an_ffmpeg_that_was_not_tried(self):
        for version, tried in ("64.0.0", False), ("58.76.100", False), ("62.12.100", True):
            with tempfile.TemporaryDirectory() as folder:
                with open(f"{folder}/libavformat.pc", "w", encoding="utf-8") as file:
                    file.write(f"Name: libavformat\nDescription: a double\nVersion: {version}\n")
                code, said = configure(packages=folder)
                self.assertNotEqual(code, 0)
                self.assertEqual(UNTRIED in " ".join(said.split()), not tried, said)
                code, said = configure("-DVIDCONV_UNTRIED_FFMPEG=ON", packages=folder)
                self.assertNotIn(UNTRIED, " ".join(said.split()))
                self.assertIn("libfmt-dev", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
