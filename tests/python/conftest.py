"""Shared by all tests of the Python package. VIDCONV names the command to compare with."""
import os
import subprocess

import numpy as np
import pytest

DTYPES = {"gray": np.uint8, "gray16le": np.uint16, "grayf32le": np.float32, "gbrp": np.uint8, "yuv444p": np.uint8,
          "rgb24": np.uint8, "gray10le": np.uint16, "gbrpf32le": np.float32}


@pytest.fixture(scope="session")
def command():
    """Runs the command, and returns its stdout."""
    program = os.environ["VIDCONV"]

    def run(*arguments):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout
    return run


@pytest.fixture(scope="session")
def frame_of(command):
    """Returns the first frame of the built-in pattern, filtered by the command, as an array of all its samples."""
    def make(size, pixel_format, *options):
        data = command(f"pattern:{size}:{pixel_format}#1", "-o", "-", "--format", "raw", "-q", *options)
        return np.frombuffer(data, DTYPES[pixel_format])
    return make


@pytest.fixture
def noise():
    """Makes random arrays of a shape and dtype."""
    random = np.random.default_rng(19)

    def make(shape, dtype):
        if np.issubdtype(dtype, np.floating):
            return random.random(shape, np.float32).astype(dtype)
        return random.integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    return make
