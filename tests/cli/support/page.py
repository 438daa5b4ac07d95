"""The page of --report is whole, asks nothing of a network, and tells those who do not see what it shows.

    page.py FILE.html    prints its JSON; exits with 1 and the faults where there are any
"""

import base64
import html.parser
import json
import re
import sys

VOID = {"meta", "img", "input", "br", "link", "hr"}
LOADS = {"src", "href", "srcset", "data", "poster", "action", "background", "xlink:href"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.faults, self.scripts, self.styles = [], [], [], []
        self.ids, self.named, self.meta = set(), set(), {}
        self.language = None

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        for name in LOADS & attributes.keys():
            if not (attributes[name] or "").startswith("data:"):
                self.faults.append(f"<{tag} {name}> loads {attributes[name]}")
        if tag in ("link", "iframe", "object", "embed", "base", "form"):
            self.faults.append(f"<{tag}> has no place here")
        self.faults += [f"<{tag} {name}>: a script in an attribute" for name in attributes if name.startswith("on")]
        if tag == "html":
            self.language = attributes.get("lang")
        if "id" in attributes:
            if attributes["id"] in self.ids:
                self.faults.append(f"id {attributes['id']} is there twice")
            self.ids.add(attributes["id"])
        self.named |= set(attributes.get("aria-labelledby", "").split())
        if tag == "meta" and "http-equiv" in attributes:
            self.meta[attributes["http-equiv"]] = attributes["content"]
        if tag == "script":
            self.scripts.append([attributes.get("type"), ""])
        if tag == "style":
            self.styles.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes what is not open")

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1] += data
        if self.open and self.open[-1] == "style":
            self.styles[-1] += data


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    page = Page()
    page.feed(text)
    page.close()
    faults = page.faults
    if page.open:
        faults.append(f"not closed: {page.open}")
    if page.language != "en":
        faults.append("the page does not say its language")
    if page.named - page.ids:
        faults.append(f"named by nothing: {page.named - page.ids}")
    if "default-src 'none'" not in page.meta.get("Content-Security-Policy", ""):
        faults.append("its policy lets it load things")
    if len(page.scripts) != 2 or page.scripts[0][0] != "application/json":
        sys.exit(f"there are other scripts: {[kind for kind, _ in page.scripts]}")
    for address in re.findall(r"https?://[^\s\"'<>]+|url\([^)]*\)|@import", page.scripts[1][1] + "".join(page.styles)):
        faults.append(f"an address: {address}")
    if not all(f"prefers-color-scheme: {scheme}" in text for scheme in ("dark",)) or "color-scheme: light dark" not in text:
        faults.append("it is not dark and light")
    data = json.loads(page.scripts[0][1])
    for picture in data["pictures"]:
        for side in ("before", "after"):
            kind, _, code = picture[side].partition(",")
            if kind != "data:image/png;base64" or not base64.b64decode(code, validate=True).startswith(b"\x89PNG"):
                faults.append(f"frame {picture['frame']} has no picture {side}")
    if faults:
        sys.exit("\n".join(faults))
    print(json.dumps(data))


main()
