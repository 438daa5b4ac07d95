#!/usr/bin/env python3
"""samples/boxes.py: what it makes of each kind of file, and that vidconv takes it.

    boxes_test.py VIDCONV
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "samples" / "boxes.py"
VIDCONV = "vidconv"


def run_length_text(counts):
    """As pycocotools' rleToString() writes it."""
    text = ""
    for index, count in enumerate(counts):
        value, more = count - (counts[index - 2] if index > 2 else 0), True
        while more:
            code = value & 31
            value >>= 5
            more = value != -1 if code & 16 else value != 0
            text += chr((code | 32 if more else code) + 48)
    return text


class Boxes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return str(Path(self.folder.name) / name)

    def write(self, name, content):
        Path(self.path(name)).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return self.path(name)

    def boxes(self, *words):
        done = subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        file = self.write("made.jsonl", done.stdout)
        taken = subprocess.run([VIDCONV, "pattern:200x100@25#50", "-o", "null:", "-q", "--progress", "none", "--kernel",
                                "fill:black", "--regions", file], capture_output=True, text=True, check=False)
        self.assertEqual(taken.returncode, 0, taken.stderr)
        return lines

    def refused(self, *words, said=""):
        done = subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(said, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_yolo(self):
        Path(self.path("labels")).mkdir()
        self.write("labels/clip_3.txt", "0 0.5 0.5 0.25 0.5 0.9\n")
        self.write("labels/clip_4.txt", "1 0.1 0.1 0.2 0.1 0.2 0.3 0.1 0.3\n\n")
        self.assertEqual(self.boxes("yolo", self.path("labels"), "--size", "200x100"),
                         [{"frame": 3, "box": [75, 25, 50, 50]}, {"frame": 4, "box": [20, 10, 20, 20]}])
        self.assertEqual(self.boxes("yolo", self.path("labels"), "--size", "200x100", "--label", "0", "--first", "1"),
                         [{"frame": 2, "box": [75, 25, 50, 50]}])
        self.write("t_0.txt", "0 0.5 0.5 0.25 0.5 0.9 7\n")
        self.assertEqual(self.boxes("yolo", self.path("t_0.txt"), "--size", "200x100", "--tracks")[0]["id"], 7)

    def test_coco(self):
        runs = [205, 3, 97, 3, 19692]  # rows 5 to 7 of columns 2 and 3, of 100 rows
        data = {"images": [{"id": 8, "file_name": "b.png"}, {"id": 9, "file_name": "a.png"}],
                "categories": [{"id": 1, "name": "face"}],
                "annotations": [{"image_id": 8, "category_id": 1, "bbox": [1, 2, 3, 4]},
                                {"image_id": 9, "segmentation": [[10, 10, 30, 10, 20, 25]]},
                                {"image_id": 9, "segmentation": {"size": [100, 200], "counts": run_length_text(runs)}},
                                {"image_id": 9, "segmentation": {"size": [100, 200], "counts": runs}}]}
        wanted = [[1, 2, 3, 4], [10, 10, 20, 15], [2, 5, 2, 3], [2, 5, 2, 3]]
        lines = self.boxes("coco", self.write("c.json", data))
        self.assertEqual([line["box"] for line in lines], wanted)
        self.assertEqual([line["frame"] for line in lines], [8, 9, 9, 9])
        lines = self.boxes("coco", self.path("c.json"), "--by-name")
        self.assertEqual([line["frame"] for line in lines], [1, 0, 0, 0])
        self.assertEqual(len(self.boxes("coco", self.path("c.json"), "--label", "face")), 1)

    def test_cvat(self):
        text = """<annotations><track id="4" label="face">
          <box frame="2" outside="0" xtl="10" ytl="20" xbr="30" ybr="50"/>
          <box frame="5" outside="1" xtl="10" ytl="20" xbr="30" ybr="50"/>
          <box frame="9" outside="0" xtl="12" ytl="20" xbr="30" ybr="50"/></track>
          <image id="1" name="x"><polygon label="plate" points="1,2;5,2;5,9"/><ellipse label="e" cx="50" cy="40" rx="5" ry="9"/>
          <box label="b" xtl="10" ytl="10" xbr="30" ybr="20" rotation="90"/></image></annotations>"""
        self.assertEqual(self.boxes("cvat", self.write("c.xml", text)), [
            {"frame": 2, "id": "4/0", "box": [10, 20, 20, 30]}, {"frame": 9, "id": "4/1", "box": [12, 20, 18, 30]},
            {"frame": 1, "box": [1, 2, 4, 7]}, {"frame": 1, "box": [45, 31, 10, 18], "shape": "ellipse"},
            {"frame": 1, "box": [15, 5, 10, 20]}])

    def test_mot(self):
        self.assertEqual(self.boxes("mot", self.write("d.txt", "1,7,10,20,30,40,0.9,-1,-1,-1\n3,-1,1,2,3,4\n")),
                         [{"frame": 0, "id": 7, "box": [10, 20, 30, 40]}, {"frame": 2, "box": [1, 2, 3, 4]}])

    def test_rekognition(self):
        box = {"Left": 0.5, "Top": 0.1, "Width": 0.25, "Height": 0.5}
        data = {"Faces": [{"Timestamp": 480, "Face": {"BoundingBox": box}}],
                "Persons": [{"Timestamp": 0, "Person": {"Index": 3, "BoundingBox": box}}],
                "Labels": [{"Timestamp": 40, "Label": {"Name": "Car", "Instances": [{"BoundingBox": box}]}}]}
        lines = self.boxes("rekognition", self.write("r.json", data), "--size", "200x100")
        self.assertEqual(lines, [{"time": 0.48, "box": [100, 10, 50, 50]}, {"time": 0.0, "id": 3, "box": [100, 10, 50, 50]},
                                 {"time": 0.04, "box": [100, 10, 50, 50]}])

    def test_label_studio(self):
        place = {"x": 50, "y": 10, "width": 25, "height": 50, "rotation": 0}
        sequence = [{"frame": 1, **place}, {"frame": 5, **place, "enabled": False}, {"frame": 9, **place}]
        data = [{"annotations": [{"result": [
            {"id": "ab", "type": "videorectangle", "value": {"sequence": sequence, "labels": ["face"]}},
            {"id": "cd", "type": "rectanglelabels", "value": {**place, "rectanglelabels": ["plate"]}},
            {"type": "choices", "value": {"choices": ["x"]}}]}]}]
        box = [100, 10, 50, 50]
        self.assertEqual(self.boxes("label-studio", self.write("l.json", data), "--size", "200x100"), [
            {"frame": 0, "id": "ab/0", "box": box}, {"frame": 4, "id": "ab/0", "box": box},
            {"frame": 8, "id": "ab/1", "box": box}, {"frame": 0, "box": box}])

    def test_masks_hold_what_is_inside(self):
        data = [{"image_id": 0, "segmentation": [[2, 2, 10, 2, 10, 8, 2, 8]]},
                {"image_id": 2, "segmentation": {"size": [12, 16], "counts": [14, 3, 175]}}]
        mask = self.path("mask.mkv")
        done = subprocess.run([sys.executable, SCRIPT, "coco", self.write("c.json", data), "--mask", mask, "--size", "16x12",
                               "--frames", "4"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", mask, "-f", "rawvideo", "-pix_fmt", "gray", "-"],
                             capture_output=True, check=True).stdout
        self.assertEqual(len(raw), 4 * 16 * 12)
        frames = [[raw[f * 192 + y * 16:f * 192 + y * 16 + 16] for y in range(12)] for f in range(4)]
        for y in range(3, 7):
            self.assertEqual(set(frames[0][y][2:10]), {255}, y)
        self.assertTrue(all(set(row[12:]) == {0} for row in frames[0]))
        self.assertEqual(set(b"".join(frames[1] + frames[3])), {0})
        self.assertEqual([(x, y) for y in range(12) for x in range(16) if frames[2][y][x]], [(1, 2), (1, 3), (1, 4)])
        taken = subprocess.run([VIDCONV, "pattern:16x12@25#4", "-o", "null:", "-q", "--kernel", f"fill:black:mask={mask}"],
                               capture_output=True, text=True, check=False)
        self.assertEqual(taken.returncode, 0, taken.stderr)

    def test_what_is_not_understood_is_refused_with_its_place(self):
        sized = ("--size", "200x100")
        self.refused("yolo", self.write("a_1.txt", "0 0.5 0.5 0.2 0.2\n"), said="--size")
        self.refused("yolo", self.write("a_1.txt", "0 0.5 0.5 0.2\n"), *sized, said="line 1")
        self.refused("yolo", self.write("a_1.txt", "0 50 50 20 20\n"), *sized, said="line 1: its numbers are pixels")
        self.refused("yolo", self.write("a_1.txt", "0 .5 .5 .2 .2 .9 3\n"), *sized, said="--tracks")
        self.refused("yolo", self.write("name.txt", "0 0.5 0.5 0.2 0.2\n"), *sized, said="number of a frame")
        self.refused("mot", self.write("m.txt", "1,1,1,1,5,5\n2,1,x,1,5,5\n"), said="line 2")
        self.refused("mot", self.write("m.txt", "0,1,1,1,5,5\n"), said="frame -1")
        self.refused("mot", self.write("m.txt", "1,1,1,1,0,5\n"), said="holds nothing")
        self.refused("mot", self.write("m.txt", "\n"), said="no box")
        self.refused("coco", self.write("c.json", "[{"), said="line 1 column 3")
        self.refused("coco", self.write("c.json", [{"image_id": 1}]), said="annotation 1")
        self.refused("coco", self.write("c.json", [{"image_id": 1, "segmentation": {"size": [3, 3], "counts": [4]}}]),
                     said="runs are of 4 pixels")
        self.refused("coco", self.write("c.json", [{"image_id": 1, "segmentation": [[1, 2, 3, 4]]}]), said="three points")
        self.refused("cvat", self.write("c.xml", "<a><b></a>"), said="c.xml")
        self.refused("cvat", self.write("c.xml", '<a><image id="1"><polyline points="1,2;3,4"/></image></a>'), said="polyline")
        self.refused("rekognition", self.write("r.json", {"Things": []}), *sized, said="Faces")
        self.refused("label-studio", self.write("l.json", [{"annotations": [{"result": [{"type": "brush", "value": {}}]}]}]),
                     *sized, said="task 1")
        self.refused("mot", self.path("none.txt"), said="none.txt")
        self.refused("mot", self.write("m.txt", "1,1,1,1,5,5\n"), "--label", "face", said="with that label")


if __name__ == "__main__":
    VIDCONV = sys.argv.pop(1)
    unittest.main()
