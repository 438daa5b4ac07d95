#!/usr/bin/env python3
"""house.py finds each kind of fault: one is planted in a copy of the house at a time."""
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import house  # noqa: E402

ROOT = Path(__file__).parents[2]


class HouseTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for top in house.TOPS:
            if (ROOT / top).is_dir():
                shutil.copytree(ROOT / top, self.root / top)
        (self.root / "docs").mkdir()
        shutil.copy(ROOT / "docs" / "architecture.md", self.root / "docs")

    def plant(self, file, line):
        path = self.root / file
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8") as out:
            out.write(line + "\n")

    def expect(self, *words):
        faults = house.check(self.root)
        self.assertTrue(any(all(word in fault for word in words) for fault in faults), faults)

    def test_as_it_is(self):
        self.assertEqual(house.check(self.root), [])

    def test_circle(self):
        self.plant("kernels/picture/plane.h", '#include "kernels/plan/plan.h"')
        self.expect("a circle: ", "kernels/picture", "kernels/plan")

    def test_arrow_that_is_not_listed(self):
        self.plant("kernels/spec/parse.cpp", '#include "kernels/light/light.h"')
        self.expect("no arrow kernels/spec -> kernels/light", "kernels/spec/parse.cpp")

    def test_arrow_between_tops(self):
        self.plant("pipeline/run/run.cpp", '#include "src/help/words.h"')
        self.expect("no arrow pipeline/run -> src")

    def test_include_of_nothing(self):
        self.plant("src/help/words.h", '#include "words_of_old.h"')
        self.expect("src/help/words.h", "words_of_old.h", "no file")

    def test_room_that_is_not_listed(self):
        self.plant("pipeline/attic/box.h", "#pragma once")
        self.expect("no row for pipeline/attic/")

    def test_code_beside_rooms(self):
        self.plant("pipeline/loose.h", "#pragma once")
        self.expect("pipeline/ has rooms, and code of its own beside them")

    def test_arrow_that_nothing_uses(self):
        page = self.root / "docs" / "architecture.md"
        text = page.read_text(encoding="utf-8")
        rows = [line for line in text.splitlines() if line.startswith("| `base` |")]
        self.assertTrue(rows)
        planted = text.replace(rows[0], rows[0].rsplit("|", 2)[0] + "| picture |")
        page.write_text(planted, encoding="utf-8")
        self.expect("lists the arrow kernels/base -> picture, which nothing uses")

    def test_row_without_a_room(self):
        shutil.rmtree(self.root / "kernels" / "study")
        self.expect("lists kernels/study/, where there is no code")


if __name__ == "__main__":
    unittest.main()
