"""Tests vidconv.run, open and Writer against the command: bytes, times, failures."""
import logging
import os
import signal
import tempfile
import threading
import time
from fractions import Fraction

import numpy as np
import pytest

import vidconv


def test_run_writes_the_file_of_the_command(command, tmp_path):
    ours, theirs = tmp_path / "a.y4m", tmp_path / "b.y4m"
    stats = vidconv.run("pattern:64x48#7", ours, kernel=["sobel", "gaussian:sigma=2"])
    command("pattern:64x48#7", "-o", theirs, "--kernel", "sobel", "--kernel", "gaussian:sigma=2", "-q")
    assert ours.read_bytes() == theirs.read_bytes()
    assert (stats.decoded, stats.filtered, stats.written, stats.bytes) == (7, 7, 7, ours.stat().st_size)


def test_settings_reach_the_encoder(tmp_path):
    stats = vidconv.run("pattern:64x48#3", tmp_path / "a.mkv", kernel="box", codec="libx264", crf=30, encoder_options={"tune": "grain"})
    assert "libx264" in stats.encoder and "30" in stats.encoder
    with pytest.raises(vidconv.OutputError):
        vidconv.run("pattern:64x48#3", tmp_path / "a.mkv", kernel="box")
    assert vidconv.run("pattern:64x48#2", tmp_path / "a.mkv", kernel="box", overwrite=True).written == 2
    assert "crf" in vidconv.settings()


def test_measure_audit_and_target(tmp_path):
    audit = tmp_path / "audit.jsonl"
    stats = vidconv.run("pattern:64x48@25#25", tmp_path / "a.mkv", kernel="box:region=0,0,16,16", codec="libx264", measure="psnr,ssim",
                        audit=audit, variant="reference")
    assert 20 < stats.psnr < 100 and 0 < stats.ssim <= 1 and stats.vmaf is None and stats.crf is None
    assert len(audit.read_text().splitlines()) >= 25
    lossless = vidconv.run("pattern:64x48@25#5", tmp_path / "b.mkv", kernel="box", codec="ffv1", measure="psnr")
    assert lossless.psnr == float("inf")
    found = vidconv.run("pattern:64x48@25#25", tmp_path / "c.mkv", kernel="box", codec="libx264", target="psnr=35")
    assert found.psnr >= 35 and found.crf > 0
    with pytest.raises(vidconv.UsageError, match="loud"):
        vidconv.run("pattern:64x48#2", tmp_path / "d.mkv", kernel="box", measure="loud")


def test_progress(tmp_path):
    reports = []
    vidconv.run("pattern:64x48@25#40", tmp_path / "a.y4m", kernel="box", progress=reports.append)
    assert [r.frames for r in reports] == sorted(r.frames for r in reports)
    assert (reports[-1].frames, reports[-1].total) == (40, 40)
    assert reports[-1].position == pytest.approx(1.6)


def test_an_exception_of_progress_ends_the_run(tmp_path):
    def stop(report):
        raise RuntimeError(f"enough after {report.frames}")
    with pytest.raises(RuntimeError, match="enough after"):
        vidconv.run("pattern:640x480#100000", tmp_path / "a.y4m", kernel="box", progress=stop)
    frames = sum(1 for _ in vidconv.open(tmp_path / "a.y4m"))
    assert 0 < frames < 100000


def test_ctrl_c():
    sent = threading.Event()

    def press(_):
        if not sent.is_set():
            sent.set()
            os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        vidconv.run("pattern:64x48#100000000", "null:", kernel="box", progress=press)


def test_ctrl_c_while_a_frame_is_waited_for():
    reading, writing = os.pipe()
    os.write(writing, b"YUV4MPEG2 W16 H16 F25:1 C420jpeg\n" + (b"FRAME\n" + bytes(384)) * 2)
    try:
        with vidconv.open(f"/dev/fd/{reading}", kernel="box") as frames:
            next(frames)
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                for _ in frames:
                    pass
            timer.join()
    finally:
        os.close(writing)
        os.close(reading)


@pytest.mark.parametrize("come", [b"", b"YUV4MPEG2 W16 H16 F25:1 C420jpeg\n"])
def test_ctrl_c_while_an_input_is_opened(come):
    reading, writing = os.pipe()
    os.write(writing, come)
    try:
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            with vidconv.open(f"/dev/fd/{reading}", kernel="box") as frames:
                next(frames)
        timer.join()
    finally:
        os.close(writing)
        os.close(reading)


def test_ctrl_c_while_nobody_reads_the_output(tmp_path):
    os.mkfifo(tmp_path / "out.y4m")
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        vidconv.run("pattern:64x48", tmp_path / "out.y4m", kernel="box")
    timer.join()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        vidconv.Writer(tmp_path / "out.y4m", vidconv.Video("gray", 64, 48, frame_rate=Fraction(25)))
    timer.join()


def test_ctrl_c_while_a_writer_is_closed(tmp_path):
    """Ctrl-C does not wait for the encoder, and leaves no output."""
    sent = threading.Event()

    def press(report):
        if report.frames == 30 and not sent.is_set():
            sent.set()
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.3)  # the encoder has not been flushed yet
    writer = vidconv.Writer(tmp_path / "a.mp4", vidconv.Video("gray", 64, 48, 25), progress=press)
    with pytest.raises(KeyboardInterrupt):
        for _ in range(30):
            writer.write(np.zeros((48, 64), np.uint8))
        writer.close()
    del writer
    assert sent.is_set() and not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments, error, kind", [
    (("no-such.mp4", "null:"), vidconv.InputError, "input-missing"),
    (("pattern:64x48#2", "/no/such/folder/a.y4m"), vidconv.OutputError, None),
    (("pattern:64x48#2", "null:", "sobell"), vidconv.UsageError, "filter-spec"),
])
def test_failures(arguments, error, kind):
    input, output, *kernel = arguments
    with pytest.raises(error) as caught:
        vidconv.run(input, output, kernel=kernel or "box")
    assert kind in (None, caught.value.kind)
    assert f"[{caught.value.kind}]" in str(caught.value)
    with pytest.raises(vidconv.UsageError, match=r"colour.*vidconv\.settings\(\) lists them"):
        vidconv.run("pattern:64x48#2", "null:", colour="red")


def test_damage_is_an_exception_with_stats(tmp_path):
    file = tmp_path / "cut.y4m"
    vidconv.run("pattern:64x48#5", file, kernel="box")
    file.write_bytes(file.read_bytes()[:-1000])
    with pytest.raises(vidconv.DamagedError) as caught:
        vidconv.run(file, tmp_path / "out.y4m", kernel="box")
    assert caught.value.stats.written == 4 and caught.value.status == 7
    frames = []
    with pytest.raises(vidconv.DamagedError):
        for frame in vidconv.open(file):
            frames.append(frame)
    assert len(frames) == 4


@pytest.mark.parametrize("pixel_format, shapes", [
    ("gray", [(48, 65)]), ("rgb24", [(48, 65, 3)]), ("yuv420p", [(48, 65), (24, 33), (24, 33)]),
    ("yuv422p10le", [(48, 65), (48, 33), (48, 33)]), ("nv12", [(48, 65), (24, 66)]), ("gbrpf32le", [(48, 65)] * 3)])
def test_frames_are_those_of_the_command(command, pixel_format, shapes):
    expected = command(f"pattern:65x48:{pixel_format}@25#4", "-o", "-", "--format", "raw", "--kernel", "sobel", "-q")
    data, times = b"", []
    with vidconv.open(f"pattern:65x48:{pixel_format}@25#4", kernel="sobel") as frames:
        assert (frames.video.format, frames.video.width, frames.video.height) == (pixel_format, 65, 48)
        assert (frames.video.frame_rate, frames.video.frames) == (25, 4)
        for frame in frames:
            assert [p.shape for p in frame.planes] == shapes
            assert not frame.planes[0].flags.writeable
            data += b"".join(p.tobytes() for p in frame.planes)
            times.append(frame.time)
    assert data == expected
    assert times == [Fraction(i, 25) for i in range(4)]


def test_views_keep_their_frame():
    kept = [frame.planes[0] for frame in vidconv.open("pattern:64x48:gray#30", kernel="box")]
    again = [frame.planes[0].copy() for frame in vidconv.open("pattern:64x48:gray#30", kernel="box")]
    assert all(np.array_equal(a, b) for a, b in zip(kept, again))
    reader = vidconv.open("pattern:64x48:gray#3")
    first = np.asarray(next(reader))
    before = first.copy()
    del reader
    assert np.array_equal(first, before)


def test_writer_writes_what_the_command_would(command, tmp_path):
    ours, theirs = tmp_path / "a.y4m", tmp_path / "b.y4m"
    frames = vidconv.open("pattern:64x48:yuv420p@25#6")
    with vidconv.Writer(ours, frames.video, kernel="unsharp") as writer:
        for frame in frames:
            writer.write(frame, frame.pts)
    command("pattern:64x48:yuv420p@25#6", "-o", theirs, "--kernel", "unsharp", "-q")
    assert writer.stats.written == 6
    assert ours.read_bytes() == theirs.read_bytes()


def test_writer_of_arrays(tmp_path, noise):
    pictures = [noise((48, 64, 3), np.uint8) for _ in range(3)]
    file = tmp_path / "a.mkv"
    with vidconv.Writer(file, vidconv.Video("rgb24", 64, 48, Fraction(10)), codec="ffv1") as writer:
        for i, picture in enumerate(pictures):
            writer.write(picture if i else np.asfortranarray(picture))
        with pytest.raises(ValueError, match="48 rows of 192 samples"):
            writer.write(pictures[0][:, :32])
        with pytest.raises(ValueError, match="1"):
            writer.write([pictures[0]] * 2)
    with vidconv.open(file, pixel_format="rgb24") as frames:
        assert frames.video.frames in (None, 3)
        times = [frame.time for frame in frames]
    assert times == [0, Fraction(1, 10), Fraction(2, 10)]
    with pytest.raises(ValueError, match="closed"):
        writer.write(pictures[0])


def test_a_writer_that_is_given_up_leaves_nothing(tmp_path, noise):
    file = tmp_path / "a.mkv"
    with pytest.raises(KeyError):
        with vidconv.Writer(file, vidconv.Video("gray", 64, 48, Fraction(10))) as writer:
            writer.write(noise((48, 64), np.uint8))
            raise KeyError("something else")
    assert not file.exists() and not list(tmp_path.iterdir())


def test_messages_go_to_the_logger(caplog, tmp_path):
    with caplog.at_level(logging.INFO, logger="vidconv"):
        vidconv.run("pattern:64x48#2", tmp_path / "a.gif", kernel="box")
    assert any(record.kind for record in caplog.records)


def test_a_file_that_the_program_has_open_may_be_the_output(tmp_path):
    """Such a file is no input, although somebody could read from its descriptor."""
    with tempfile.NamedTemporaryFile(dir=tmp_path, suffix=".y4m") as file:
        with pytest.raises(vidconv.OutputError):  # it exists
            vidconv.run("pattern:64x48#3", file.name, kernel="box")
        assert vidconv.run("pattern:64x48#3", file.name, kernel="box", overwrite=True).written == 3
        with pytest.raises(vidconv.Error, match="it is the input"):
            vidconv.run(file.name, file.name, kernel="box", overwrite=True)
