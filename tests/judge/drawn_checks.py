"""Runs many drawn checks of a judge side by side, and counts them."""
import concurrent.futures
import os
import random
import tempfile
from pathlib import Path


def run_checks(check, vidconv, jobs):
    """Calls check(vidconv, folder, number, seed) for so many numbers, or a third where VIDCONV_TEST_THINNING is set; it
    returns what is wrong, or None. VIDCONV_SEED repeats a drawing. Returns the exit code."""
    jobs = int(jobs) // (3 if "VIDCONV_TEST_THINNING" in os.environ else 1)
    seed = os.environ.get("VIDCONV_SEED", str(random.randrange(1 << 31)))
    failed = 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = [pool.submit(check, vidconv, Path(name), i, seed) for i in range(jobs)]
        for words in (f.result() for f in found):
            if words:
                failed += 1
                print(words)
    print(f"{jobs - failed} passed, {failed} failed")
    return 1 if failed or jobs == 0 else 0
