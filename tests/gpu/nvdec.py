#!/usr/bin/env python3
"""Every file of a folder decoded by the CPU, by NVDEC and by three sessions of it: the same frames, times and exit code.

    nvdec.py VIDCONV FOLDER [--parallel P]

Inverse transforms of MPEG-1, 2, 4 and VC-1 may differ by a little; of all other codecs every byte is compared. Files that
the CPU refuses must be refused; of damaged ones only the exit code is compared, which is 0 where NVDEC sees no damage. The
last line counts.
"""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

INEXACT = {"mpeg1video", "mpeg2video", "mpeg4", "msmpeg4v3", "h263", "vc1", "wmv3", "vc1image", "wmv3image"}
MOST_LEVELS = 12  # largest difference of two inverse transforms, including prediction from them


def run(vidconv, path, decoder, output, stats):
    words = [vidconv, str(path), "-o", output, "--kernel", "identity", "--device", "cuda", "--decoder", decoder,
             "--progress", "none", "--stats", str(stats), "-y"]
    if output not in ("md5:", "null:"):
        words += ["--format", "raw"]
    done = subprocess.run(words, capture_output=True, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace").strip()


def codec_of(stats):
    report = json.loads(stats.read_text())
    streams = (report.get("ledger") or {}).get("streams") or []
    return next((s["codec"] for s in streams if s.get("filtered")), "")


def far_apart(vidconv, path, decoder, folder):
    """Returns the largest difference of two bytes of frames of 8 bits; -1 if the numbers of bytes differ."""
    data = []
    for number, which in enumerate(("cpu", decoder)):
        raw = folder / f"{number}.raw"
        run(vidconv, path, which, str(raw), folder / "raw.json")
        data.append(raw.read_bytes() if raw.exists() else b"")
    if len(data[0]) != len(data[1]):
        return -1
    return max((abs(a - b) for a, b in zip(*data)), default=0)


def judge(vidconv, path):
    """Returns (failures, lines about files that NVDEC left to the CPU)."""
    failures, left = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        code, wanted, said = run(vidconv, path, "cpu", "md5:", folder / "cpu.json")
        inexact = code in (0, 7) and codec_of(folder / "cpu.json") in INEXACT
        for decoder in ("nvdec", "nvdec:3"):
            got_code, got, got_said = run(vidconv, path, decoder, "md5:", folder / "got.json")
            left += [line for line in got_said.splitlines() if "NVDEC cannot" in line]
            if code == 7 and got_code == 0:
                continue  # NVDEC hides much of an input's damage
            if got_code != code:
                failures.append(f"{decoder}: exit code {got_code}, not {code}: {got_said.splitlines()[-1:] or said}")
            elif got != wanted and code == 0:
                apart = far_apart(vidconv, path, decoder, folder) if inexact else 256
                if apart < 0 or apart > MOST_LEVELS:
                    failures.append(f"{decoder}: other frames ({len(got.splitlines())} lines beside "
                                    f"{len(wanted.splitlines())})" + (f", {apart} levels apart" if inexact else ""))
    return failures, left


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vidconv")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--parallel", type=int, default=6)
    o = parser.parse_args()
    files = sorted(p for p in o.folder.iterdir() if p.is_file())
    failed = taken = 0
    with concurrent.futures.ThreadPoolExecutor(o.parallel) as pool:
        for path, (failures, left) in zip(files, pool.map(lambda p: judge(o.vidconv, p), files)):
            failed += 1 if failures else 0
            taken += 0 if left else 1
            for line in failures:
                print(f"{path.name}: {line}")
    print(f"of {len(files)} files NVDEC decoded {taken} from the first frame to the last")
    print(f"{len(files) - failed} passed, {failed} failed")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
