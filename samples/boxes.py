#!/usr/bin/env python3
"""Boxes of what other programs write, as vidconv --regions takes them.

    boxes.py yolo LABELS --size 1920x1080 > faces.jsonl        a folder of NAME_NUMBER.txt, or one such file
    boxes.py coco annotations.json > faces.jsonl               bbox, polygons and RLE; the frame is image_id, or counted by --by-name
    boxes.py cvat annotations.xml > faces.jsonl                "CVAT for video" and "for images": boxes, polygons, ellipses
    boxes.py mot det.txt > faces.jsonl                         frame from 1, id, left, top, width, height
    boxes.py rekognition faces.json --size 1920x1080 > ...     Timestamp in milliseconds, BoundingBox in parts
    boxes.py label-studio export.json --size 1920x1080 > ...   videorectangle (frames from 1) and rectanglelabels
    boxes.py coco annotations.json --mask mask.mkv --size 1920x1080 --frames 250 --rate 25

With --mask outlines (polygons, RLE as SAM writes it, ellipses, boxes) become a mask video, white inside, for
--kernel ...:mask=mask.mkv, made by ffmpeg. Else each is the box around it. --label NAME, which may be repeated, leaves out all others.
Whatever a file says that is not understood ends this with exit code 2 and a line that says where: no box is lost.
"""

import argparse
import json
import math
import re
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path


class Wrong(Exception):
    """What is wrong, and where."""


class Shape:
    """Something on one frame, or at one time in seconds: a box, and what is known of its outline."""

    def __init__(self, box, frame=None, time=None, track=None, label="", polygons=(), rle=None, ellipse=False):
        x, y, width, height = box
        if not all(math.isfinite(v) for v in box) or width <= 0 or height <= 0:
            raise Wrong(f"the box {list(box)} holds nothing")
        if (frame is None) == (time is None) or (frame is not None and (frame < 0 or frame != int(frame))):
            raise Wrong(f"there is no frame {frame}")
        self.box, self.frame, self.time, self.track, self.label = (x, y, width, height), frame, time, track, label
        self.polygons, self.rle, self.ellipse = list(polygons), rle, ellipse

    def line(self):
        words = {"frame": int(self.frame)} if self.frame is not None else {"time": self.time}
        if self.track is not None:
            words["id"] = self.track
        words["box"] = [round(v, 3) for v in self.box]
        if self.ellipse:
            words["shape"] = "ellipse"
        return json.dumps(words)


def number(text, what):
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise Wrong(f"{what}, {text!r}, is not a number")
    return value


def around(polygons):
    xs = [x for polygon in polygons for x, _ in polygon]
    ys = [y for polygon in polygons for _, y in polygon]
    return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)


def points(values, what):
    flat = [number(v, what) for v in values]
    if len(flat) < 6 or len(flat) % 2:
        raise Wrong(f"{what} has {len(flat)} numbers, and a polygon needs three points or more")
    return list(zip(flat[::2], flat[1::2]))


def at(where, read, *values):
    try:
        return read(*values)
    except Wrong as wrong:
        raise Wrong(f"{where}: {wrong}") from None
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise Wrong(f"{where}: it lacks {error}") from None


# A line each: class, the middle's x and y, width, height (all in parts), and perhaps confidence, or class and a polygon;
# a track's number comes last where ultralytics tracks.
def yolo(path, options):
    size = needed_size(options)
    path = Path(path)
    files = sorted(path.glob("*.txt")) if path.is_dir() else [path]
    for file in files:
        found = re.search(r"(\d+)$", file.stem)
        if not found:
            raise Wrong(f"{file}: its name does not end in the number of a frame")
        frame = int(found[1]) - options.first
        for index, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if text.strip():
                yield at(f"{file} line {index}", yolo_line, text.split(), frame, size, options)


def yolo_line(cells, frame, size, options):
    values = [number(cell, "a cell") for cell in cells]
    label = cells[0]
    if len(values) == 7 and not options.tracks:
        raise Wrong("seven cells are a box with confidence and track (--tracks), or a triangle")
    if len(values) in (5, 6, 7):
        x, y, w, h = (v * s for v, s in zip(values[1:5], size * 2))
        if max(values[1:5]) > 1.5:
            raise Wrong("its numbers are pixels, and YOLO's are parts of the picture")
        track = int(values[-1]) if options.tracks and len(values) > 5 else None
        return Shape((x - w / 2, y - h / 2, w, h), frame, track=track, label=label)
    polygon = [(x * size[0], y * size[1]) for x, y in points(cells[1:], "the polygon")]
    return Shape(around([polygon]), frame, label=label, polygons=[polygon])


def coco(path, options):
    data = read_json(path)
    images = {image["id"]: image for image in data.get("images", [])} if isinstance(data, dict) else {}
    names = {c["id"]: c.get("name", "") for c in data.get("categories", [])} if isinstance(data, dict) else {}
    order = {image["id"]: i for i, image in enumerate(sorted(images.values(), key=lambda i: i.get("file_name", "")))}
    annotations = data["annotations"] if isinstance(data, dict) else data
    for index, one in enumerate(annotations, 1):
        yield at(f"annotation {index}", coco_one, one, names, order, options)


def coco_one(one, names, order, options):
    image = one["image_id"]
    frame = order[image] if options.by_name else image - options.first
    outline = one.get("segmentation")
    polygons, rle = [], None
    if isinstance(outline, list) and outline:
        polygons = [points(p, "the polygon") for p in outline]
    elif isinstance(outline, dict):
        rle = Rle(outline)
    box = one.get("bbox")
    if box is None and rle is None and not polygons:
        raise Wrong("it has neither bbox nor segmentation")
    if box is None:
        box = rle.box() if rle else around(polygons)
    return Shape([number(v, "the bbox") for v in box], frame, track=one.get("track_id"),
                 label=names.get(one.get("category_id"), ""), polygons=polygons, rle=rle)


class Rle:
    """COCO's run lengths, down the columns, zeros first: a list, or the text that pycocotools and SAM write."""

    def __init__(self, outline):
        self.height, self.width = (int(v) for v in outline["size"])
        counts = outline["counts"]
        self.runs = list(counts) if isinstance(counts, list) else self.decode(counts)
        if sum(self.runs) != self.width * self.height or min(self.runs, default=0) < 0:
            raise Wrong(f"its runs are of {sum(self.runs)} pixels, and the mask is {self.width}x{self.height}")

    @staticmethod
    def decode(text):
        runs, at_ = [], 0
        while at_ < len(text):
            value, shift, more = 0, 0, True
            while more:
                if at_ == len(text):
                    raise Wrong("its runs end in the middle of a number")
                code = ord(text[at_]) - 48
                if not 0 <= code < 64:
                    raise Wrong(f"its runs have the letter {text[at_]!r}")
                value |= (code & 31) << shift
                more, shift, at_ = code & 32, shift + 5, at_ + 1
            if code & 16:
                value -= 1 << shift
            runs.append(value + (runs[-2] if len(runs) > 2 else 0))
        return runs

    def columns(self):
        """(x, from, to) of what is inside, in one column each."""
        start = 0
        for index, run in enumerate(self.runs):
            end = start + run
            while index % 2 and start < end:
                x, y = divmod(start, self.height)
                stop = min(end, (x + 1) * self.height)
                yield x, y, y + stop - start
                start = stop
            start = end

    def box(self):
        inside = list(self.columns())
        if not inside:
            raise Wrong("its mask is empty")
        left, top = min(x for x, _, _ in inside), min(y for _, y, _ in inside)
        return left, top, max(x for x, _, _ in inside) + 1 - left, max(y for _, _, y in inside) - top


def cvat(path, _options):
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except xml.etree.ElementTree.ParseError as error:
        raise Wrong(f"{path}: {error}") from None
    for track in root.iter("track"):
        for index, one in enumerate(track, 1):
            if one.get("outside") == "1":
                continue  # it has left the picture
            yield at(f"track {track.get('id')} shape {index}", cvat_one, one, int(one.get("frame")),
                     f"{track.get('id')}/{cvat_stay(track, one)}", track.get("label", ""))
    for image in root.iter("image"):
        for index, one in enumerate(image, 1):
            if one.tag in ("box", "polygon", "ellipse", "polyline", "points", "mask", "cuboid", "skeleton"):
                yield at(f"image {image.get('id')} shape {index}", cvat_one, one, int(image.get("id")), None,
                         one.get("label", ""))


def cvat_stay(track, one):
    """How often it had left before: between two stays nothing is to be hidden, so each has an id of its own."""
    stays = 0
    for other in track:
        if other is one:
            return stays
        stays += other.get("outside") == "1"
    return stays


def cvat_one(one, frame, track, label):
    def value(name):
        return number(one.get(name), name)

    if one.tag == "box":
        box = (value("xtl"), value("ytl"), value("xbr") - value("xtl"), value("ybr") - value("ytl"))
        turn = math.radians(number(one.get("rotation", "0"), "rotation"))
        if turn == 0:
            return Shape(box, frame, track=track, label=label)
        x, y, w, h = box
        polygon = [(x + w / 2 + math.cos(turn) * a - math.sin(turn) * b, y + h / 2 + math.sin(turn) * a + math.cos(turn) * b)
                   for a, b in ((-w / 2, -h / 2), (w / 2, -h / 2), (w / 2, h / 2), (-w / 2, h / 2))]
        return Shape(around([polygon]), frame, track=track, label=label, polygons=[polygon])
    if one.tag == "polygon":
        polygon = points(re.split("[,;]", one.get("points")), "the polygon")
        return Shape(around([polygon]), frame, track=track, label=label, polygons=[polygon])
    if one.tag == "ellipse":
        box = (value("cx") - value("rx"), value("cy") - value("ry"), 2 * value("rx"), 2 * value("ry"))
        return Shape(box, frame, track=track, label=label, ellipse=True)
    raise Wrong(f"a {one.tag} has no inside that is known here")


def mot(path, options):
    for index, text in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if text.strip():
            yield at(f"line {index}", mot_line, text.split(","), options)


def mot_line(cells, options):
    values = [number(cell, "a cell") for cell in cells[:6]]
    if len(values) < 6:
        raise Wrong(f"it has {len(values)} cells, and needs six")
    track = int(values[1]) if values[1] >= 0 else None
    return Shape(values[2:6], values[0] - options.first, track=track, label=cells[7].strip() if len(cells) > 7 else "")


def rekognition(path, options):
    size = needed_size(options)
    data = read_json(path)
    kinds = [k for k in ("Faces", "Persons", "Labels", "Celebrities", "TextDetections") if k in data]
    if not kinds:
        raise Wrong(f"{path}: it has no Faces, Persons, Labels, Celebrities or TextDetections")
    for kind in kinds:
        for index, one in enumerate(data[kind], 1):
            for shape in at(f"{kind} {index}", rekognition_one, kind, one, size):
                yield shape


def rekognition_one(kind, one, size):
    time = number(one["Timestamp"], "the Timestamp") / 1000
    what = {"Faces": "Face", "Persons": "Person", "Labels": "Label", "Celebrities": "Celebrity"}.get(kind)
    inner = one[what] if what else one["TextDetection"]
    found = inner.get("Instances", []) if kind == "Labels" else [inner]
    shapes = []
    for each in found:
        box = each.get("BoundingBox") or each.get("Geometry", {}).get("BoundingBox") or each["Face"]["BoundingBox"]
        x, y, w, h = (number(box[k], k) * s for k, s in zip(("Left", "Top", "Width", "Height"), size * 2))
        shapes.append(Shape((x, y, w, h), time=time, track=inner.get("Index"), label=inner.get("Name", kind)))
    return shapes


def label_studio(path, options):
    size = needed_size(options)
    for index, task in enumerate(read_json(path), 1):
        for annotation in task.get("annotations", task.get("completions", [])):
            for result in annotation["result"]:
                yield from at(f"task {index}", label_studio_one, result, size, index, options)


def label_studio_one(result, size, index, options):
    value = result["value"]
    label = (value.get("labels") or value.get("rectanglelabels") or [""])[0]

    def box(of):
        return [number(of[k], k) * s / 100 for k, s in zip(("x", "y", "width", "height"), size * 2)]

    if "sequence" in value:
        shapes, stay = [], 0
        for one in value["sequence"]:
            # The last line of a stay says where it ends; what follows is another.
            shapes.append(Shape(box(one), one["frame"] - 1, track=f"{result['id']}/{stay}", label=label))
            stay += one.get("enabled", True) is False
        return shapes
    if "rectanglelabels" in value or result.get("type") == "rectangle":
        if value.get("rotation"):
            raise Wrong("a rectangle that is turned is not known here")
        return [Shape(box(value), index - 1, label=label)]
    if result.get("type") in ("choices", "labels", "textarea", "timelinelabels"):
        return []
    raise Wrong(f"a result of type {result.get('type')} has no box that is known here")


def read_json(path):
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise Wrong(f"{path} line {error.lineno} column {error.colno}: {error.msg}") from None


def needed_size(options):
    if not options.size:
        raise Wrong("numbers are parts of the picture there: give its size, as --size 1920x1080")
    return options.size


def draw(shape, mask, width, height):
    """White for each pixel that is inside, and for those that an edge passes through."""
    if shape.rle:
        if (shape.rle.width, shape.rle.height) != (width, height):
            raise Wrong(f"a mask is {shape.rle.width}x{shape.rle.height}, and the picture {width}x{height}")
        for x, top, bottom in shape.rle.columns():
            for y in range(top, bottom):
                mask[y * width + x] = 255
        return
    x, y, w, h = shape.box
    for row in range(max(0, math.floor(y)), min(height, math.ceil(y + h))):
        if shape.polygons:
            spans = [s for polygon in shape.polygons for s in spans_of(polygon, row)]
        elif shape.ellipse:
            part = 1 - ((min(max(y + h / 2, row), row + 1) - y - h / 2) / (h / 2)) ** 2
            half = w / 2 * math.sqrt(max(0.0, part))
            spans = [(x + w / 2 - half, x + w / 2 + half)]
        else:
            spans = [(x, x + w)]
        for left, right in spans:
            left, right = max(0, math.floor(left)), min(width, math.ceil(right))
            if left < right:
                mask[row * width + left:row * width + right] = b"\xff" * (right - left)


def spans_of(polygon, row):
    """What of a row of pixels a polygon covers, and a little more: at heights within the row, and along its edges."""
    spans = []
    for height in (row, row + 0.25, row + 0.5, row + 0.75, row + 1):
        crossings = sorted(x1 + (height - y1) * (x2 - x1) / (y2 - y1)
                           for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1])
                           if min(y1, y2) <= height < max(y1, y2))
        spans += zip(crossings[::2], crossings[1::2])
    for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1]):
        if max(y1, y2) < row or min(y1, y2) > row + 1:
            continue
        ends = [x1, x2] if y1 == y2 else [x1 + (min(max(h, min(y1, y2)), max(y1, y2)) - y1) * (x2 - x1) / (y2 - y1)
                                          for h in (row, row + 1)]
        spans.append((min(ends), max(ends) + 1e-9))
    return spans


def write_mask(shapes, options):
    width, height = needed_size(options)
    frames = {}
    for shape in shapes:
        frame = shape.frame if shape.frame is not None else math.floor(shape.time * options.rate + 1e-6)
        frames.setdefault(int(frame), []).append(shape)
    count = options.frames or max(frames) + 1
    if max(frames) >= count:
        raise Wrong(f"there is a shape on frame {max(frames)}, and --frames says {count}")
    command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "gray", "-s", f"{width}x{height}", "-r",
               str(options.rate), "-i", "-", "-c:v", "ffv1", options.mask]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        for frame in range(count):
            mask = bytearray(width * height)
            for shape in frames.get(frame, []):
                draw(shape, mask, width, height)
            process.stdin.write(mask)
        process.stdin.close()
    if process.returncode != 0:
        raise Wrong(f"ffmpeg could not write {options.mask}")


READERS = {"yolo": yolo, "coco": coco, "cvat": cvat, "mot": mot, "rekognition": rekognition, "label-studio": label_studio}


def size(text):
    found = re.fullmatch(r"(\d+)x(\d+)", text)
    if not found or "0" in found.groups():
        raise argparse.ArgumentTypeError(f"'{text}' is no size such as 1920x1080")
    return int(found[1]), int(found[2])


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=READERS)
    parser.add_argument("file")
    parser.add_argument("--size", type=size, help="of the picture, WxH")
    parser.add_argument("--first", type=int, help="the number that the first frame has there (mot: 1, others: 0)")
    parser.add_argument("--by-name", action="store_true", help="coco: frames are images in the order of their names")
    parser.add_argument("--tracks", action="store_true", help="yolo: the last cell is a track's number")
    parser.add_argument("--label", action="append", help="only these")
    parser.add_argument("--mask", help="write a mask video instead of boxes")
    parser.add_argument("--frames", type=int, help="of the mask video (default: to the last that has a shape)")
    parser.add_argument("--rate", type=float, default=25, help="frames a second of the mask video")
    options = parser.parse_args(words)
    if options.first is None:
        options.first = 1 if options.kind == "mot" else 0
    try:
        shapes = list(READERS[options.kind](options.file, options))
        if options.label:
            shapes = [shape for shape in shapes if shape.label in options.label]
        if not shapes:
            raise Wrong(f"{options.file}: it holds no box" + (" with that label" if options.label else ""))
        if options.mask:
            write_mask(shapes, options)
        else:
            sys.stdout.write("".join(shape.line() + "\n" for shape in shapes))
    except (Wrong, OSError, UnicodeDecodeError) as wrong:
        print(f"boxes.py: {wrong}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
