#!/usr/bin/env python3
"""headers.py finds a header that needs another one before it, and an empty folder."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import headers  # noqa: E402

COMPILER = sys.argv.pop(1)


class HeadersTest(unittest.TestCase):
    def faults(self, text):
        with tempfile.TemporaryDirectory() as folder:
            if text is not None:
                (Path(folder) / "a.h").write_text(text, encoding="utf-8")
            return headers.broken(COMPILER, folder)

    def test_whole(self):
        self.assertEqual(self.faults("#pragma once\n#include <string>\ninline std::string a() { return {}; }\n"), [])

    def test_not_alone(self):
        self.assertIn("a.h does not compile alone", self.faults("#pragma once\ninline std::string a();\n")[0])

    def test_nothing_there(self):
        self.assertIn("holds no header", self.faults(None)[0])


if __name__ == "__main__":
    unittest.main()
