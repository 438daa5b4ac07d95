#!/usr/bin/env python3
"""bench/scripts/python_peers.py: its filters are vidconv's, and, where this Python has VapourSynth, what it says of peers.

    python_peers_test.py VIDCONV [Filters | VapourSynth]
"""
import array
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/scripts"))
import python_peers as peers  # noqa: E402

VIDCONV = sys.argv.pop(1)
WIDTH, HEIGHT = 160, 120
try:
    import vapoursynth  # noqa: F401
except ImportError:
    vapoursynth = None


def spec_of(kind, size):
    if kind == "dense":
        taps = peers.dense_taps(size)
        return "matrix:" + ";".join(" ".join(map(str, taps[i:i + size])) for i in range(0, len(taps), size)) + ":scale=1/256"
    return {"box": f"box:size={size}", "gaussian": f"gaussian:sigma={size / 6}:radius={size // 2}", "sobel": "sobel",
            "sobel-x": "sobel:axis=x", "binomial": f"binomial:size={size}", "sharpen": "sharpen", "unsharp": "unsharp:sigma=0.6"}[kind]


class Filters(unittest.TestCase):
    def filtered(self, spec, source):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "in.y4m")
            path.write_bytes(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 Cmono\nFRAME\n".encode() + source.tobytes())
            done = subprocess.run([VIDCONV, path, "-o", "-", "--format", "raw", "--device", "cpu", "-q", "--kernel", spec],
                                  check=True, stdout=subprocess.PIPE)
        return array.array("B", done.stdout)

    def test_are_vidconvs(self):
        source = peers.noise(8, WIDTH * HEIGHT)
        for kind, sizes in peers.KINDS.items():
            for size in sizes:
                equal, off = peers.check(peers.Filter(kind, size), 8, source, self.filtered(spec_of(kind, size), source), WIDTH, HEIGHT)
                with self.subTest(kind=kind, size=size, equal=equal):
                    self.assertLessEqual(off, 1)

    def test_another_filter_is_told(self):
        source = peers.noise(8, WIDTH * HEIGHT)
        equal, off = peers.check(peers.Filter("gaussian", 9), 8, source, self.filtered("gaussian:sigma=1.6:radius=4", source), WIDTH, HEIGHT)
        self.assertGreater(off, 1)
        self.assertLess(equal, 90)

    def test_integer_taps_are_near(self):
        row = peers.gaussian_row(17 / 6, 17)
        taps = peers.integer_taps(row, 1023)
        self.assertLessEqual(max(taps), 1023)
        self.assertLess(max(abs(tap / sum(taps) - wanted) for tap, wanted in zip(taps, row)), 1 / 5000)


@unittest.skipUnless(vapoursynth, "this Python has no VapourSynth")
class VapourSynth(unittest.TestCase):
    def rows(self, *options):
        done = subprocess.run([sys.executable, ROOT / "bench/scripts/python_peers.py", "--peer", "vapoursynth", "--frame", "chroma", "--pairs", "2",
                               "--seconds", "0.001", "--json", "-", *options], capture_output=True, text=True, check=True)
        table = json.loads(done.stdout)["tables"][0]
        return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]

    def test_is_timed_and_right(self):
        rows = self.rows("--check", "--depth", "8", "--depth", "10", "--depth", "16", "--depth", "32",
                         *(f"--kind={kind}" for kind in ("box", "sobel", "sobel-x", "binomial", "dense", "sharpen")), "--size", "3")
        self.assertEqual({row["bits"] for row in rows}, {"8", "10", "16", "32"})
        self.assertEqual({row["filter"] for row in rows}, {"box 3", "sobel 3", "sobel-x 3", "binomial 3", "dense 3", "sharpen 3"})
        for row in rows:
            with self.subTest(row=row):
                self.assertGreater(row["peer us"], 1)  # half a million samples
                if row["peer"] in ("VapourSynth Convolution 3x3", "VapourSynth Sobel"):
                    self.assertLessEqual(row["peer off by"], 1e-5 if row["bits"] == "32" else 0.51)

    def test_all_nodes_of_a_filter_are_timed(self):
        here = peers.VapourSynth()
        here.load(8, peers.noise(8, WIDTH * HEIGHT), WIDTH, HEIGHT, 2)
        names = {name: [node.node_name for node in here.nodes(make(here.clip))] for name, make in here.ways(peers.Filter("box", 3))}
        self.assertEqual(names["VapourSynth Convolution 3x3"], ["Convolution"])
        self.assertEqual(names["VapourSynth BoxBlur"].count("BoxBlur"), 2)

    def test_without_check_there_is_no_column_of_it(self):
        for row in self.rows("--kind", "sobel"):
            self.assertNotIn("equal %", row)


if __name__ == "__main__":
    unittest.main()
