"""Keeps the recipes of conda-forge and Homebrew (packaging/conda, packaging/homebrew) true.

    recipes.py check [ROOT]     names what differs from the tree: the version, what CMake looks for, addresses, digests
    recipes.py fill DIST [OWNER]    writes both into DIST, with the digest of the archive that packaging/release.sh made
                                    there, and OWNER, who has the repository, in their addresses
"""
import hashlib
import re
import sys
from pathlib import Path

CONDA, HOMEBREW = "packaging/conda/recipe.yaml", "packaging/homebrew/vidconv.rb"
UNFILLED = "0" * 64
ADDRESS = "https://github.com/OWNER/vidconv/releases/download/v{0}/vidconv-{0}.tar.gz"
# CMake looks for the first of each line, conda-forge and Homebrew call it so. None: the compiler has it, or nobody needs it there.
NAMES = {
    "CLI11": ("cli11", "cli11"), "fmt": ("fmt", "fmt"), "libhwy": ("libhwy", "highway"), "PNG": ("libpng", "libpng"),
    "nlohmann_json": ("nlohmann_json", "nlohmann-json"), "PkgConfig": ("pkg-config", "pkgconf"),
    **{f"lib{part}": ("ffmpeg", "ffmpeg") for part in ("avcodec", "avformat", "avutil", "swresample", "swscale")},
    "Threads": (None, None), "OpenMP": (None, None), "CUDAToolkit": (None, None),
}
OF_PYTHON = ("nanobind", "numpy", "pip", "python", "scikit-build-core")


def looked_for(root):
    """Returns the names that CMake cannot do without."""
    names = set()
    for folder in ("", "kernels/", "pipeline/", "api/", "src/", "cmake/"):
        for file in sorted((root / folder).glob("*.cmake" if folder == "cmake/" else "CMakeLists.txt")):
            text = re.sub(r"#.*", "", file.read_text(encoding="utf-8"))
            for call, words in re.findall(r"\b(find_package|pkg_check_modules)\s*\(([^)]*)\)", text):
                first, *words = words.split()
                if "REQUIRED" in words:
                    modules = [re.split("[<>=]", word)[0] for word in words if not re.fullmatch("[A-Z_]+", word)]
                    names.update([first] if call == "find_package" else modules)
    return names - {"OpenCV", "Python", "Python3"}  # a judge of the tests; the package's own, below


def first_words(requirements):
    return {str(requirement).split()[0] for requirement in requirements}


def faults(root):
    import yaml  # pylint: disable=import-outside-toplevel  # filling does without

    def stated(file, pattern):
        return re.search(pattern, (root / file).read_text(encoding="utf-8"), re.M)[1]

    found = []
    version = stated("CMakeLists.txt", r"^project\(vidconv VERSION ([\d.]+)")
    cmake = stated("CMakeLists.txt", r"^cmake_minimum_required\(VERSION ([\d.]+)")
    conda = yaml.safe_load((root / CONDA).read_text(encoding="utf-8"))
    homebrew = (root / HOMEBREW).read_text(encoding="utf-8")

    versions = {CONDA: conda["context"]["version"]}
    versions |= {file: stated(file, r'^version = "(.*)"') for file in ("api/python/pyproject.toml", "api/vapoursynth/pyproject.toml")}
    found += [f"{file} has the version {other}, and CMakeLists.txt {version}" for file, other in versions.items() if other != version]
    source = {CONDA: (conda["source"]["url"].replace("${{ version }}", conda["context"]["version"]), conda["source"]["sha256"]),
              HOMEBREW: (stated(HOMEBREW, r'^  url "(.*)"'), stated(HOMEBREW, r'^  sha256 "(.*)"'))}
    for file, (url, digest) in source.items():
        if url != ADDRESS.format(version):
            found.append(f"{file} has the address {url}, which should be {ADDRESS.format(version)}")
        if digest != UNFILLED:
            found.append(f"{file} has a digest, which is filled in by `recipes.py fill` alone")

    command, python = (output["requirements"] for output in conda["outputs"])
    of_command = first_words(command["build"] + command["host"])
    of_python = first_words(python["build"] + python["host"] + python["run"])
    brewed = set(re.findall(r'^  depends_on "([^"]+)"', homebrew, re.M))
    wanted = [(CONDA, name, of_python) for name in OF_PYTHON]
    for name in sorted(looked_for(root)):
        if name not in NAMES:
            found.append(f"CMake looks for {name}: packaging/recipes.py and both recipes should name it")
            continue
        in_conda, in_homebrew = NAMES[name]
        wanted += [(CONDA, in_conda, of_command), (HOMEBREW, in_homebrew, brewed)]
        if name != "CLI11":  # a wheel has no command
            wanted.append((CONDA, in_conda, of_python))
    found += [f"{file} lacks {name}" for file, name, listed in wanted if name and name not in listed]
    if any(f"cmake >={cmake}" not in needs["build"] for needs in (command, python)):
        found.append(f"{CONDA} should ask for cmake >={cmake} twice, as CMakeLists.txt does")
    return found


def fill(root, dist, owner):
    archive, = dist.glob("vidconv-*[0-9].tar.gz")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    stem = archive.name.removesuffix(".tar.gz")
    for file, ending in ((CONDA, "conda.yaml"), (HOMEBREW, "homebrew.rb")):
        text = (root / file).read_text(encoding="utf-8").replace(UNFILLED, digest)
        (dist / f"{stem}.{ending}").write_text(re.sub(r"\bOWNER\b", owner, text) if owner else text, encoding="utf-8")


def main(what, *words):
    root = Path(__file__).parents[1]
    if what == "fill":
        fill(root, Path(words[0]), words[1] if len(words) > 1 else "")
        return 0
    found = faults(Path(words[0]) if words else root)
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("check", "fill"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
