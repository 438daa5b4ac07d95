#!/usr/bin/env python3
"""The installed C library as a file: its symbols and name, how it is found and linked.

    library_test.py PREFIX C_COMPILER ARGUMENTS_TEST
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import abi  # noqa: E402

PREFIX, COMPILER, ARGUMENTS_TEST = Path(sys.argv.pop(1)), sys.argv.pop(1), sys.argv.pop(1)
INCLUDE = PREFIX / "include"
HEADER = INCLUDE / "vidconv" / "vidconv.h"
LIBRARY = next(PREFIX.rglob("libvidconv.so"))


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


SANITIZED = any(f"__{name}_init" in run("nm", "-D", LIBRARY).stdout for name in ("asan", "tsan"))


class LibraryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_symbols(self):
        """The library exports what the header declares, in one version."""
        symbols = [line.split()[-1] for line in run("nm", "-D", "--defined-only", LIBRARY).stdout.splitlines()]
        names = sorted(symbol.split("@")[0] for symbol in symbols if not symbol.startswith("VIDCONV_"))
        self.assertEqual(names, sorted(abi.functions(HEADER)))
        self.assertEqual({symbol.partition("@@")[2] for symbol in symbols if "@" in symbol}, {"VIDCONV_0"})

    def test_name(self):
        self.assertIn("Library soname: [libvidconv.so.0]", run("readelf", "-d", LIBRARY).stdout)

    def test_every_function_is_given_nonsense(self):
        result = run(ARGUMENTS_TEST)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(result.stdout.split()), sorted(abi.functions(HEADER)))

    def test_header(self):
        """The header alone compiles as C99 and as C++ of any version."""
        for language, standard in (("c", "c99"), ("c", "c17"), ("c++", "c++11"), ("c++", "c++20")):
            source = self.folder / "a.txt"
            source.write_text("#include <vidconv/vidconv.h>\nint f(void);\nint f(void) {\n"
                              "  vidconv_error e = VIDCONV_INIT(vidconv_error);\n  return e.status;\n}\n",
                              encoding="utf-8")
            result = run(COMPILER, f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                         f"-I{INCLUDE}", "-x", language, source)
            self.assertEqual(result.returncode, 0, result.stderr)

    @unittest.skipIf(SANITIZED, "a sanitizer wants to be linked too")
    def test_pkg_config(self):
        """A program links with pkg-config's flags, to the shared library and to the static one."""
        source = self.folder / "a.c"
        source.write_text("#include <vidconv/vidconv.h>\nint main(void) {\n  vidconv_filter *filter;\n"
                          "  return vidconv_filter_parse(\"box\", &filter, NULL) || vidconv_version() != VIDCONV_VERSION;\n}\n",
                          encoding="utf-8")
        environment = dict(os.environ, PKG_CONFIG_PATH=str(next(PREFIX.rglob("vidconv.pc")).parent))
        for static in ([], ["--static"]):
            flags = run("pkg-config", "--cflags", "--libs", *static, "vidconv", env=environment).stdout.split()
            self.assertIn("-lvidconv", flags)
            if static:
                flags[flags.index("-lvidconv")] = "-l:libvidconv.a"
            result = run(COMPILER, source, *flags, f"-Wl,-rpath,{LIBRARY.parent}", "-o", self.folder / "a")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(run(self.folder / "a").returncode, 0)
            needs = run("readelf", "-d", self.folder / "a").stdout
            self.assertEqual("libvidconv.so.0" in needs, not static)


if __name__ == "__main__":
    unittest.main()
