#!/usr/bin/env python3
"""Every relative link of a Markdown page leads to a file, and to a heading where it names one."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^( {4}|\t).*$|`[^`\n]*`", re.MULTILINE)


def headings(page):
    """Returns the anchors that hosts make of a page's headings."""
    lines = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def pages():
    return [p for p in ROOT.rglob("*.md") if "build" not in p.relative_to(ROOT).parts]


def wrong(page):
    for link in LINK.findall(CODE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists():
            yield f"{page.relative_to(ROOT)}: {link}: there is no such file"
        elif anchor and anchor not in headings(target.read_text()):
            yield f"{page.relative_to(ROOT)}: {link}: there is no such heading"


faults = [fault for page in pages() for fault in wrong(page)]
print("\n".join(faults) if faults else "every link leads somewhere")
sys.exit(bool(faults))
