#!/usr/bin/env python3
"""Seeds for the target `file`: small files of the corpus, with three frames each. files.py DIR"""

import dataclasses
import pathlib
import shutil
import sys
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "corpus"
sys.path.insert(0, str(CORPUS))

import make
from recipes import RECIPES

MOST_BYTES = 32768  # longer files take long to read and are seldom broken where it matters

folder = pathlib.Path(sys.argv[1])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
with tempfile.TemporaryDirectory() as place:
    made = pathlib.Path(place) / "corpus"
    # Whole ones: breaking them is the fuzzer's work.
    whole = [dataclasses.replace(r, make=r.make.replace("duration=0.4", "duration=0.12"))
             for r in RECIPES if r.exit == 0]
    make.make_all(made, whole)
    for recipe in whole:
        file = made / recipe.name
        if file.exists() and file.stat().st_size <= MOST_BYTES:
            shutil.copy(file, folder / recipe.name)
(folder / "made-by").touch()
