"""Opens a store while two other processes replace it again and again.

Each command that opens the store gives the answer of one of its versions, or reports that the store is being replaced.
None calls it damaged. Two loops write, and two loops open.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

GTS = os.environ["GTS"]
OPENINGS = 4000
SCALES = (8, 9)
COMMANDS = {
    "verify": ["verify", "x.gts"],
    "info": ["info", "x.gts"],
    "run": ["run", "wcc", "x.gts", "--device", "cpu"],
    "streamed": ["run", "wcc", "x.gts", "--device", "cpu", "--host-memory", "40KiB"],
    "launch": ["launch", "-n", "2", "--", "run", "wcc", "x.gts", "--device", "cpu"],
}
# A launch takes as long as many other commands.
TURNS = ["verify", "info", "run", "streamed"] * 8 + ["launch"]


def gts(folder, arguments):
    command = [GTS, *arguments, "--json"]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)


def write(folder, scale):
    generator = f"rmat:{scale}"
    return gts(folder, ["generate", generator, "x.gts", "--page-size", "4KiB", "--in-edges", "--force"])


def answer(ended):
    """What a command tells of the graph, and of the answer if it runs an algorithm."""
    told = json.loads(ended.stdout)
    graph = told.get("graph", told)
    return graph["vertices"], graph["edges"], graph.get("content"), str(told.get("answer"))


class Loops:
    """What all loops share."""

    def __init__(self, folder, openings, end):
        self.folder, self.openings, self.end = folder, openings, end
        self.lock, self.taken, self.replacements = threading.Lock(), 0, 0
        self.counts, self.failures, self.ended = Counter(), [], False
        self.answers = {name: set() for name in COMMANDS}

    def next(self):
        """The next command to try, if there is one."""
        with self.lock:
            if self.taken == self.openings or time.monotonic() > self.end:
                return None
            self.taken += 1
            return TURNS[self.taken % len(TURNS)]

    def read(self):
        while name := self.next():
            ended = gts(self.folder, COMMANDS[name])
            if ended.returncode == 0 and answer(ended) in self.answers[name]:
                came_to = "right"
            elif ended.returncode == 1 and "is being replaced" in ended.stderr:
                came_to = "being replaced"
            elif name == "launch" and ended.returncode == 1 and "give all ranks the same version" in ended.stderr:
                came_to = "ranks with other versions"
            else:
                came_to = "failed"
            with self.lock:
                self.counts[came_to] += 1
                if came_to == "failed":
                    self.failures.append(f"{name}: exit {ended.returncode}: {ended.stdout[:400]}{ended.stderr.strip()}")

    def replace(self, turn):
        while not self.ended:
            ended = write(self.folder, SCALES[turn % len(SCALES)])
            turn += 1
            with self.lock:
                self.replacements += ended.returncode == 0
                # Each writer may meet the other.
                if ended.returncode != 0 and "is being" not in ended.stderr and "in use" not in ended.stderr:
                    self.failures.append(f"generate: exit {ended.returncode}: {ended.stderr.strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, help="a sample that takes about so long")
    parser.add_argument("--openings", type=int, default=OPENINGS, help="commands that open the store")
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.seconds if arguments.seconds else float("inf")
    with tempfile.TemporaryDirectory(prefix="gts-replace-") as place:
        ENVIRONMENT["GTS_CACHE_DIR"] = str(Path(place) / "cache")
        loops = Loops(Path(place), arguments.openings, end)
        for scale in SCALES:
            ended = write(loops.folder, scale)
            if ended.returncode != 0:
                sys.exit(f"replace: generate fails: {ended.stderr.strip()}")
            for name, arguments in COMMANDS.items():
                loops.answers[name].add(answer(gts(loops.folder, arguments)))
        writers = [threading.Thread(target=loops.replace, args=(turn,)) for turn in range(2)]
        readers = [threading.Thread(target=loops.read) for _ in range(2)]
        for thread in writers + readers:
            thread.start()
        for thread in readers:
            thread.join()
        loops.ended = True
        for thread in writers:
            thread.join()
    for failure in loops.failures[:20]:
        print(failure)
    told = ", ".join(f"{count} {came_to}" for came_to, count in sorted(loops.counts.items()))
    print(f"{told}; {loops.replacements} replacements")
    print(f"replace: {loops.counts.total()} cases, {len(loops.failures)} failed")
    return 1 if loops.failures else 0


ENVIRONMENT = {**os.environ, "RAYON_NUM_THREADS": "2"}

if __name__ == "__main__":
    sys.exit(main())
