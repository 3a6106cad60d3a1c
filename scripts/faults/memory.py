#!/usr/bin/env python3
"""Runs every algorithm, and the commands that build, with too little address space (`ulimit -v`).

Each case must give the answer that it gives without a limit, or an error of its own with its exit code: no abort, no panic,
no hang, no other answer, nothing left behind. A command that runs within a limit must run within larger ones. Prints a line
and the standard error of each case that does not, what the others came to, and `memory: N cases, M failed` at last.

usage: memory.py [--seconds N] [--only TEXT] [--limits FROM TO STEP]
  N: a sample, spread evenly over all cases, that ends after so long
  TEXT: cases whose name contains it
  FROM TO STEP: other limits than the twenty by default, in MB
The binary is $GTS, else target/release/gts, else target/debug/gts.
"""

import argparse
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

SCALE = 15
MB = 1_000_000
# Exit codes of typed errors: too little memory, and files that cannot be written or read.
TYPED = (71, 73, 74)
# Twenty values from 20 to 500 MB, closer together where less runs. Those within which the binary is not loaded are left out.
LIMITS = [round(20 * (500 / 20) ** (step / 19)) for step in range(20)]
# No case may take longer: the slowest without a limit takes some seconds, built for debugging.
PATIENCE = 60
# Sums in f32 and f64 depend on the order of the threads.
TOLERANCE = 1e-4

IDS = ",".join(str(7 * i + 1) for i in range(40))
OTHER_IDS = ",".join(str(11 * i + 2) for i in range(40))
PARAMETERS = {
    "betweenness": ["--samples", "2"],
    "closeness": ["--samples", "64"],
    "cross-edges": ["--from", IDS, "--to", OTHER_IDS],
    "eccentricity": ["--samples", "64"],
    "induced-subgraph": ["--vertices", IDS],
    "k-truss": ["--k", "4"],
    "match": ["--count"],
    "random-walks": ["--length", "10"],
    "st-connectivity": ["--target", "1"],
}
EDGES = {"cross-edges", "egonet", "induced-subgraph", "k-truss", "spanning-forest"}


def binary():
    found = [os.environ.get("GTS"), "target/release/gts", "target/debug/gts"]
    for path in found:
        if path and Path(path).exists():
            return str(Path(path).resolve())
    sys.exit("memory: no binary: set GTS, or build one")


def within(limit):
    """Limits the address space of the process that is about to begin, to a number of MB."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_AS, (limit * MB, limit * MB))


def loads(gts, limit):
    """Tells whether the system loads the binary within a limit, which it cannot if that is larger."""
    ended = subprocess.run([gts, "--version"], preexec_fn=lambda: within(limit), capture_output=True, check=False)
    return ended.returncode == 0


class Case:
    """A command, and what it leaves in its folder."""

    def __init__(self, name, arguments, output, limit):
        self.name, self.arguments, self.output, self.limit = name, arguments, output, limit

    def run(self, gts, folder, limited):
        environment = {**os.environ, "GTS_CACHE_DIR": str(folder / "cache")}
        command = [gts, *self.arguments, "--json"]
        ended = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            preexec_fn=lambda: within(self.limit if limited else None),
            capture_output=True,
            timeout=PATIENCE,
        )
        return ended.returncode, ended.stdout.decode(errors="replace"), ended.stderr.decode(errors="replace")


def all_cases(gts, graphs, limits):
    listed = json.loads(subprocess.run([gts, "list", "--json"], capture_output=True, check=True).stdout)
    cases = []
    for place, limit in enumerate(limit for limit in limits if loads(gts, limit)):
        for algorithm in listed:
            name, needs = algorithm["name"], algorithm["needs"]
            graph = "both-ways" if needs["symmetric"] else "directed"
            graph += "-" + needs["weights"][0] if needs["weights"] else ""
            vertices = any(output["per_vertex"] for output in algorithm["outputs"])
            kinds = (["csv", "npy"] if vertices else ["json"]) + (["el"] if name in EDGES else [])
            output = "answer." + kinds[place % len(kinds)]
            arguments = ["run", name, str(graphs / f"{graph}.gts"), "--device", "cpu", "--output", output]
            cases.append(Case(name, arguments + PARAMETERS.get(name, []), output, limit))
        generator = f"rmat:{SCALE},weights=f32"
        cases.append(Case("generate", ["generate", generator, "new.gts", "--in-edges"], "new.gts", limit))
        text = str(graphs / "edges.el")
        cases.append(Case("import", ["import", text, "new.gts", "--symmetrise"], "new.gts", limit))
        cases.append(Case("run rmat", ["run", "bfs", f"rmat:{SCALE}", "--device", "cpu", "--output", "a.csv"], "a.csv", limit))
        cases.append(Case("verify", ["verify", str(graphs / "directed.gts")], None, limit))
    return cases


def content(path):
    """The bytes of a file, or of all files of a folder."""
    if path.is_dir():
        return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}
    return path.read_bytes()


def same_number(one, other):
    try:
        one, other = float(one), float(other)
    except ValueError:
        return False
    return one == other or math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1e-12)


def same(one, other):
    if one == other:
        return True
    if not isinstance(one, bytes):
        return False
    if one.startswith(b"\x93NUMPY"):
        return same_arrays(one, other)
    one, other = (re.split(r"[\s,:\[\]{}]+", data.decode()) for data in (one, other))
    return len(one) == len(other) and all(a == b or same_number(a, b) for a, b in zip(one, other))


def same_arrays(one, other):
    """Whether two .npy files of floats hold nearly the same."""
    start = 10 + int.from_bytes(one[8:10], "little")
    header = one[10:start]
    if other[: start] != one[: start] or len(one) != len(other):
        return False
    for kind, letter in ((b"<f4", "f"), (b"<f8", "d")):
        if kind in header:
            first, second = (memoryview(data[start:]).cast(letter) for data in (one, other))
            return all(same_number(a, b) for a, b in zip(first, second))
    return False


def judge(case, gts, folder, expected):
    """What a case came to, why it fails if it does, and its standard error."""
    try:
        code, _, err = case.run(gts, folder, True)
    except subprocess.TimeoutExpired as late:
        return "hangs", f"no end after {PATIENCE} s", (late.stderr or b"").decode(errors="replace")
    return *judge_ended(case, gts, folder, expected, code, err), err


def judge_ended(case, gts, folder, expected, code, err):
    """What a case that ended came to, and why it fails if it does."""
    made = sorted(path.name for path in folder.iterdir() if path.name != "cache")
    if code == 0:
        if case.output is None:
            return "right", None
        if made != [case.output]:
            return "failed", f"leaves {made}"
        if not same(content(folder / case.output), expected):
            return "failed", "another answer"
        return "right", None
    told = [line for line in err.splitlines() if line.startswith("error[")]
    if code == 127 and "while loading shared libraries" in err:
        return "not started: too little for the loader", None
    if code not in TYPED or not told or "panicked" in err:
        return "failed", f"exit {code}"
    if not any(line.startswith("  next:  ") for line in err.splitlines()):
        return "failed", "says nothing of how to go on"
    if made:
        # An abort leaves what `kill -9` does.
        subprocess.run([gts, "clean", folder], capture_output=True, timeout=PATIENCE)
        left = sorted(path.name for path in folder.iterdir() if path.name != "cache")
        # The answer is written before it is summarised: one that is whole stays.
        whole = left == [case.output] and same(content(folder / case.output), expected)
        if left and not whole:
            return "failed", f"leaves {left} after `gts clean`"
    return ("typed, by the handler of aborts" if "memory allocation of" in err else "typed"), None


def print_failure(case, why, err):
    print(f"{case.name}, {case.limit} MB, {case.output}: {why}")
    for line in err.splitlines():
        print(f"    {line}")
    sys.stdout.flush()


def shrunk(ended):
    """The cases that failed within a larger limit than one within which the same command ran."""
    least = {}
    for case, came_to, _ in ended:
        if came_to == "right":
            key = (case.name, case.output)
            least[key] = min(case.limit, least.get(key, case.limit))
    for case, came_to, err in ended:
        ran = least.get((case.name, case.output), case.limit)
        if came_to.startswith("typed") and case.limit > ran:
            yield case, f"ran within {ran} MB", err


def spread(cases):
    """The cases in an order whose every prefix is spread evenly over all."""
    step = next(step for step in range(round(len(cases) * 0.618), len(cases) + 1) if math.gcd(step, len(cases)) == 1)
    return [cases[place * step % len(cases)] for place in range(len(cases))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--only", default="")
    parser.add_argument("--limits", type=int, nargs=3, metavar=("FROM", "TO", "STEP"))
    arguments = parser.parse_args()
    gts = binary()
    begun = time.monotonic()
    root = Path(tempfile.mkdtemp(prefix="gts-faults-memory-"))
    try:
        for weights in ("", "-u32", "-f32", "-f64"):
            generator = f"rmat:{SCALE}" + weights.replace("-", ",weights=")
            for name, flag in (("directed", "--in-edges"), ("both-ways", "--symmetrise")):
                store = root / f"{name}{weights}.gts"
                subprocess.run([gts, "generate", generator, store, flag], capture_output=True, check=True)
        with open(root / "edges.el", "w", encoding="ascii") as edges:
            for i in range(200_000):
                edges.write(f"{i * 7919 % 30011} {i * 104729 % 29989}\n")
        limits = LIMITS
        if arguments.limits:
            first, last, step = arguments.limits
            limits = range(first, last + 1, step)
        cases = [case for case in all_cases(gts, root, limits) if arguments.only in case.name]
        expected, ended, failures = {}, [], 0
        for case in spread(cases) if len(cases) > 1 else cases:
            if arguments.seconds and time.monotonic() - begun > arguments.seconds:
                break
            key = (case.name, case.output)
            if key not in expected:
                folder = root / "unlimited"
                folder.mkdir()
                code, _, err = case.run(gts, folder, False)
                if code != 0:
                    sys.exit(f"memory: {case.name} fails without a limit: {err}")
                expected[key] = None if case.output is None else content(folder / case.output)
                shutil.rmtree(folder)
            folder = root / "case"
            folder.mkdir()
            came_to, why, err = judge(case, gts, folder, expected[key])
            shutil.rmtree(folder)
            ended.append((case, came_to, err))
            if why:
                failures += 1
                print_failure(case, why, err)
        for case, why, err in shrunk(ended):
            failures += 1
            print_failure(case, why, err)
        for came_to, count in sorted(Counter(came_to for _, came_to, _ in ended).items()):
            print(f"  {came_to}: {count}")
        print(f"memory: {len(ended)} cases, {failures} failed")
        sys.exit(1 if failures else 0)
    finally:
        shutil.rmtree(root, ignore_errors=True)


main()
