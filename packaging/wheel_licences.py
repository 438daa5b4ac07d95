"""Puts the licences of the libraries that auditwheel has bundled into an unpacked wheel, and names them in its METADATA.

    wheel_licences.py FOLDER ROOT [FFMPEG]

They are those of the packages (dpkg) of the system at ROOT that the libraries came from; FFMPEG: the folder of one that
packaging/ffmpeg_lgpl.sh made.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

wheel, root = Path(sys.argv[1]), Path(sys.argv[2])
ffmpeg = Path(sys.argv[3]) if len(sys.argv) > 3 else None
version = (ffmpeg / "VERSION").read_text(encoding="utf-8").splitlines()[0] if ffmpeg else ""
libraries = next(wheel.glob("*.libs"))
information = next(wheel.glob("*.dist-info"))
licences = information / "licenses"
licences.mkdir(exist_ok=True)


def add(file, name):
    shutil.copy(file, licences / name)


def of_packages(*words):
    found = subprocess.run(["dpkg-query", f"--admindir={root}/var/lib/dpkg", *words], capture_output=True, text=True,
                           check=False)
    return found.stdout


for common in Path("/usr/share/common-licenses").iterdir():  # the copyrights below refer to them
    add(common, f"common-{common.name}")
add("LICENSE", "LICENSE")

lines = ["library\tpackage\tversion\tsource"]
for file in sorted(libraries.glob("*.so*")):
    name = re.sub(r"-[0-9a-f]{8}(?=\.)", "", file.name, count=1)  # auditwheel adds a digest to the name
    if name.startswith("libvidconv"):
        continue
    if ffmpeg and (ffmpeg / "lib" / name).exists():
        lines.append(f"{name}\tffmpeg-lgpl\t{version}\tffmpeg")
        add(ffmpeg / "COPYING.LGPLv2.1", "ffmpeg-lgpl")
        add(ffmpeg / "VERSION", "ffmpeg-lgpl-version-and-options")
        continue
    package = of_packages("-S", f"*/lib/*-linux-gnu/{name}").split(":")[0]
    if not package:
        sys.exit(f"wheel_licences.py: no package of {root} has {name}")
    words = of_packages("-W", "-f", "${Package}\t${Version}\t${source:Package}\n", package).splitlines()[0]
    lines.append(f"{name}\t{words}")
    add(root / f"usr/share/doc/{package}/copyright", package)
(libraries / "LIBRARIES").write_text("\n".join(lines) + "\n", encoding="utf-8")

# The expression says what the whole asks for. GnuTLS needs libraries under either of the last two; Debian's FFmpeg is
# under the GPL.
whole = "LGPL-2.1-or-later AND (LGPL-3.0-or-later OR GPL-2.0-or-later)" if ffmpeg else "GPL-2.0-or-later"
metadata = (information / "METADATA").read_text(encoding="utf-8")
head, _, rest = metadata.partition("\n\n")
kept = [line for line in head.splitlines() if not line.startswith(("License-File:", "License-Expression:"))]
kept.append(f"License-Expression: MIT AND {whole}")
kept += [f"License-File: {file.name}" for file in sorted(licences.iterdir())]
(information / "METADATA").write_text("\n".join(kept) + "\n\n" + rest, encoding="utf-8")
