#!/usr/bin/env python3
"""tidy.py finds a mistake in each top folder: in a source, in a header, in a file that no target compiles."""
import json
import os
import re
import shutil
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import tidy  # noqa: E402

ROOT = Path(__file__).parents[2]
CLEAN = "int f(int x);\nint f(int x) { return x + 1; }\n"
MISTAKE = "const int* {0}();\nconst int* {0}() {{ return 0; }}\n"  # modernize-use-nullptr


@unittest.skipIf(tidy.clang_tidy() is None, "clang-tidy-14 is not installed")
class TidyTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.root)
        thinned = unittest.mock.patch.dict("os.environ")  # by tests/run.sh
        thinned.start()
        self.addCleanup(thinned.stop)
        os.environ.pop("VIDCONV_TEST_THINNING", None)
        shutil.copy(ROOT / ".clang-tidy", self.root)
        self.build = self.root / "build"
        self.build.mkdir()
        self.entries = []

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def target(self, *files):
        whole = self.write(f"build/unity_{len(self.entries)}.cxx", "".join(f'#include "{f}"\n' for f in files))
        self.entries.append({"directory": str(self.build), "file": str(whole),
                             "command": f"g++ -std=c++20 -Wshadow=local -c {whole}"})

    def check(self):
        (self.build / "compile_commands.json").write_text(json.dumps(self.entries), encoding="utf-8")
        found, left_out = tidy.check(self.root, self.build)
        return "\n".join(found), left_out

    def test_a_thinned_run_finds_all_in_as_many_days_as_there_are_shares(self):
        for i in range(9):
            self.target(self.write(f"src/{i}.cpp", MISTAKE.format(f"f{i}")))
        found = []
        for day in range(tidy.SHARES):
            with unittest.mock.patch.object(tidy, "datetime") as clock, \
                    unittest.mock.patch.dict("os.environ", VIDCONV_TEST_THINNING="26"):
                clock.date.today.return_value.toordinal.return_value = 700000 + day
                found.append(set(re.findall(r"src/(\d)\.cpp:2", self.check()[0])))
        self.assertTrue(all(len(some) < 9 for some in found), found)
        self.assertEqual(set().union(*found), set("012345678"))

    def test_clean(self):
        self.target(self.write("src/a.cpp", CLEAN))
        self.assertEqual(self.check(), ("", []))

    def test_sources_of_a_target(self):
        for top in tidy.TOPS:
            self.target(self.write(f"{top}/a.cpp", CLEAN), self.write(f"{top}/b.cpp", MISTAKE.format(top)))
        found, _ = self.check()
        for top in tidy.TOPS:
            self.assertRegex(found, f"{top}/b.cpp:2:.*modernize-use-nullptr")

    def test_headers(self):
        for top in tidy.TOPS:
            self.write(f"{top}/h.h", f"inline {MISTAKE.format(top)}")
            self.target(self.write(f"{top}/a.cpp", '#include "h.h"\n'))
        found, _ = self.check()
        for top in tidy.TOPS:
            self.assertRegex(found, f"{top}/h.h:2:.*modernize-use-nullptr")

    def test_files_of_no_target(self):
        for top in tidy.TOPS:
            self.write(f"{top}/b.cpp", MISTAKE.format(top))
        found, _ = self.check()
        for top in tidy.TOPS:
            self.assertRegex(found, f"{top}/b.cpp:2:.*modernize-use-nullptr")

    def test_what_does_not_compile(self):
        self.target(self.write("src/a.cpp", '#include "nowhere.h"\n'))
        self.write("src/b.cpp", '#include "nowhere_either.h"\n')
        found, left_out = self.check()
        self.assertIn("'nowhere.h' file not found", found)
        self.assertIn("'nowhere_either.h' file not found", found)
        self.assertEqual(left_out, [])

    def test_a_library_that_is_not_installed(self):
        self.write("src/a.cpp", "#include <cuda_of_tomorrow.h>\n")
        found, left_out = self.check()
        self.assertEqual(found, "")
        self.assertEqual(left_out, ["src/a.cpp needs cuda_of_tomorrow.h, which is not installed"])


if __name__ == "__main__":
    unittest.main()
