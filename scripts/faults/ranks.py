"""Kills or stops one rank of a run in each of its phases, and looks at what becomes of the others.

Whatever the phase, all processes end within ten seconds, somebody names the rank, and the answer is whole or not there.
A rank that is hit when it has nothing left to do may be missed by no other: then the result is complete.
"""

import argparse
import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GTS = os.environ["GTS"]
RANKS = 3
# The longest time from the signal to the end of the last process.
MOST = 10.0
# Cases of each phase and signal, where all run.
CASES = 12
SIGNALS = {"killed": signal.SIGKILL, "stopped": signal.SIGSTOP}


class Failure(Exception):
    """What is not as it should be."""


def expect(holds, what):
    if not holds:
        raise Failure(what)


def run(folder, output, *more):
    return ["launch", "-n", str(RANKS), *more, "--", "run", "pagerank", "g.gts", "--iterations", "30", "--output", output]


def start(folder, arguments):
    environment = {**os.environ, "TMPDIR": str(folder / "temporary"), "RAYON_NUM_THREADS": "1"}
    pipe = subprocess.PIPE
    return subprocess.Popen([GTS, *arguments], cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True)


def ranks_of(launcher):
    """The processes of the ranks, by their numbers."""
    found = {}
    try:
        children = Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()
    except OSError:
        return found
    for process in children:
        try:
            environment = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        numbers = [entry.split(b"=")[1] for entry in environment if entry.startswith(b"GTS_GROUP_RANK=")]
        if numbers:
            found[int(numbers[0])] = int(process)
    return found


def is_running(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def phases_of(folder):
    """The phases of an undisturbed run with their ends, in seconds from its start, and the answer."""
    begun = time.monotonic()
    process = start(folder, run(folder, "whole.csv", "--json"))
    told, said = process.communicate(timeout=120)
    total = time.monotonic() - begun
    expect(process.returncode == 0, f"the undisturbed run fails: {said}")
    seconds = json.loads(told)["seconds"]["phases"]
    taken = lambda *names: sum(seconds.get(name, 0.0) for name in names)
    reading = taken("read", "check")
    passes = taken("allocate", "initialise", "passes")
    output = taken("fetch", "order", "output")
    starting = max(total - reading - passes - output, 0.01)
    ends, end = {}, 0.0
    # The processes start and meet before they read, and end after the output.
    lengths = [0.8 * starting, reading, passes, output, 0.2 * starting]
    for name, length in zip(["it meets the others", "it reads", "it walks", "the answer is written", "it ends"], lengths):
        ends[name] = (end, end + length)
        end += length
    whole = (folder / "whole.csv").read_bytes()
    (folder / "whole.csv").unlink()
    return ends, whole


def one(folder, phase, span, way, whole, counts):
    victim = random.randrange(RANKS)
    due = random.uniform(*span)
    begun = time.monotonic()
    process = start(folder, run(folder, "ranks.csv"))
    ranks = {}
    while process.poll() is None:
        ranks.update(ranks_of(process.pid))
        if len(ranks) == RANKS and time.monotonic() - begun >= due:
            break
        time.sleep(0.001)
    when = f"rank {victim} {way} while {phase}, after {1000 * due:.0f} ms"
    try:
        os.kill(ranks[victim], SIGNALS[way])
        hit = time.monotonic()
    except (KeyError, ProcessLookupError):
        process.communicate()
        (folder / "ranks.csv").unlink(missing_ok=True)
        return False
    try:
        _, said = process.communicate(timeout=3 * MOST)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failure(f"{when}: the ranks do not end") from None
    took = time.monotonic() - hit
    expect(took <= MOST, f"{when}: the end took {took:.1f} s: {said}")
    left = [number for number, rank in ranks.items() if is_running(rank)]
    expect(not left, f"{when}: ranks {left} are left")
    answer = folder / "ranks.csv"
    if process.returncode == 0:
        counts["done"] += 1
        expect(answer.read_bytes() == whole, f"{when}: the command succeeds, and its answer is another")
    else:
        counts["ended"] += 1
        expect(f"rank {victim}" in said, f"{when}: no rank names it: {said}")
        expect(not answer.exists() or answer.read_bytes() == whole, f"{when}: the answer is not whole")
    answer.unlink(missing_ok=True)
    found = sorted(entry.name for entry in folder.iterdir())
    expect(found == ["g.gts", "temporary"], f"{when}: what is left: {found}")
    found = sorted(entry.name for entry in (folder / "temporary").iterdir())
    expect(not found, f"{when}: what is left of temporary files: {found}")
    counts["worst"] = max(counts["worst"], took)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, help="a sample that takes about so long")
    seconds = parser.parse_args().seconds
    begun = time.monotonic()
    total, failed = 0, 0
    with tempfile.TemporaryDirectory(prefix="gts-ranks-") as place:
        folder = Path(place)
        (folder / "temporary").mkdir()
        made = start(folder, ["generate", "rmat:16", "g.gts", "--page-size", "64KiB"])
        _, said = made.communicate()
        expect(made.returncode == 0, f"no graph: {said}")
        spans, whole = phases_of(folder)
        cases = [(phase, way) for phase in spans for way in SIGNALS]
        counts = {case: collections.Counter() for case in cases}
        # In turns, so that a sample has some of each.
        turn = 0
        while turn < CASES * len(cases) and not (seconds and total and time.monotonic() - begun > seconds):
            phase, way = cases[turn % len(cases)]
            turn += 1
            try:
                total += one(folder, phase, spans[phase], way, whole, counts[phase, way])
            except Failure as failure:
                failed += 1
                print(f"ranks: {failure}", flush=True)
                (folder / "ranks.csv").unlink(missing_ok=True)
        for (phase, way), found in counts.items():
            if found:
                print(
                    f"{way} while {phase}: {found['ended']} ended with an error that names the rank, {found['done']} had the "
                    f"answer; the longest end took {found['worst']:.1f} s",
                    flush=True,
                )
    print(f"ranks: {total} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"ranks: {failure}", file=sys.stderr)
        sys.exit(1)
