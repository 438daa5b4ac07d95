#!/usr/bin/env python3
"""Every command of a Markdown page is understood: `vidconv ...` is run beside files of the names that pages use, with --explain where
that goes, and a script that is called is in the repository.

    commands.py VIDCONV

A fault is a line that vidconv refuses as one that makes no sense (exit code 2), or that ends in an error of its own. What needs
a camera, a chip, or somebody who sends is understood all the same. Such lines are printed.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("bench", "cmake", "packaging", "samples", "tests")
NOT_RUN = {3: "the input is not there", 4: "the output cannot be written", 5: "the device is not there"}
RUN = ("--list-", "--help", "plan", "shard", "join")  # --explain would mean nothing
NOT_EXPLAINED = ("--gallery", "--recursive", "--report", "--target", "--watch")  # runs that take long: judged without their input
VARIABLES = {"IN": "in.mkv", "OUT": "out", "I": "0"}


def pages():
    return sorted(p for p in ROOT.rglob("*.md")
                  if not {"build", ".git"} & set(p.relative_to(ROOT).parts) and p.parent.name != "measurements")


def code_lines(page):
    """Yields the number and text of each indented or fenced line."""
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif (fenced or line.startswith("    ")) and not re.search(r"\w\(", line):  # a call in C, CMake or Python
            yield number, line.strip()


def commands(line):
    """Yields the words of each simple command of a line; a word after > or < is a file of the shell's."""
    lexer = shlex.shlex(re.sub(r"\s#\s.*|\s\\$", "", line), posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # a quote that another line closes: no command
        return
    command, skip = [], False
    for word in words + [";"]:
        if word in ("<", ">"):
            skip = True
        elif skip:
            skip = False
        elif set(word) <= set("();|&"):
            yield command
            command = []
        else:
            command.append(word)


def arguments(command):
    """Returns what vidconv is given, or None for a command that is another's."""
    if not command or "=" in command[0]:
        return None
    if command[0] == "vidconv" or command[0].endswith("/vidconv"):
        return command[1:]
    if command[0] in ("docker", "flock"):
        for place, word in enumerate(command):
            if word.split(":")[0] == "vidconv":
                return command[place + 1:]
    return None


def make_files(vidconv, folder):
    def video(name, *options, picture="448x288@5#20"):
        subprocess.run([vidconv, f"pattern:{picture}", "-o", name, "-q", "--kernel", "identity", *options],
                       cwd=folder, check=True, stdin=subprocess.DEVNULL)

    for name in ("footage", "in", "out", "job", "empty"):
        (folder / name).mkdir()
    video("in.mkv", "--codec", "ffv1")
    video("in.y4m")
    video("film.mkv", "--codec", "ffv1", picture="64x48@5#100")
    for name in ("in.mp4", "film.ts", "footage/a.mkv", "in/a.mkv"):
        shutil.copy(folder / "in.mkv", folder / name)
    video("frame%04d.png", "--frames", "2")
    video("subject.png", "--frames", "1", "--pix-fmt", "gray")
    shutil.copy(folder / "subject.png", folder / "depth.png")
    for name in ("subject.mkv", "depth.mkv"):
        shutil.copy(folder / "in.mkv", folder / name)
    (folder / "faces.jsonl").write_text('{"frame": 1, "box": [10, 10, 20, 20]}\n')
    (folder / "boxes.csv").write_text("frame,x,y,width,height\n1,10,10,20,20\n")
    (folder / "det.txt").write_text("2,1,10,10,20,20,1,-1,-1,-1\n")
    (folder / "keys.txt").write_text("0:01 0\n0:02.5 8\n")
    (folder / "volume.txt").write_text("1 2\n3 4\n|\n5 6\n7 8\n")


def run(vidconv, words, files):
    """Runs vidconv in the folder of the files, where absolute paths lie too, but for devices."""
    folder = files
    words = [re.sub(r"\$\{?(\w+)\}?", lambda name: VARIABLES.get(name[1], name[0]), word) for word in words]
    words = [re.sub(r"^/(?!dev/)", "", word) for word in words]
    for word in words:
        if "/" in word and ":" not in word and not word.startswith("/"):
            (folder / word).parent.mkdir(parents=True, exist_ok=True)
    if "-o" in words[:-1]:
        output = folder / words[words.index("-o") + 1]
        if output.is_file():  # a command before this one made it
            output.unlink()
    if any(word.startswith(NOT_EXPLAINED) for word in words):
        folder = folder / "empty"
    elif not words[0].startswith(RUN):
        words = ["--explain", "--timeout", "1", *words]  # options of the input stand before the first of several outputs
    with open(files / "in.y4m", "rb") as standard_input:
        return subprocess.run([vidconv, *words], cwd=folder, stdin=standard_input, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, errors="replace", timeout=120,
                              env=dict(os.environ, NO_COLOR="1"))


def check(vidconv, page, folder):
    """Returns the number of commands, the faults and the lines that could not be run."""
    count, faults, left_out = 0, [], []
    for number, line in code_lines(page):
        for command in commands(line):
            where = f"{page.relative_to(ROOT)}:{number}: {' '.join(command)}"
            script = re.match(rf"(?:{'|'.join(FOLDERS)})/[\w./-]+", command[0]) if command else None
            if script and not (ROOT / script[0]).exists():
                faults.append(f"{where}: there is no such file")
            words = arguments(command)
            if words is None:
                if command and command[0] in ("vidconv-bench", "vidconv-frames"):
                    left_out.append(f"{where}: a program for measuring")
                continue
            if "..." in words:
                left_out.append(f"{where}: has words left out")
                continue
            count += 1
            result = run(vidconv, words, folder)
            if result.returncode in NOT_RUN and not any(word.startswith(NOT_EXPLAINED) for word in words):
                left_out.append(f"{where}: {NOT_RUN[result.returncode]}")
            elif result.returncode not in (0, *NOT_RUN):
                faults.append(f"{where}: exit code {result.returncode}: {result.stderr.strip().splitlines()[-1]}")
    return count, faults, left_out


def main():
    vidconv = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        files = pathlib.Path(scratch, "files")
        files.mkdir()
        make_files(vidconv, files)
        if run(vidconv, ["in.mkv", "-o", "new.mkv", "--krnel", "box"], files).returncode != 2:
            sys.exit("an option that there is not is not refused: this check would find nothing")
        count, faults, left_out = 0, [], []
        for page in pages():
            folder = pathlib.Path(scratch, "page")
            shutil.copytree(files, folder)
            found = check(vidconv, page, folder)
            shutil.rmtree(folder)
            count, faults, left_out = count + found[0], faults + found[1], left_out + found[2]
    print("\n".join([f"not run: {line}" for line in left_out] + faults))
    print(f"{count} commands of vidconv, {len(left_out)} lines not run, {len(faults)} faults")
    return bool(faults) or count < 50


if __name__ == "__main__":
    sys.exit(main())
