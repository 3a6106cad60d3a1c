#!/usr/bin/env python3
"""Makes the bundled graph: dependencies among the packages of Debian 12.

    scripts/debian-dependencies.py [FOLDER]        (FOLDER: examples/data)

Reads the package index that `apt-get update` left on a Debian 12 machine (component main, architecture amd64,
the release itself without updates) and writes

    debian-12-dependencies.tsv.gz   one edge a line, `package<TAB>dependency`, by their names

An edge stands for one entry of Depends or Pre-Depends. Of alternatives (`a | b`) the first that is a package of
main counts, which is the one that apt prefers. Versions are dropped, and so are dependencies that only virtual
packages satisfy, repeated entries, and a package's dependency on itself. A package that neither needs nor serves
another is left out. The same index gives the same bytes.
"""

import gzip
import re
import subprocess
import sys
from pathlib import Path

INDEX = ["Created-By: Packages", "Origin: Debian", "Codename: bookworm", "Component: main", "Architecture: amd64"]
NAME = re.compile(r"[a-z0-9][a-z0-9+.-]+")


def read_index() -> str:
    """The text of the package index, unpacked by apt itself."""
    targets = ["apt-get", "indextargets", "--format", "$(FILENAME)", *INDEX]
    files = subprocess.run(targets, check=True, capture_output=True, text=True).stdout.split()
    if not files:
        sys.exit("no index of Debian 12 (bookworm), main, amd64 on this machine: run `apt-get update` on Debian 12")
    return subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", *files], check=True, capture_output=True, text=True).stdout


def paragraphs(index: str):
    """Package name and dependency fields of each paragraph."""
    for paragraph in index.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in paragraph.splitlines() if ": " in line and line[0] != " ")
        if "Package" in fields:
            yield fields["Package"], [fields[key] for key in ("Pre-Depends", "Depends") if key in fields]


def dependencies(fields: list[str], packages: set[str]):
    """The package that each entry of the fields asks for first."""
    for entry in ", ".join(fields).split(","):
        names = (NAME.match(alternative.strip()) for alternative in entry.split("|"))
        chosen = next((name.group() for name in names if name and name.group() in packages), None)
        if chosen:
            yield chosen


def write(path: Path, lines: list[str]) -> None:
    """Compresses the lines without a time or name in the gzip header, so that equal text gives equal bytes."""
    with open(path, "wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(("\n".join(lines) + "\n").encode())


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "examples" / "data")
    entries = dict(paragraphs(read_index()))
    packages = set(entries)
    edges = {(name, other) for name in packages for other in dependencies(entries[name], packages) if other != name}
    packages = {name for edge in edges for name in edge}

    header = [
        "# Dependencies among the packages of Debian 12 (bookworm), main, amd64: package, then what it depends on.",
        f"# {len(packages)} packages, {len(edges)} dependencies.",
        "# Made by scripts/debian-dependencies.py from the index that the Debian project publishes: names and relations",
        "# of packages, which are facts; no text of the packages themselves. Debian is a trademark of Software in the",
        "# Public Interest, Inc.",
        "source\ttarget",
    ]
    write(folder / "debian-12-dependencies.tsv.gz", header + [f"{name}\t{other}" for name, other in sorted(edges)])
    print(f"{len(packages)} packages, {len(edges)} dependencies")


if __name__ == "__main__":
    main()
