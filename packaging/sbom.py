"""Writes an SBOM of a release: SPDX 2.3, in JSON, by the spdx-tools of PyPI.

    sbom.py DIST VERSION OUTPUT

DIST holds what the release consists of. Of each file the SBOM has the digest and what is in it: of the tarball and the
wheel the libraries that their lists of LIBRARIES name, of Debian packages what they depend on; and what the system had of
the libraries that are compiled in. The same files give the same bytes: times are SOURCE_DATE_EPOCH.
"""
import datetime
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from spdx_tools.common.spdx_licensing import spdx_licensing
from spdx_tools.spdx.model import (Actor, ActorType, Checksum, ChecksumAlgorithm, CreationInfo, Document,
                                   ExternalPackageRef, ExternalPackageRefCategory, Package, Relationship,
                                   RelationshipType, SpdxNoAssertion)
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
from spdx_tools.spdx.writer.json import json_writer

# Headers and static libraries that end up in our own binaries.
COMPILED_IN = ["libcli11-dev", "libhwy-dev", "nlohmann-json3-dev"]


def identifier(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(words)).strip("-")


def package(name, version=None, **more):
    """Returns a package with the fields that the standard requires, filled with "no assertion" by default."""
    return Package(identifier(name, version or ""), name, SpdxNoAssertion(), version=version, files_analyzed=False, **more)


def of_debian(name, version, source):
    url = f"pkg:deb/debian/{source}@{version}"
    return package(name, version, supplier=SpdxNoAssertion(), external_references=[
        ExternalPackageRef(ExternalPackageRefCategory.PACKAGE_MANAGER, "purl", url)])


def of_file(path, version):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    made = package(path.name, version, checksums=[Checksum(ChecksumAlgorithm.SHA256, digest)], file_name=path.name)
    made.spdx_id = identifier("File", path.name)
    return made


def bundled(path):
    """Returns (package, version, source) of each library in an archive, from its own list; empty if it has none."""
    listed = ""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            name = next(n for n in wheel.namelist() if n.endswith(".libs/LIBRARIES"))
            listed = wheel.read(name).decode()
    elif path.name.endswith(".tar.xz"):
        with tarfile.open(path) as tarball:
            member = next(m for m in tarball if m.name.endswith("share/doc/vidconv/LIBRARIES"))
            listed = tarball.extractfile(member).read().decode()
    return sorted({tuple(line.split("\t")[1:4]) for line in listed.splitlines()[1:]})


def depended_on(path):
    words = subprocess.run(["dpkg-deb", "-f", path, "Depends"], check=True, capture_output=True, text=True).stdout
    return sorted({re.split(r"[ |(:]", word.strip())[0] for word in words.split(",") if word.strip()})


def installed(name):
    return subprocess.run(["dpkg-query", "-W", "-f", "${Version}\t${source:Package}", name], check=True, capture_output=True,
                          text=True).stdout.split("\t")


def main(dist, version, output):
    dist = Path(dist)
    files = sorted(p for p in dist.iterdir() if p.name.endswith((".tar.gz", ".tar.xz", ".deb", ".whl")))
    epoch = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    packages, relationships = {}, []

    def relate(first, how, second):
        packages.setdefault(second.spdx_id, second)
        relationships.append(Relationship(first.spdx_id, how, second.spdx_id))

    vidconv = package("vidconv", version, license_declared=spdx_licensing.parse("MIT"))
    packages[vidconv.spdx_id] = vidconv
    relationships.append(Relationship("SPDXRef-DOCUMENT", RelationshipType.DESCRIBES, vidconv.spdx_id))
    for name in COMPILED_IN:
        relate(vidconv, RelationshipType.DEPENDS_ON, of_debian(name, *installed(name)))
    for path in files:
        made = of_file(path, version)
        relate(vidconv, RelationshipType.GENERATES, made)
        if path.suffix == ".deb":
            for name in depended_on(path):
                other = package(name)
                if not name.startswith(("libvidconv", "vidconv")):
                    relate(made, RelationshipType.DEPENDS_ON, other)
        for library in bundled(path):
            relate(made, RelationshipType.CONTAINS, of_debian(*library))
    everything = hashlib.sha256("".join(p.checksums[0].value for p in packages.values() if p.checksums).encode()).hexdigest()
    document = Document(
        CreationInfo("SPDX-2.3", "SPDXRef-DOCUMENT", f"vidconv-{version}",
                     f"https://spdx.org/spdxdocs/vidconv-{version}-{everything[:32]}",
                     [Actor(ActorType.TOOL, "vidconv's packaging/sbom.py")], epoch.replace(tzinfo=None)),
        packages=list(packages.values()), relationships=relationships)
    faults = validate_full_spdx_document(document)
    if faults:
        sys.exit("sbom.py: " + "; ".join(f.validation_message for f in faults))
    json_writer.write_document_to_file(document, output, validate=False)
    print(f"{output}: {len(files)} files, {len(packages)} packages")


if __name__ == "__main__":
    main(*sys.argv[1:])
