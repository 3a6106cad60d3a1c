"""Kills the command with SIGKILL while it works, at times spread over all that it does, and looks at what is left.

Stores that are replaced, over one directory and over two; builds that sort on disk; answers written to files. Each time
what was there before is whole, or what was to come is, and after `gts clean` there is nothing else.
Only kills that hit a process which still ran are counted.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GTS = os.environ["GTS"]
FAILURES = []


def gts(folder, *arguments):
    """Runs the command to its end."""
    command = [GTS, *arguments]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)


def must(folder, *arguments):
    ended = gts(folder, *arguments)
    if ended.returncode != 0:
        raise Failure(f"gts {' '.join(arguments)}: exit {ended.returncode}: {ended.stderr.strip()}")
    return ended.stdout


class Failure(Exception):
    """What is not as it should be."""


def expect(holds, what):
    if not holds:
        raise Failure(what)


def digest(paths):
    sum = hashlib.sha256()
    for path in paths:
        sum.update(path.read_bytes())
    return sum.hexdigest()


def entries(folder):
    return sorted(entry.name for entry in folder.iterdir())


def bytes_written(pid):
    """The bytes that a process has written so far; those that do not last are bytes too."""
    for line in Path(f"/proc/{pid}/io").read_text().splitlines():
        if line.startswith("wchar:"):
            return int(line.split()[1])
    raise Failure("the system does not tell what a process writes")


def pause(process, seconds):
    """Waits so long, but no longer than the process runs."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass


class Kind:
    """One kind of work: `versions` are the arguments that make the one or the other result."""

    cases = 100
    # What is in the folder once all is clean.
    clean_names = ["g.gts"]
    clean_folders = [["."]]

    def __init__(self, folder):
        self.folder = folder
        self.prepare()
        self.expected = []
        for version in self.versions:
            must(self.folder, *version)
            self.expected.append(self.state())
        expect(self.expected[0] != self.expected[1], f"{self.name}: both versions are the same")
        self.current = 1
        times, written = [], []
        for turn in range(4):
            begun = time.monotonic()
            written.append(self.written_by(self.versions[turn % 2]))
            times.append(time.monotonic() - begun)
        self.seconds = statistics.median(times)
        # What the work writes, and how long it goes on once that is written.
        self.bytes = min(written)
        self.rest = 0.1 * self.seconds
        self.counts = {"landed": 0, "old": 0, "new": 0, "left": 0}

    def start(self, arguments):
        quiet = subprocess.DEVNULL
        return subprocess.Popen([GTS, *arguments], cwd=self.folder, env=ENVIRONMENT, stdout=quiet, stderr=quiet)

    def written_by(self, arguments):
        """The bytes that a command writes until it ends."""
        process = self.start(arguments)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        written = bytes_written(process.pid)
        expect(process.wait() == 0, f"gts {' '.join(arguments)}: exit {process.returncode}")
        return written

    def prepare(self):
        pass

    def one(self):
        """Starts the work that makes the other version, and kills it; answers whether the kill hit it."""
        other = 1 - self.current
        # At any time, at any byte, or when all is written and names change.
        way, share = random.choice(["time", "byte", "end"]), random.random()
        begun = time.monotonic()
        process = self.start(self.versions[other])
        if way == "time":
            pause(process, share * self.seconds)
        else:
            least = share * self.bytes if way == "byte" else self.bytes
            while process.poll() is None and bytes_written(process.pid) < least:
                time.sleep(0.0003)
            if way == "end":
                pause(process, share * self.rest)
        process.send_signal(signal.SIGKILL)
        code = process.wait()
        seconds = time.monotonic() - begun
        landed = code == -signal.SIGKILL
        if not landed:
            expect(code == 0, f"{self.name}: the work ended by itself with {code}")
            # The machine may be faster or slower than it was at first.
            self.seconds += 0.2 * (seconds - self.seconds)
            self.current = other
        if way == "end":
            self.rest *= 1.05 if landed else 0.8
        if not landed:
            return False
        when = f"{self.name}, killed by {way} after {1000 * seconds:.0f} ms of {1000 * self.seconds:.0f} ms"
        self.counts["landed"] += 1
        self.counts["left"] += self.has_leftovers()
        try:
            for folder in random.choice(self.clean_folders):
                must(self.folder, "clean", folder)
                self.check_folder(folder)
            must(self.folder, "clean")
            self.check_folder(".")
            state = self.state()
            expect(state in self.expected, "neither the old nor the new one is whole")
        except Failure as failure:
            FAILURES.append(f"{when}: {failure}")
            print(FAILURES[-1], flush=True)
            shutil.rmtree(self.folder)
            self.folder.mkdir()
            self.prepare()
            must(self.folder, *self.versions[self.current])
            return True
        found = self.expected.index(state)
        self.counts["new" if found == other else "old"] += 1
        self.current = found
        return True

    def has_leftovers(self):
        return entries(self.folder) != self.clean_names

    def check_folder(self, folder):
        if folder == ".":
            found = entries(self.folder)
            expect(found == self.clean_names, f"what is left: {found}")

    def state(self):
        """Which version is there: a checksum of all files, after `gts verify` found them sound."""
        must(self.folder, "verify", "g.gts")
        return digest(sorted((self.folder / "g.gts").iterdir()))


class Replacements(Kind):
    name = "replacements"
    cases = 300
    versions = [["generate", f"rmat:13,seed={seed}", "g.gts", "--force", "--in-edges"] for seed in (1, 2)]


class Striped(Kind):
    name = "striped"
    versions = [
        ["generate", f"rmat:12,seed={seed}", "g.gts", "--force", "--page-size", "16KiB", "--stripe", "a", "--stripe", "b"]
        for seed in (1, 2)
    ]
    clean_names = ["a", "b", "g.gts"]
    clean_folders = [["."], ["a", "b"], ["b"]]

    def prepare(self):
        (self.folder / "a").mkdir()
        (self.folder / "b").mkdir()

    def stripes(self):
        return [Path(stripe) for stripe in json.loads(must(self.folder, "info", "g.gts", "--json"))["stripes"]]

    def has_leftovers(self):
        return super().has_leftovers() or len(entries(self.folder / "a") + entries(self.folder / "b")) != 2

    def check_folder(self, folder):
        super().check_folder(folder)
        for name in ["a", "b"] if folder == "." else [folder]:
            # A store that stepped aside keeps its stripes until it is back.
            if (self.folder / "g.gts").exists():
                found = entries(self.folder / name)
                listed = [stripe.name for stripe in self.stripes() if stripe.parent.name == name]
                expect(found == listed, f"what is left in {name}: {found}; the store lists {listed}")

    def state(self):
        must(self.folder, "verify", "g.gts")
        # The manifest names the stripes, whose names are another build's each time.
        files = [path for path in sorted((self.folder / "g.gts").iterdir()) if path.name != "manifest"]
        return digest(files + [stripe / "out.pages" for stripe in self.stripes()])


class Spilling(Kind):
    name = "spilling builds"
    versions = [
        ["generate", f"rmat:16,seed={seed}", "g.gts", "--force", "--memory", "49MiB", "--page-size", "64KiB"]
        for seed in (1, 2)
    ]

    def prepare(self):
        summary = json.loads(must(self.folder, *self.versions[0], "--json"))
        expect(summary["spilled"] > 0, "the build does not sort on disk")


class Outputs(Kind):
    name = "outputs"
    versions = [
        ["run", "pagerank", "g.gts", "--device", "cpu", "--iterations", str(iterations), "--force", "--output", "r.csv"]
        for iterations in (4, 5)
    ]
    clean_names = ["g.gts", "r.csv"]

    def prepare(self):
        must(self.folder, "generate", "rmat:14", "g.gts")

    def state(self):
        return digest([self.folder / "r.csv"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, help="a sample that takes about so long")
    seconds = parser.parse_args().seconds
    begun = time.monotonic()
    kinds = [Replacements, Striped, Spilling, Outputs]
    total = 0
    with tempfile.TemporaryDirectory(prefix="gts-kill-") as place:
        ENVIRONMENT["GTS_CACHE_DIR"] = str(Path(place) / "cache")
        for number, kind in enumerate(kinds):
            folder = Path(place) / kind.__name__
            folder.mkdir()
            work = kind(folder)
            end = begun + seconds * (number + 1) / len(kinds) if seconds else float("inf")
            tries = 0
            while work.counts["landed"] < kind.cases and (time.monotonic() < end or work.counts["landed"] == 0):
                tries += 1
                expect(tries < 20 * kind.cases, f"{kind.name}: the kills come too late")
                work.one()
            counts = work.counts
            total += counts["landed"]
            print(
                f"{kind.name}: {counts['landed']} kills during the work; {counts['old']} left the old one, {counts['new']} the "
                f"new one; {counts['left']} left something to clean",
                flush=True,
            )
    print(f"kill: {total} cases, {len(FAILURES)} failed")
    return 1 if FAILURES else 0


ENVIRONMENT = {**os.environ, "RAYON_NUM_THREADS": "2"}

if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"kill: {failure}", file=sys.stderr)
        sys.exit(1)
