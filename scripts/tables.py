#!/usr/bin/env python3
"""Checks that `gts` reads the tables of pandas, pyarrow, Polars and DuckDB, and that these read the tables of `gts`.

Requires the packages in .ci/requirements.txt.

    GTS=target/debug/gts scripts/tables.py
"""

import csv
import io
import os
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

GTS = os.environ.get("GTS", "gts")
ROWS = 5000
# Some names are repeated often, some have signs that CSV quotes, and some are longer than an inline view.
NAMES = [f"https://example.org/page/{row % 700}" for row in range(690)] + ["é", "a,b", 'c"d', "tab\there", "😀", "x", "a b", "7", "007", "y"]
SOURCE = [NAMES[row * 7 % 700] for row in range(ROWS)]
TARGET = [NAMES[row * row % 613] for row in range(ROWS)]
WEIGHT = [row % 90 / 4 for row in range(ROWS)]
failures = []


def gts(*arguments):
    """Runs a command, and returns its standard output."""
    done = subprocess.run([GTS, *map(str, arguments)], capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"gts {' '.join(map(str, arguments))}: {done.stderr.decode()}")
    return done.stdout.decode()


def check(name, found, expected):
    """Records a difference."""
    if found != expected:
        failures.append(name)
        differs = next((pair for pair in zip(found, expected) if pair[0] != pair[1]), (len(found), len(expected)))
        print(f"tables: {name}: {differs[0]!r}, not {differs[1]!r}", file=sys.stderr)


def rows_of(text):
    """Returns the records of CSV, with real numbers as weights."""
    head, *rows = csv.reader(io.StringIO(text))
    return [tuple(float(cell) if name == "weight" else cell for name, cell in zip(head, row)) for row in rows]


def files_of_others(folder):
    """Writes the table with each library, and yields the paths."""
    frame = pd.DataFrame({"source": SOURCE, "target": TARGET, "weight": WEIGHT})
    for codec in [None, "snappy", "gzip", "brotli", "lz4", "zstd"]:
        path = folder / f"pandas-{codec}.parquet"
        frame.to_parquet(path, compression=codec)
        yield path
    path = folder / "pandas-category.parquet"
    frame.astype({"source": "category", "target": "category"}).to_parquet(path, row_group_size=900)
    yield path

    table = pa.table({"source": SOURCE, "target": TARGET, "weight": WEIGHT})
    for kind in [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int16(), pa.string())]:
        ends = pa.array(SOURCE).cast(kind) if not pa.types.is_dictionary(kind) else pa.array(SOURCE).dictionary_encode()
        typed = table.set_column(0, "source", ends)
        for codec in ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]:
            for dictionary in [False, True]:
                if pa.types.is_string_view(kind) and codec != "none":
                    continue
                path = folder / f"pyarrow-{kind}-{codec}-{dictionary}.parquet".replace("/", "-").replace("<", "-")
                # A small page of the dictionary makes later pages plain.
                pq.write_table(typed, path, compression=codec, use_dictionary=dictionary, row_group_size=1300,
                               dictionary_pagesize_limit=4096, data_page_version="2.0" if dictionary else "1.0")
                yield path
        for codec in ["uncompressed", "lz4", "zstd"]:
            path = folder / f"pyarrow-{kind}-{codec}.feather".replace("<", "-")
            pa.feather.write_feather(typed, path, compression=codec, chunksize=1100)
            yield path
        path = folder / f"pyarrow-{kind}.arrows".replace("<", "-")
        with pa.ipc.new_stream(path, typed.schema) as stream:
            stream.write_table(typed, max_chunksize=1100)
        yield path

    frame = pl.DataFrame({"source": SOURCE, "target": TARGET, "weight": WEIGHT})
    for kind in [pl.String, pl.Categorical]:
        typed = frame.with_columns(pl.col("source").cast(kind))
        for codec in ["uncompressed", "snappy", "gzip", "brotli", "lz4", "zstd"]:
            path = folder / f"polars-{kind}-{codec}.parquet"
            typed.write_parquet(path, compression=codec, row_group_size=1700)
            yield path
        for codec in ["uncompressed", "lz4", "zstd"]:
            path = folder / f"polars-{kind}-{codec}.arrow"
            typed.write_ipc(path, compression=codec)
            yield path
        path = folder / f"polars-{kind}.arrows"
        typed.write_ipc_stream(path)
        yield path

    duckdb.register("edges", pa.table({"source": SOURCE, "target": TARGET, "weight": WEIGHT}))
    for codec in ["uncompressed", "snappy", "gzip", "brotli", "lz4_raw", "zstd"]:
        for version in ["V1", "V2"]:
            path = folder / f"duckdb-{codec}-{version}.parquet"
            options = f"FORMAT parquet, CODEC {codec}, ROW_GROUP_SIZE 2048, PARQUET_VERSION {version}"
            duckdb.sql(f"COPY (SELECT * FROM edges) TO '{path}' ({options})")
            yield path


def check_reading(folder):
    """Checks that the files of others have the rows of the table."""
    expected = list(zip(SOURCE, TARGET, WEIGHT))
    count = 0
    for path in files_of_others(folder):
        check(path.name, rows_of(gts("convert", path, "-", "--weights", "f64")), expected)
        path.unlink()
        count += 1
    return count


def check_keys(folder):
    """Checks the types of keys: numbers of every width, and UUIDs."""
    for kind in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]:
        ends = np.arange(100, dtype=kind)
        if kind.startswith("int"):
            ends = ends - 50
        pd.DataFrame({"source": ends, "target": ends[::-1]}).to_parquet(folder / "keys.parquet")
        expected = [(str(source), str(target)) for source, target in zip(ends, ends[::-1])]
        check(f"keys of {kind}", rows_of(gts("convert", folder / "keys.parquet", "-")), expected)
    uuids = [uuid.UUID(int=row << 90 | 5) for row in range(50)]
    values = ", ".join(f"('{one}'::UUID, '{other}'::UUID)" for one, other in zip(uuids, uuids[::-1]))
    duckdb.sql(f"COPY (SELECT * FROM (VALUES {values}) AS t(source, target)) TO '{folder}/uuids.parquet'")
    expected = [(str(one), str(other)) for one, other in zip(uuids, uuids[::-1])]
    check("UUIDs of DuckDB", rows_of(gts("convert", folder / "uuids.parquet", "-")), expected)
    gts("convert", folder / "uuids.parquet", folder / "again.parquet")
    found = duckdb.sql(f"SELECT source, target FROM '{folder}/again.parquet'")
    check("UUIDs for DuckDB", [tuple(map(str, row)) for row in found.fetchall()], expected)
    check("the type of UUIDs for DuckDB", str(found.types[0]), "UUID")
    check("UUIDs read again", rows_of(gts("convert", folder / "again.parquet", "-")), expected)


def check_labels(folder):
    """Checks that `--labels` reads the tables of each library."""
    (folder / "path.txt").write_text("1 2\n2 3\n")
    frame = pd.DataFrame({"label": ["a,b", "é", "x" * 99], "id": [3, 1, 2]})
    table, path = pa.Table.from_pandas(frame), folder / "labels"
    duckdb.register("labels", table)
    writers = {
        "pandas": lambda: frame.to_parquet(path),
        "pyarrow": lambda: pa.feather.write_feather(table, str(path), compression="lz4"),
        "Polars": lambda: pl.from_pandas(frame).write_ipc(path),
        "DuckDB": lambda: duckdb.sql(f"COPY (SELECT * FROM labels) TO '{path}' (FORMAT parquet)"),
    }
    expected = [("1", "é", "0"), ("2", "x" * 99, "1"), ("3", "a,b", "2")]
    for name, write in writers.items():
        write()
        flags = ["--labels", path, "--source", "é", "--quiet", "--no-cache", "--output", "-"]
        check(f"labels of {name}", rows_of(gts("run", "bfs", folder / "path.txt", *flags)), expected)


def plain(value):
    """Returns a cell as text, or None for a null."""
    if value is None or value is pd.NA or isinstance(value, float) and np.isnan(value):
        return None
    return str(int(value)) if isinstance(value, (int, float, np.integer, np.floating)) else str(value)


def check_writing(folder):
    """Checks that the others read answers and graphs with their values, types and nulls."""
    edges = folder / "edges.csv"
    with edges.open("w", newline="") as file:
        csv.writer(file).writerows([("source", "target"), *zip(SOURCE, TARGET), ("alone", "lonely")])
    numbers = folder / "numbers.csv"
    numbers.write_text("source,target\n1,2\n2,3\n9,1\n")
    run = ["run", "bfs", edges, "--source", SOURCE[0], "--device", "cpu"]
    for ending in ["csv", "parquet", "arrow", "npz"]:
        # NumPy holds no names.
        arguments = run if ending != "npz" else ["run", "bfs", numbers, "--source", "1", "--device", "cpu"]
        gts(*arguments, "--output", folder / f"answer.{ending}")
    head, *rows = csv.reader((folder / "answer.csv").open(newline=""))
    expected = [tuple(cell or None for cell in row) for row in rows]
    assert any(None in row for row in expected)
    for ending, read in [("parquet", pl.read_parquet), ("arrow", pl.read_ipc)]:
        found = read(folder / f"answer.{ending}")
        check(f"columns of {ending} in Polars", found.columns, head)
        check(f"types of {ending} in Polars", found.dtypes[:2], [pl.String, pl.UInt32])
        check(f"rows of {ending} in Polars", [tuple(map(plain, row)) for row in found.rows()], expected)
    for ending, read in [("parquet", pq.read_table), ("arrow", pa.feather.read_table)]:
        found = read(folder / f"answer.{ending}")
        check(f"types of {ending} in pyarrow", found.schema.types[:2], [pa.string(), pa.uint32()])
        check(f"rows of {ending} in pyarrow", [tuple(map(plain, row.values())) for row in found.to_pylist()], expected)
        found = found.to_pandas(types_mapper={pa.uint32(): pd.UInt32Dtype()}.get)
        check(f"types of {ending} in pandas", str(found["level"].dtype), "UInt32")
        check(f"rows of {ending} in pandas", [tuple(map(plain, row)) for row in found.itertuples(index=False)], expected)
    found = duckdb.sql(f"SELECT * FROM '{folder}/answer.parquet'")
    check("types of parquet in DuckDB", list(map(str, found.types[:2])), ["VARCHAR", "UINTEGER"])
    check("rows of parquet in DuckDB", [tuple(map(plain, row)) for row in found.fetchall()], expected)
    found = np.load(folder / "answer.npz")
    check("levels in numpy", found["level"][~found["level_mask"]].tolist(), [0, 1, 2])
    check("nulls in numpy", found["level_mask"].tolist(), [False, False, False, True])

    gts("import", edges, folder / "g.gts")
    expected = rows_of(gts("export", folder / "g.gts", "-"))
    for ending, read in [("parquet", pl.read_parquet), ("arrow", pl.read_ipc)]:
        path = folder / f"graph.{ending}"
        gts("export", folder / "g.gts", path)
        check(f"an exported {ending} in Polars", read(path).rows(), expected)
        check(f"an exported {ending} read again", rows_of(gts("convert", path, "-")), expected)


with tempfile.TemporaryDirectory() as name:
    files = check_reading(Path(name))
    check_keys(Path(name))
    check_labels(Path(name))
    check_writing(Path(name))
if failures:
    sys.exit(f"tables: {len(failures)} differences")
print(f"tables: {files} files of pandas, pyarrow, Polars and DuckDB are read, and all outputs are read by them")
