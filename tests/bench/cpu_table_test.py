#!/usr/bin/env python3
"""bench/scripts/cpu_table.py: what counts, what is behind, and that what it merged says the same again."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/scripts/cpu_table.py"
COLUMNS = ["filter", "bits", "frame", "variant", "vidconv us", "Gsample/s", "peer", "peer us", "peer / vidconv"]
CHECKED = COLUMNS + ["equal %", "peer off by", "vidconv off by"]


def ours(filter_, microseconds, peer="", time=None, bits="8", frame="4K", variant="cpu-conv-u8-vnni"):
    return [filter_, bits, frame, variant, microseconds, 1.0, peer, time, None]


def theirs(filter_, peer, time, bits="8", frame="4K"):
    return [filter_, bits, frame, None, None, None, peer, time, None]


def report(*rows, columns=None, machine="a CPU"):
    return {"schema": 1, "command": "", "date": "2026-01-02", "machine": [machine],
            "tables": [{"id": "kernels-cpu", "title": "", "columns": columns or COLUMNS, "rows": list(rows), "notes": []}]}


class CpuTable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def table(self, *reports, options=()):
        files = []
        for i, content in enumerate(reports):
            files.append(self.folder / f"{i}.json")
            files[-1].write_text(json.dumps(content))
        return subprocess.run([sys.executable, SCRIPT, *options, *files], capture_output=True, text=True)

    def cells(self, done, filter_):
        """Returns a row's cells by the table's column names."""
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines() if line.startswith("|")]
        line, = [line for line in lines if line[0] == filter_]
        return dict(zip(lines[0], line))

    def test_the_fastest_of_all_files_counts(self):
        done = self.table(report(ours("box 3", 1100.0, "IPP a", 3000.0)), report(ours("box 3", 1000.0, "IPP b", 2000.0)),
                          report(theirs("box 3", "vszip BoxBlur", 1500.0)))
        cells = self.cells(done, "box 3")
        self.assertEqual((cells["vidconv"], cells["IPP"], cells["vszip"], cells["best / vidconv"]), ("1.00", "2.00", "1.50", "1.50"))
        self.assertIn("vidconv is behind in 0 ", done.stdout)

    def test_a_peer_that_is_ahead_is_told(self):
        done = self.table(report(ours("box 3", 1000.0, "IPP a", 800.0)))
        self.assertEqual(self.cells(done, "box 3")["best / vidconv"], "**0.80**")
        self.assertEqual(self.cells(done, "box 3")["IPP"], "**0.800**")
        self.assertIn("vidconv is behind in 1 (0 ", done.stdout)
        late = self.table(report(ours("box 3", 1000.0, "IPP a", 800.0)), options=["--behind"])
        self.assertEqual(late.stdout, "0.80 4K 8 bits box 3: cpu-conv-u8-vnni 1.00, IPP 0.800\n")

    def test_a_peer_that_is_wrong_is_not_ahead(self):
        times = report(ours("box 3", 1000.0, "IPP a", 800.0), ours("sobel-x 3", 1000.0, "IPP a", 800.0))
        checked = report(*(ours(name, 9.0, "IPP a", 9.0, frame="chroma") + [50.0, 1.5, 0.5] for name in ("box 3", "sobel-x 3")),
                         columns=CHECKED, machine="another CPU")
        done = self.table(times, checked, options=["--frame", "4K"])
        self.assertEqual(self.cells(done, "box 3")["IPP"], "~0.800")
        self.assertEqual(self.cells(done, "box 3")["best / vidconv"], "–")
        self.assertEqual(self.cells(done, "sobel-x 3")["IPP"], "**0.800**")  # IPP clamps; vidconv takes absolute values
        self.assertIn("(~), too: 1.", done.stdout)
        self.assertNotIn("another CPU", done.stdout)

    def test_floats_are_measured_by_how_far_vidconv_is_off(self):
        times = report(*(ours("box 31", 1000.0, peer, 800.0, bits="32") for peer in ("IPP a", "vszip b")))
        checked = report(*(ours("box 31", 9.0, peer, 9.0, bits="32", frame="chroma") + [50.0, off, 1e-7]
                           for peer, off in (("IPP a", 4e-7), ("vszip b", 8e-7))), columns=CHECKED)
        cells = self.cells(self.table(times, checked, options=["--frame", "4K"]), "box 31")
        self.assertEqual((cells["IPP"], cells["vszip"]), ("**0.800**", "~0.800"))

    def test_memcpy_is_how_fast_one_can_be(self):
        done = self.table(report(ours("copy 1", 500.0, "memcpy", 600.0), ours("box 3", 1000.0, "IPP a", 800.0),
                                 ours("box 5", 1000.0, "IPP a", 1000.0)))
        self.assertEqual(self.cells(done, "box 3")["best / vidconv"], "**0.80 m**")
        self.assertEqual(self.cells(done, "box 5")["best / vidconv"], "1.00")
        self.assertEqual(self.cells(done, "box 5")["vidconv / memcpy"], "1.67")
        self.assertIn("behind in 1 (1 of them", done.stdout)

    def test_what_it_merged_says_the_same(self):
        merged = self.folder / "merged.json"
        done = self.table(report(ours("copy 1", 500.0, "memcpy", 600.0), ours("box 3", 1000.0, "IPP a", 800.0)),
                          report(theirs("box 3", "vszip BoxBlur", 1500.0) + [99.0, 1.3, None], columns=CHECKED),
                          options=["--json", str(merged)])
        again = self.table(json.loads(merged.read_text()))
        self.assertIn("~1.50", done.stdout)
        self.assertEqual(again.stdout, done.stdout)

    def test_what_was_refused_is_left_out(self):
        cells = self.cells(self.table(report(ours("box 3", 1000.0, "IPP a", "refused: no"))), "box 3")
        self.assertNotIn("IPP", cells)
        self.assertEqual(cells["best / vidconv"], "–")

    def test_files_without_vidconv_are_told(self):
        self.assertIn("none of these files", self.table(report(theirs("box 3", "vszip BoxBlur", 1.0))).stderr)


if __name__ == "__main__":
    unittest.main()
