"""Puts the licences of the libraries that auditwheel has bundled into an unpacked wheel.

    wheel_licences.py FOLDER [FFMPEG]

They are those of the system's packages (dpkg) that the libraries came from; FFMPEG: the folder of one that
packaging/ffmpeg_lgpl.sh made.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

wheel = Path(sys.argv[1])
ffmpeg = Path(sys.argv[2]) if len(sys.argv) > 2 else None
version = (ffmpeg / "VERSION").read_text(encoding="utf-8").splitlines()[0] if ffmpeg else ""
libraries = next(wheel.glob("*.libs"))
licences = libraries / "licences"
licences.mkdir()
shutil.copytree("/usr/share/common-licenses", licences / "common-licenses", symlinks=False)
shutil.copy("LICENSE", licences / "vidconv")

lines = ["library\tpackage\tversion\tsource"]
for file in sorted(libraries.glob("*.so*")):
    name = re.sub(r"-[0-9a-f]{8}(?=\.)", "", file.name, count=1)  # auditwheel adds a digest to the name
    if name.startswith("libvidconv"):
        continue
    if ffmpeg and (ffmpeg / "lib" / name).exists():
        lines.append(f"{name}\tffmpeg-lgpl\t{version}\tffmpeg")
        shutil.copy(ffmpeg / "COPYING.LGPLv2.1", licences / "ffmpeg-lgpl")
        shutil.copy(ffmpeg / "VERSION", licences / "ffmpeg-lgpl-version-and-options")
        continue
    listed = subprocess.run(["dpkg-query", "-S", f"*/{name}"], capture_output=True, text=True, check=False).stdout
    if not listed:
        sys.exit(f"wheel_licences.py: no package of this system has {name}")
    package = listed.split(":")[0]
    words = subprocess.run(["dpkg-query", "-W", "-f", "${Package}\t${Version}\t${source:Package}\n", package],
                           capture_output=True, text=True, check=True).stdout.splitlines()[0]
    lines.append(f"{name}\t{words}")
    shutil.copy(f"/usr/share/doc/{package}/copyright", licences / package)
(libraries / "LIBRARIES").write_text("\n".join(lines) + "\n", encoding="utf-8")
