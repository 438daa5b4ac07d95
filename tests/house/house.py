#!/usr/bin/env python3
"""The house as docs/architecture.md draws it, against the house as the includes build it.

    house.py [ROOT]    prints every fault; exits with 1 where there is one

A room is a folder with code below one of the tops. Faults: an include that is not written from the root of the
project, or of nothing; a circle of rooms; an arrow between rooms that the tables of architecture.md do
not list; a row there without a room, an arrow there that nothing uses; code beside the rooms of kernels/ or pipeline/.
"""
import re
import sys
from pathlib import Path

TOPS = ("kernels", "pipeline", "api", "src")  # the first two hold only rooms
CODE = (".h", ".cuh", ".cpp", ".cu")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
# The pattern matches a row "| `room` or room | what it holds | rooms that it may use |".
ROW = re.compile(r"^\|\s*`?([\w/]+)/?`?\s*\|[^|]*\|([^|]*)\|\s*$")


def arrows_of_the_code(root, faults):
    """Returns one include for each arrow, by room and room."""
    arrows = {}
    for top in TOPS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in CODE:
                continue
            file = path.relative_to(root)
            room = file.parent.as_posix()
            arrows.setdefault(room, {})
            for target in INCLUDE.findall(path.read_text(encoding="utf-8")):
                if not (root / target).is_file():
                    faults.append(f'{file} includes "{target}", which is no file from the root of the project')
                    continue
                to = Path(target).parent.as_posix()
                if to != room:
                    arrows[room].setdefault(to, f"{file} includes {target}")
    return arrows


def arrows_of_the_page(page):
    """Returns the rooms that each room may use, from the tables whose last column lists them."""
    allowed, top = {}, None
    listing = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("|") and "may use" in line:
            listing = True
            top = re.match(r"\|\s*room of `(\w+)/`", line)
            top = top.group(1) + "/" if top else ""
        elif not line.startswith("|"):
            listing = False
        elif listing and (row := ROW.match(line)):
            allowed[top + row.group(1).rstrip("/")] = re.findall(r"`?([\w/]+)`?", row.group(2).replace("–", ""))
    return allowed


def top_of(room):
    return room.split("/")[0]


def may_use(allowed, room, to):
    """Returns whether a room may use another: its row names rooms of its own top, and other tops as a whole."""
    if top_of(room) != top_of(to):
        return top_of(to) in allowed.get(top_of(room), ())
    if room == top_of(to):
        return True  # code outside of rooms combines them
    return to.split("/", 1)[-1] in allowed.get(room, ())


def circles(arrows):
    """Returns each circle once, as a list of rooms."""
    found, done = [], set()

    def walk(room, path):
        if room in path:
            found.append(path[path.index(room):] + [room])
            return
        if room in done:
            return
        for to in sorted(arrows.get(room, {})):
            walk(to, path + [room])
        done.add(room)

    for room in sorted(arrows):
        walk(room, [])
    return found


def check(root):
    faults = []
    arrows = arrows_of_the_code(root, faults)
    allowed = arrows_of_the_page(root / "docs" / "architecture.md")
    for circle in circles(arrows):
        why = "; ".join(arrows[a][b] for a, b in zip(circle, circle[1:]))
        faults.append(f"a circle: {' -> '.join(circle)} ({why})")
    for room, targets in sorted(arrows.items()):
        if room not in allowed:
            faults.append(f"docs/architecture.md has no row for {room}/")
        if any(other.startswith(room + "/") for other in arrows) and room in TOPS[:2]:
            faults.append(f"{room}/ has rooms, and code of its own beside them")
        for to, include in sorted(targets.items()):
            if not may_use(allowed, room, to):
                faults.append(f"docs/architecture.md lists no arrow {room} -> {to}: {include}")
    for room, targets in sorted(allowed.items()):
        if room not in TOPS and room not in arrows:
            faults.append(f"docs/architecture.md lists {room}/, where there is no code")
            continue
        for to in targets:
            used = (any(top_of(t) == to for r, ts in arrows.items() if top_of(r) == room for t in ts)
                    if room in TOPS else f"{top_of(room)}/{to}" in arrows[room])
            if not used:
                faults.append(f"docs/architecture.md lists the arrow {room} -> {to}, which nothing uses")
    return faults


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    faults = check(root)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
