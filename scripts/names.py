#!/usr/bin/env python3
"""Measures imports of graphs whose vertices have names.

Requires Polars 2 and a release build of `gts` with the feature `arrow`.

    GTS=target/release/gts scripts/names.py small EDGES FOLDER   compares with Polars; EDGES has two columns of numbers
    GTS=target/release/gts scripts/names.py large FOLDER         compares 50 M edges of names with those of numbers
    GTS=target/release/gts scripts/names.py text FOLDER OTHER    compares with another `gts` on a list of numbers
"""

import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

GTS = os.environ.get("GTS", "gts")
ROUNDS = 5
VERTICES, EDGES, PARTS = 10_000_000, 50_000_000, 10

# Reads both columns, and ranks all ends. The faster of two ways counts.
POLARS = """
import resource, sys
import polars as pl
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
begun = cpu()
table = pl.read_parquet(sys.argv[1], columns=["source", "target"])
ends = pl.concat([table["source"], table["target"]])
if sys.argv[2] == "rank":
    print(ends.rank("dense").len(), file=sys.stderr)
else:
    names = ends.unique().sort()
    numbers = pl.DataFrame({"name": names}).with_row_index("number")
    for side in ("source", "target"):
        print(table.select(side).join(numbers, left_on=side, right_on="name", how="left", maintain_order="left").height, file=sys.stderr)
print(cpu() - begun)
"""


def measured(*command):
    """Runs a command. Returns its CPU time in seconds, its peak of memory in bytes, and its output."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise RuntimeError(f"{command}: status {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss << 10, output.decode()


def imported(paths, store, *flags, gts=GTS):
    """Imports files into a store that did not exist, and returns the CPU time and the peak."""
    shutil.rmtree(store, ignore_errors=True)
    cpu, peak, _ = measured(gts, "import", *paths, store, "--quiet", *flags)
    return cpu, peak


def url(number):
    """Returns an expression for the URL-like name of a number."""
    import polars as pl

    host = (number // 4000).cast(pl.String)
    return pl.concat_str(
        pl.lit("http://www.site-"), host, pl.lit(".example.org/department/"), (number // 60 % 67).cast(pl.String),
        pl.lit("/people/page-"), number.cast(pl.String), pl.lit(".html"),
    )  # fmt: skip


def small(edges, folder):
    import polars as pl

    table = pl.read_csv(edges, has_header=False, separator="\t", new_columns=["source", "target"], comment_prefix="#")
    named = table.select(url(pl.col("source")).alias("source"), url(pl.col("target")).alias("target"))
    path = folder / "named.parquet"
    named.write_parquet(path)
    names = pl.concat([named["source"], named["target"]]).unique()
    print(f"{named.height:,} edges, {names.len():,} names of {names.str.len_bytes().sum():,} bytes, {os.cpu_count()} cores")
    times = {"gts": [], "rank": [], "join": []}
    for _ in range(ROUNDS):
        times["gts"].append(imported([path], folder / "named.gts")[0])
        for way in ("rank", "join"):
            times[way].append(float(measured(sys.executable, "-c", POLARS, path, way)[2]))
    medians = {name: statistics.median(of) for name, of in times.items()}
    print({name: round(median, 3) for name, median in medians.items()})
    print(f"gts import / Polars, CPU time: {medians['gts'] / min(medians['rank'], medians['join']):.3f}")


def make(folder):
    """Writes the same edges between names and between numbers, each to a folder of Parquet files."""
    import polars as pl

    for name in ("names", "numbers"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    # Every vertex is an end of some edge.
    per = EDGES // PARTS
    for part in range(PARTS):
        row = pl.int_range(part * per, (part + 1) * per, eager=True)
        source = row.hash(1) % VERTICES
        table = pl.DataFrame({"source": source.cast(pl.Int64), "target": row % VERTICES})
        table.write_parquet(folder / "numbers" / f"part-{part}.parquet")
        named = table.select(url(pl.col("source")).alias("source"), url(pl.col("target")).alias("target"))
        named.write_parquet(folder / "names" / f"part-{part}.parquet")
    print(pl.select(url(pl.int_range(VERTICES)).str.len_bytes().sum()).item())


def large(folder):
    # The system counts the memory of a process's parent at its start, so this process stays small.
    raw = int(subprocess.run([sys.executable, __file__, "make", folder], check=True, capture_output=True).stdout)
    limit = 1 << 30
    results = {}
    for name in ("numbers", "names"):
        cpu, peak = imported([folder / name], folder / f"{name}.gts", "--memory", "1GiB")
        results[name] = cpu
        print(f"{name}: {cpu:.1f} s of CPU time, peak {peak / limit:.3f} of the limit", flush=True)
    print(f"names / numbers, CPU time: {results['names'] / results['numbers']:.3f}")
    print(f"file of names / raw bytes: {(folder / 'names.gts/names').stat().st_size / raw:.3f}")


def text(folder, other):
    path = folder / "numbers.el"
    if not path.exists():
        measured(GTS, "generate", "rmat:20", folder / "numbers.gts")
        measured(GTS, "export", folder / "numbers.gts", path, "--lossy")
    times = {GTS: [], other: []}
    for _ in range(ROUNDS):
        for gts, of in times.items():
            of.append(imported([path], folder / "text.gts", gts=gts)[0])
    ours, theirs = (statistics.median(of) for of in times.values())
    print(f"{path.stat().st_size:,} bytes: {ours:.2f} s of CPU time, other {theirs:.2f} s; rate {theirs / ours:.3f} of the other")


def main():
    match sys.argv[1:]:
        case ["small", edges, folder]:
            small(Path(edges), Path(folder))
        case ["make", folder]:
            make(Path(folder))
        case ["large", folder]:
            large(Path(folder))
        case ["text", folder, other]:
            text(Path(folder), other)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
