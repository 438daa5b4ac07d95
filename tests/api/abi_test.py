#!/usr/bin/env python3
"""The part of the C header that compiled programs depend on has not changed, and abi.py would find a change.

    abi_test.py INCLUDE_FOLDER C_COMPILER    exits with 77 where the tools are not there
"""
import platform
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import abi  # noqa: E402

INCLUDE, COMPILER = Path(sys.argv.pop(1)), sys.argv.pop(1)


class AbiTest(unittest.TestCase):
    def test_nothing_has_changed(self):
        self.assertEqual(abi.changes(INCLUDE, COMPILER), "", "see 'The C library' in CONTRIBUTING.md")

    def test_changes_are_found(self):
        for name, pattern, instead in (
                ("an argument", r"(vidconv_plan_run\(\s*vidconv_plan\* plan,\s*)size_t", r"\1int"),
                ("a result", r"VIDCONV_API int vidconv_version", "VIDCONV_API long vidconv_version"),
                ("a member", r"int32_t width, height;", "int64_t width, height;"),
                ("a function that is gone", r"VIDCONV_API int vidconv_version\(void\);", "")):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                include = Path(folder) / "include"
                shutil.copytree(INCLUDE, include)
                header = include / "vidconv" / "vidconv.h"
                text, count = re.subn(pattern, instead, header.read_text(encoding="utf-8"), count=1)
                self.assertEqual(count, 1)
                header.write_text(text, encoding="utf-8")
                self.assertNotEqual(abi.changes(include, COMPILER), "")


if __name__ == "__main__":
    if not abi.tools() or platform.machine() != "x86_64":
        print("SKIPPED: it needs abidw and abidiff (abigail-tools), on x86-64, where vidconv.abi was written")
        sys.exit(77)
    if not abi.same_tools(INCLUDE, COMPILER):
        print("SKIPPED: vidconv.abi was written by another version of abidw, in another format")
        sys.exit(77)
    unittest.main()
