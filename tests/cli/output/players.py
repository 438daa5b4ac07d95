#!/usr/bin/env python3
"""What mpv and Chromium show of files that --keep-unchanged has joined, beside what they show of the input. By hand:

    players.py VIDCONV [FOLDER]    keeps the files in FOLDER

Each frame outside of what was encoded anew has to be the same picture in both files: played from the beginning to the end, and sought
to, each key frame and two frames around each border. A row of figures is printed for each file and player.
"""

import http.server
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

FRAMES, RATE = 100, 25
X265 = "-c:v libx265 -pix_fmt yuv420p -x265-params keyint=25:log-level=error"
CLIPS = {
    "h264.mp4": "-c:v libx264 -g 25 -pix_fmt yuv420p",
    "h264.mkv": "-c:v libx264 -g 25 -pix_fmt yuv420p",
    "hvc1.mp4": X265 + ":open-gop=0 -tag:v hvc1",
    "hevc.mkv": X265 + ":open-gop=0",
    "open-hevc.mp4": X265,
    "open-mpeg2.mkv": "-c:v mpeg2video -q:v 3 -g 25 -bf 2",
    "vp9.mkv": "-c:v libvpx-vp9 -crf 20 -b:v 0 -g 25 -cpu-used 8 -pix_fmt yuv420p",
    "av1.mp4": "-c:v libsvtav1 -crf 30 -g 25 -preset 10 -pix_fmt yuv420p",
}
PAGE = """<script>
async function pictures(name, places, rate) {
  const blob = await (await fetch(name)).blob();
  const video = document.createElement('video');
  video.muted = true;
  const wait = (event) => new Promise((go, fail) => {
    video.addEventListener(event, go, {once: true});
    video.addEventListener('error', () => fail(video.error.message), {once: true});
  });
  const ready = wait('canplay');
  video.src = URL.createObjectURL(blob);
  await ready;
  const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
  const context = canvas.getContext('2d', {willReadFrequently: true});
  const shown = {};
  for (const place of places) {
    const painted = new Promise(go => video.requestVideoFrameCallback(go));
    const there = wait('seeked');
    video.currentTime = (place + 0.5) / rate;
    await there;
    await painted;
    context.drawImage(video, 0, 0);
    const bytes = context.getImageData(0, 0, canvas.width, canvas.height).data;
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    shown[place] = Array.from(digest.slice(0, 8)).map(b => b.toString(16)).join(' ');
  }
  const ended = wait('ended');
  video.currentTime = 0;
  await video.play();
  await ended;
  return shown;
}
(async () => {
  const job = await (await fetch('job')).json();
  let answer;
  try { answer = [await pictures(job.files[0], job.places, job.rate), await pictures(job.files[1], job.places, job.rate)]; }
  catch (e) { answer = String(e); }
  await fetch('answer', {method: 'POST', body: JSON.stringify(answer)});
})();
</script>"""


def run(words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more)


def mpv_pictures(path, folder, *options):
    """Returns the bytes of all pictures that it shows."""
    out = folder / "mpv"
    for old in out.glob("*"):
        old.unlink()
    run(["mpv", "--no-config", "--no-audio", "--no-terminal", "--vo=image", f"--vo-image-outdir={out}", "--vo-image-format=png",
         "--vo-image-png-compression=0", "--untimed", "--hr-seek=yes", *options, str(path)])
    return [picture.read_bytes() for picture in sorted(out.glob("*.png"))]


def chromium_pictures(files, places, folder):
    """Returns what it shows of both files at these places, or what went wrong."""
    answer, done = [], threading.Event()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(folder))

        def log_message(self, *_):
            pass

        def send(self, data, kind):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self):
            if self.path == "/page":
                return self.send(PAGE.encode(), "text/html")
            if self.path == "/job":
                return self.send(json.dumps({"files": [f.name for f in files], "places": places, "rate": RATE}).encode(), "text/json")
            return super().do_GET()

        def do_POST(self):
            answer.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send(b"", "text/plain")
            done.set()

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server, tempfile.TemporaryDirectory() as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with subprocess.Popen(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                               "--autoplay-policy=no-user-gesture-required", f"--user-data-dir={profile}",
                               f"http://127.0.0.1:{server.server_port}/page"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
            done.wait(120)
            browser.terminate()
        server.shutdown()
    return answer[0] if answer else "it gave no answer"


def frame_times(path):
    """Returns when frames are shown, from the beginning of the file on."""
    words = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "format=start_time:packet=pts_time", "-of", "json", str(path)]
    told = json.loads(run(words).stdout)
    return sorted(float(packet["pts_time"]) - float(told["format"]["start_time"]) for packet in told["packets"])


def kept_frames(audit):
    """Returns the frames that were copied."""
    kept = set()
    for line in audit.read_text().splitlines():
        part = json.loads(line).get("kept")
        if part:
            kept |= set(range(part["frame"], part["frame"] + part["frames"]))
    return kept


def main():
    vidconv, folder = sys.argv[1], Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    wrong = 0

    def row(name, player, *figures):
        print("| " + " | ".join(map(str, (name, player, *figures))) + " |", flush=True)

    for name, encoding in CLIPS.items():
        source, joined, audit = folder / name, folder / f"joined-{name}", folder / "audit.jsonl"
        run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=size=256x144:rate={RATE}:duration={FRAMES // RATE}",
             *encoding.split(), str(source)])
        run([vidconv, str(source), "-y", "-o", str(joined), "--keep-unchanged", "--audit", str(audit),
             "--kernel", "box:size=5:between=1.2s-1.8s"])
        kept = kept_frames(audit)
        borders = [i for i in range(1, FRAMES) if (i in kept) != (i - 1 in kept)]
        places = sorted({i for b in borders for i in range(b - 2, b + 3)} | set(range(0, FRAMES, RATE)))
        before, after = mpv_pictures(source, folder), mpv_pictures(joined, folder)
        same = sum(before[i] == after[i] for i in kept) if len(after) == len(before) == FRAMES else 0
        times = frame_times(joined)
        seeks = sum(mpv_pictures(joined, folder, f"--start={max(0, times[i] - 0.2 / RATE)}", "--frames=1") == [after[i]] for i in places)
        row(name, "mpv", len(after), f"{same} of {len(kept)}", f"{seeks} of {len(places)}")
        wrong += same != len(kept) or seeks != len(places)
        shown = chromium_pictures([source, joined], list(range(FRAMES)), folder)
        if isinstance(shown, str):
            row(name, "Chromium", "-", shown, "-")
            continue
        same = sum(shown[0][str(i)] == shown[1][str(i)] for i in kept)
        anew = sum(shown[0][str(i)] != shown[1][str(i)] for i in range(30, 45))
        row(name, "Chromium", len(shown[1]), f"{same} of {len(kept)}", "each frame was sought to")
        if same != len(kept):
            print("others:", [i for i in kept if shown[0][str(i)] != shown[1][str(i)]])
        wrong += same != len(kept) or anew != 15
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
