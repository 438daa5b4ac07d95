#!/usr/bin/env python3
"""Makes the API page of the C header with Doxygen.

    page.py INCLUDE_FOLDER OUTPUT_FOLDER [PAGE...]    exits with 1 where Doxygen has something to say, or the header or
                                                      a page names what there is not; with 77 without Doxygen
    page.py --filter HEADER                           prints the header as Doxygen wants it: what Doxygen calls

The header's comments are plain ones, for people. What stands before a declaration, or behind it on its line, is about it.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

NAME = r"(?<!::)\b(?:vidconv_|VIDCONV_)\w+"
SETTINGS = """
PROJECT_NAME = vidconv
PROJECT_BRIEF = "The C library"
OPTIMIZE_OUTPUT_FOR_C = YES
INPUT = {header} {examples}/examples.dox
OUTPUT_DIRECTORY = {output}
INPUT_FILTER = "{python} {script} --filter"
GENERATE_LATEX = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
ENABLE_PREPROCESSING = YES
PREDEFINED = VIDCONV_API=
WARN_NO_PARAMDOC = NO
WARN_IF_UNDOCUMENTED = YES
WARN_AS_ERROR = NO
QUIET = YES
SEARCHENGINE = NO
SORT_MEMBER_DOCS = NO
HAVE_DOT = NO
DIRECTORY_GRAPH = NO
STRIP_FROM_PATH = {include}
EXAMPLE_PATH = {examples}
"""


def filtered(text):
    text = re.sub(r"^/\* ---- (.*?) ---- \*/$", r"/** @name \1 */", text, flags=re.MULTILINE)
    text = re.sub(r"^(\s*)/\*(?!\*)", r"\1/**", text, flags=re.MULTILINE)          # alone on its line, or its first one
    text = re.sub(r"(\S[^\n]*?)/\*(?!\*)", r"\1/**<", text)                        # behind something
    # Members that are declared together share a comment.
    text = re.sub(r"^( +(?:const )?\w+\*? )([\w, *]+, [\w, *]+);( +/\*\*<.*?\*/)?$",
                  lambda m: "\n".join(f"{m[1]}{name};{m[3] or ''}" for name in m[2].split(", ")), text,
                  flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^  size_t size;$", r"  size_t size; /**< sizeof the struct, set by the caller */", text,
                  flags=re.MULTILINE)
    text = text.replace("/** vidconv for other programs", "/** @file\n * vidconv for other programs", 1)
    return text.replace("libav*'s", "libav's").replace("libav* ", "libav ")


def broken_references(header, *pages):
    """Yields names in comments and pages that the header does not declare."""
    text = header.read_text(encoding="utf-8")
    comments = "\n".join(re.findall(r"/\*.*?\*/", text, re.DOTALL))
    declared = set(re.findall(NAME, re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)))
    declared |= set(re.findall(NAME, (header.parent / "version.h").read_text(encoding="utf-8")))
    for where, words in ((header, comments), *((page, page.read_text(encoding="utf-8")) for page in pages)):
        for name in sorted(set(re.findall(NAME, words)) - declared):
            yield f"{where.name}: there is no {name}"


def write_examples(folder, *pages):
    """Writes the programs of pages, each named by its heading, so that Doxygen leads from functions to them."""
    folder.mkdir(parents=True, exist_ok=True)
    named = []
    for page in pages:
        for heading, text in re.findall(r"^## ([^\n]*)\n(?:(?!^## ).)*?^```c\n(.*?)^```$", page.read_text(encoding="utf-8"),
                                        re.MULTILINE | re.DOTALL):
            name = re.sub(r"\W+", "_", heading.lower()).strip("_") + ".c"
            (folder / name).write_text(text, encoding="utf-8")
            named.append(f"/** @example {name} {heading} */")
    (folder / "examples.dox").write_text("\n".join(named) + "\n", encoding="utf-8")


def make(include, output, *pages):
    header = Path(include) / "vidconv" / "vidconv.h"
    if broken := list(broken_references(header, *map(Path, pages))):
        return "\n".join(broken)
    Path(output).mkdir(parents=True, exist_ok=True)
    examples = Path(output).resolve() / "examples"
    write_examples(examples, *map(Path, pages))
    settings = SETTINGS.format(header=header, include=include, output=output, python=sys.executable, script=Path(__file__).resolve(),
                               examples=examples)
    result = subprocess.run(["doxygen", "-"], input=settings, capture_output=True, text=True, check=False)
    return result.stderr if result.returncode == 0 else result.stderr + f"doxygen ended with {result.returncode}"


if __name__ == "__main__":
    if sys.argv[1] == "--filter":
        print(filtered(Path(sys.argv[2]).read_text(encoding="utf-8")), end="")
    elif not shutil.which("doxygen"):
        print("SKIPPED: doxygen is not installed")
        sys.exit(77)
    elif words := make(*sys.argv[1:]):
        print(words)
        sys.exit(1)
