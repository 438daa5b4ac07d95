"""Runs many drawn checks of a judge side by side, and counts them."""
import concurrent.futures
import os
import random
import tempfile
from pathlib import Path


def run_checks(check, vidconv, jobs):
    """Calls check(vidconv, folder, number, seed) for so many numbers; it returns what is wrong, or None. VIDCONV_SEED
    repeats a drawing. Returns the exit code."""
    seed = os.environ.get("VIDCONV_SEED", str(random.randrange(1 << 31)))
    failed = 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = [pool.submit(check, vidconv, Path(name), i, seed) for i in range(int(jobs))]
        for words in (f.result() for f in found):
            if words:
                failed += 1
                print(words)
    print(f"{int(jobs) - failed} passed, {failed} failed")
    return 1 if failed or int(jobs) == 0 else 0
