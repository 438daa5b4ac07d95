"""Boxes of files and of dicts, and files that change between two calls."""
import json
from pathlib import Path

import numpy as np
import pytest

import vidconv

BOXES = [{"frame": 1, "id": 7, "box": (4, 5, 20, 10)}, {"frame": 4, "id": 7, "box": (30, 9, 12, 16.5), "score": 0.3},
         {"time": 0.08, "box": (2, 30, 9, 9), "shape": "ellipse"}]
INPUT = "pattern:64x48@25#6"


@pytest.fixture
def boxes_file(tmp_path):
    file = tmp_path / "boxes.jsonl"
    file.write_text("".join(json.dumps(box) + "\n" for box in BOXES))
    return file


def frames_of(regions, **more):
    return b"".join(frame.to_ndarray().tobytes() for frame in vidconv.open("pattern:64x48:gray@25#6", kernel="box:size=9", regions=regions, **more))


@pytest.mark.parametrize("options, word", [(None, ""), ({"grow": "10%,1", "hold": 1}, ":grow=10%,1:hold=1"),
                                           ("feather=3", ":feather=3")])
def test_files_and_dicts_are_the_commands(tmp_path, command, boxes_file, options, word):
    theirs = tmp_path / "theirs.y4m"
    command(INPUT, "-o", theirs, "--kernel", "box:size=9", "--regions", f"{boxes_file}{word}", "--device", "cpu", "-q")
    ours = tmp_path / "ours.y4m"
    for regions in (boxes_file, str(boxes_file), BOXES):
        vidconv.run(INPUT, ours, kernel="box:size=9", regions=regions, regions_options=options, overwrite=True, device="cpu")
        assert ours.read_bytes() == theirs.read_bytes()
    assert frames_of(boxes_file, regions_options=options) == frames_of(BOXES, regions_options=options)
    assert frames_of(BOXES, regions_options=options) != frames_of(None)


def test_options_may_follow_the_files_name(boxes_file):
    assert frames_of(f"{boxes_file}:hold=1") == frames_of(boxes_file, regions_options={"hold": 1})


def test_numbers_of_numpy_and_filters_of_a_chain(tmp_path):
    kernels = ["box:size=9", "fill:black"]
    ours, theirs = tmp_path / "ours.y4m", tmp_path / "theirs.y4m"
    place = np.array([4, 5, 20, 10], np.float32)
    vidconv.run(INPUT, ours, kernel=kernels, regions=[{"frame": np.int64(n), "box": place, "filter": 2} for n in range(6)])
    vidconv.run(INPUT, theirs, kernel="fill:black:region=4,5,20,10")
    assert ours.read_bytes() == theirs.read_bytes()


def test_a_reader_gives_each_frame_its_boxes(boxes_file, tmp_path):
    file = tmp_path / "in.mkv"
    vidconv.run(INPUT, file, kernel="identity", codec="ffv1")
    with vidconv.open(file, kernel="box:size=9", regions=boxes_file, format="gray") as reader:
        all_frames = [frame.to_ndarray().copy() for frame in reader]
        assert len(reader) == 6
        for number in (4, 1, 3, -1, 0):
            assert np.array_equal(reader[number].to_ndarray(), all_frames[number])


def test_a_writer_counts_its_frames(tmp_path, boxes_file):
    picture = np.arange(64 * 48, dtype=np.uint32).astype(np.uint8).reshape(48, 64)
    file = tmp_path / "out.mkv"
    with vidconv.Writer(file, vidconv.Video("gray", 64, 48, 25), codec="ffv1", kernel="fill:white", regions=boxes_file) as writer:
        for _ in range(6):
            writer.write(picture)
    frames = [frame.to_ndarray() for frame in vidconv.open(file)]
    assert np.array_equal(frames[0], picture) and (frames[1][5:15, 4:24] == 255).all()
    with pytest.raises(vidconv.UsageError, match="first that of line 2"):
        with vidconv.Writer(file, vidconv.Video("gray", 64, 48, 25), codec="ffv1", kernel="fill:white", regions=boxes_file,
                            overwrite=True) as writer:
            writer.write(picture)
            writer.write(picture)


def good(**changes):
    return {**{"frame": 1, "box": (1, 2, 3, 4)}, **changes}


@pytest.mark.parametrize("wrong, words", [
    (good(frame=1.9), "frame is 1.9"), (good(frame=-1), "no frame -1"), (good(time=1), "not both"), ({"box": (1, 2, 3, 4)}, "needs a frame or a time"),
    ({"frame": 1}, "needs a box"), ({"frame": 1, "bbox": (1, 2, 3, 4)}, "two corners"), (good(box=(1, 2, 3)), "needs a box"),
    (good(box="1,2,3,4"), "needs a box"), (good(box=(1, 2, 0, 4)), "holds nothing"), (good(box=(1, 2, "3", 4)), "a number of the box"),
    (good(box=(1, 2, float("nan"), 4)), "nan"), (good(box=(1, 2, 3e6, 4)), "outside"), (good(shape="star"), "star"), (good(filter=0), "filter 0"),
    (good(filter=1.5), "1.5"), (good(filter=2), "filter 2 of a chain of 1"), (good(id=1.5), "id is 1.5"), (good(id="a\0b"), "character of 0"),
    (good(frame=2**70), "no frame"), (good(frame=True), "True"), ({"time": -1.0, "box": (1, 2, 3, 4)}, "no time"), ((1, 2, 3, 4), "dict"),
    (good(frame=60), "acted on no frame 60"), (good(box=(100, 2, 3, 4)), "outside the picture"), (good(frame=0, id=3), "already")])
def test_wrong_boxes_are_named_by_their_index(wrong, words):
    with pytest.raises((vidconv.UsageError, ValueError, TypeError)) as raised:
        vidconv.run(INPUT, "null:", kernel="box", regions=[good(frame=0, id=3), wrong])
    assert words in str(raised.value) and "regions[1]" in str(raised.value)


def test_wrong_uses(tmp_path, boxes_file):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("frame,x,y,w,h\n1,4,5,20,10\n1,4,5,20\n")
    for regions, options, words in [
            (wrong, None, "line 3"), (tmp_path / "none.jsonl", None, "none.jsonl"), (boxes_file, "grow=10", "percentage"),
            (boxes_file, {"gorw": "10%"}, "grow"), (BOXES, "hold=x", "hold"), ([{"frame": 0, "box": (0, 0, .5, .5)}], None, "units=relative")]:
        with pytest.raises(vidconv.UsageError, match=words):
            vidconv.run(INPUT, "null:", kernel="box", regions=regions, regions_options=options)
    with pytest.raises(TypeError, match="regions_options=5"):
        vidconv.run(INPUT, "null:", kernel="box", regions=boxes_file, regions_options=5)
    with pytest.raises(ValueError, match="regions_options"):
        vidconv.run(INPUT, "null:", kernel="box", regions=(0, 0, 9, 9), regions_options="hold=1")
    with pytest.raises(vidconv.UsageError, match="no filter"):
        vidconv.open(INPUT, regions=boxes_file)
    with pytest.raises(ValueError, match="without a kernel"):
        vidconv.open(INPUT, regions=[(0, 0, 9, 9)])
    for regions in (boxes_file, BOXES):
        with pytest.raises(TypeError, match="no frame of a video"):
            vidconv.filter(np.zeros((9, 9), np.uint8), "box", regions=regions)


def pgm(file, values):
    file.write_bytes(b"P5 %d %d 255\n" % (values.shape[1], values.shape[0]) + values.tobytes())


@pytest.mark.parametrize("kernel", ["file:{}", "FILE:{}", "fill:white:mask={}", "box:size=9:mask={}:invert=1", "gaussian:sigma=map:{}*4",
                                    "disk:radius=MAP:{}*3"])
def test_files_of_filters_that_have_changed(tmp_path, noise, kernel):
    file, picture = tmp_path / "picture.pgm", noise((9, 11), np.uint8)
    before = np.full((9, 11), 40, np.uint8)
    before[2:5, 3:7] = 250
    pgm(file, before)
    first = vidconv.filter(picture, kernel.format(file))
    assert np.array_equal(vidconv.filter(picture, kernel.format(file)), first)
    pgm(file, before[::-1].copy())
    second = vidconv.filter(picture, kernel.format(file))
    assert not np.array_equal(second, first)
    pgm(file, before)
    assert np.array_equal(vidconv.filter(picture, kernel.format(file)), first)


def test_a_file_of_boxes_that_has_changed(boxes_file):
    first = frames_of(Path(boxes_file))
    boxes_file.write_text('{"frame": 2, "box": [9, 9, 20, 20]}\n')
    assert frames_of(boxes_file) != first and frames_of(boxes_file) == frames_of([{"frame": 2, "box": (9, 9, 20, 20)}])
