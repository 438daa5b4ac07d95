"""The page of --report in a browser: Debian's chromium, without a screen.

    browser.py VIDCONV [FOLDER]    keeps the page and screenshots in FOLDER; exits with 77 where there is no chromium

What the scripts of the page have made is read back from the browser; screenshots, light and dark, are looked at.
"""

import html.parser
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


class Made(html.parser.HTMLParser):
    """Parses the page as it is after its scripts have run."""

    def __init__(self):
        super().__init__()
        self.tags, self.words, self.labels, self.sliders, self.images, self.charts = [], [], set(), [], [], []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append(tag)
        if tag == "label":
            self.labels.add(attributes.get("for"))
        if tag == "input":
            self.sliders.append(attributes)
        if tag == "img":
            self.images.append(attributes)
        if tag == "svg":
            self.charts.append(attributes)

    def handle_data(self, data):
        self.words.append(data)


def chromium(page, profile, *options):
    command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
               f"--user-data-dir={profile}", "--virtual-time-budget=3000", "--enable-logging=stderr", *options,
               page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def corner(picture):
    """Returns the colour of the first pixel."""
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", str(picture), "-vf", "crop=1:1:0:0", "-pix_fmt", "rgb24", "-f",
                          "rawvideo", "-"], capture_output=True, check=True).stdout
    return tuple(raw)


def check(vidconv, folder):
    page = folder / "report.html"
    subprocess.run([vidconv, "pattern:320x180#60", "-o", str(folder / "out.mkv"), "-y", "-q", "--kernel",
                    "gaussian:sigma=3", "--kernel", "sharpen", "--device", "cpu", "--codec", "mpeg4", "--measure",
                    "psnr,ssim", "--report", str(page)], check=True)
    dumped = chromium(page, folder / "profile", "--dump-dom")
    made = Made()
    made.feed(dumped.stdout[dumped.stdout.index("<main>"):dumped.stdout.index("</main>")])
    text = " ".join(made.words)
    faults = [line for line in dumped.stderr.splitlines() if "CONSOLE" in line]
    expected = {
        "no exception": not faults,
        "three pairs of pictures": len(made.images) == 6 and all(image.get("alt") for image in made.images),
        "three sliders with labels, which the arrow keys move":
            len(made.sliders) == 3 and all(s["type"] == "range" and s["id"] in made.labels and s.get("aria-valuetext")
                                           for s in made.sliders),
        "charts that say what they show": len(made.charts) >= 3 and all(c.get("aria-label") for c in made.charts),
        "the chain": "gaussian" in text and "sharpen" in text,
        "measures": "psnr all" in text and "ssim of the worst frame" in text,
        "the ledger": "decoded" in text and "written" in text,
        "nothing that was not there": "undefined" not in text and "NaN" not in text,
    }
    colours = {}
    for scheme, number in (("dark", 0), ("light", 1)):
        picture = folder / f"{scheme}.png"
        shot = chromium(page, folder / "profile", f"--screenshot={picture}", "--window-size=1000,2400",
                        f"--blink-settings=preferredColorScheme={number}")
        if not picture.exists():
            sys.exit(f"there is no screenshot: {shot.stderr[-2000:]}")
        colours[scheme] = corner(picture)
    expected["light and dark"] = sum(colours["light"]) > 700 and sum(colours["dark"]) < 120
    wrong = [what for what, holds in expected.items() if not holds]
    if wrong:
        sys.exit("\n".join([f"not so: {what}" for what in wrong] + faults + [str(colours), text[:3000]]))
    print(f"{len(made.images)} pictures, {len(made.charts)} charts, {made.tags.count('table')} tables; {colours}")


def main():
    if not shutil.which("chromium"):
        print("SKIPPED: there is no chromium")
        sys.exit(77)
    vidconv = os.path.abspath(sys.argv[1])
    if len(sys.argv) > 2:
        folder = Path(sys.argv[2]).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        return check(vidconv, folder)
    with tempfile.TemporaryDirectory() as temporary:
        check(vidconv, Path(temporary))


main()
