#!/usr/bin/env python3
"""Puts the corpus through vidconv and lets ffprobe and ffmpeg judge what comes out.

    corpus.py VIDCONV DIR [NAME...]    all of it, or the files named; exits with 1 where one is wrong,
                                       with 77 where this ffmpeg could make none of them
    corpus.py --list                   the names
"""

import concurrent.futures
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import make
from judge import Clip, Judge
from recipes import RECIPES

LIMIT = 60  # seconds for one run of vidconv, beyond which it hangs


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=LIMIT, **more)


def for_ending(words, ending):
    """Returns the words for a container: a word such as "mp4:ttf" counts for mp4 only."""
    pick = lambda w: w.split(":", 1)[1] if re.match(r"[a-z0-9]+:", w) else w
    return {pick(w) for w in words if not re.match(r"[a-z0-9]+:", w) or w.startswith(ending + ":")}


def check(vidconv, folder, recipe):
    """Returns what is wrong, one text for each fault."""
    source = folder / recipe.name
    wrong = []
    into = Clip(source, video=2 if "--video 2" in recipe.options else 1)
    if "--copy-times" in recipe.options:
        into.begin = 0
    own = recipe.name.split(".")[-1]
    endings = recipe.outputs or (own,)
    for ending in endings:
        with tempfile.TemporaryDirectory() as place:
            name = ("out" if not ending.startswith("%") else "") + ("." if "%" not in ending else "") + ending
            output = pathlib.Path(place) / name
            for problem in convert(vidconv, recipe, source, into, output, ending.split(".")[-1], own):
                wrong.append(f"-> {ending}: {problem}")
    if recipe.exit == 0 and "frame hashes" not in recipe.except_for:
        wrong += compare_hashes(vidconv, recipe, into)
    return wrong


def convert(vidconv, recipe, source, into, output, ending, own):
    done = run([vidconv, str(source), "-o", str(output), "--kernel", "box", *recipe.options.split()])
    if done.returncode != recipe.exit:
        return [f"exit code {done.returncode}, expected {recipe.exit}: {done.stderr.strip()}"]
    wrong = [f"stderr does not say {word!r}: {done.stderr.strip()}"
             for word in for_ending(recipe.says, ending) if word not in done.stderr]
    if recipe.exit in (3, 4):
        left = [p.name for p in output.parent.iterdir()]
        return wrong + [f"files are left: {left}"] * bool(left)
    lost = for_ending(recipe.lost, ending)
    wrong += [f"stderr does not name what is lost, {word!r}: {done.stderr.strip()}"
              for word in lost if word not in done.stderr]
    out = Clip(str(output), video=2 if "--video 2" in recipe.options else 1)
    if recipe.frames >= 0 and len(out.frames) != recipe.frames:
        wrong.append(f"{len(out.frames)} frames, expected {recipe.frames}")
    if recipe.seconds >= 0 and (took := float(out.frame_times()[-1] - out.frame_times()[0])) and abs(took - recipe.seconds) > 0.02:
        wrong.append(f"{took} s from the first frame to the last, expected {recipe.seconds}")
    if recipe.exit == 7:  # the decoded frames are in the output; the rest cannot be compared
        if not out.frames or out.undecodable:
            wrong.append(f"the output of a damaged input does not play: {out.complaints[:300]}")
        return wrong
    pairs = [(into, out)]
    if "--video all" in recipe.options:
        videos = range(1, 1 + len(Clip(source, all=True).filtered))
        pairs = [(Clip(source, v, all=True), Clip(str(output), v, all=True)) for v in videos]
    for into, out in pairs:
        judge = Judge(into, out, ending, ending == own, lost, for_ending(recipe.except_for, ending),
                      done.stderr)
        wrong += judge.compare()
    return wrong


def compare_hashes(vidconv, recipe, into):
    """Compares the frames that vidconv filters with those that ffmpeg decodes."""
    done = run([vidconv, into.path, "-o", "md5:", "--kernel", "identity", *recipe.options.split()])
    if "converted to" in done.stderr:
        return []
    found = [line.split()[1] for line in done.stdout.splitlines() if line[:1].isdigit()]
    expected = into.frame_hashes()
    if done.returncode == 0 and found == expected:
        return []
    return [f"md5: exit code {done.returncode}, {len(found)} hashes differ from ffmpeg's "
            f"{len(expected)}: {done.stderr.strip()}"]


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(r.name for r in RECIPES))
        return 0
    vidconv, folder, *names = sys.argv[1:]
    folder = pathlib.Path(folder).resolve()
    recipes = [r for r in RECIPES if not names or r.name in names]
    skipped = [r.name for r in recipes if r.needs and not make.available_encoders().issuperset(r.needs)]
    recipes = [r for r in recipes if r.name not in skipped]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for recipe, wrong in zip(recipes, pool.map(lambda r: guarded(vidconv, folder, r), recipes)):
            failed += bool(wrong)
            print("ok    " if not wrong else "WRONG ", recipe.name, flush=True)
            for text in wrong:
                print("       ", text.replace("\n", "\n         "), flush=True)
    for name in skipped:
        print("SKIPPED", name, "(this ffmpeg has no encoder for it)")
    print(f"{len(recipes) - failed} right, {failed} wrong, {len(skipped)} skipped")
    return 1 if failed else 0 if recipes else 77


def guarded(vidconv, folder, recipe):
    try:
        return check(vidconv, folder, recipe)
    except subprocess.TimeoutExpired as late:
        return [f"still running after {LIMIT} s: {shlex.join(map(str, late.cmd))}"]


if __name__ == "__main__":
    sys.exit(main())
