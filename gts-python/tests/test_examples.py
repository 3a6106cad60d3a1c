"""The listings of the book's chapter: each prints what the chapter shows."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from conftest import EXAMPLES

LISTINGS = Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    table = pl.read_csv(EXAMPLES / "debian-12-dependencies.tsv.gz", separator="\t", comment_prefix="#")
    table.select(source=table.columns[0], target=table.columns[1]).write_parquet(folder / "packages.parquet")
    return folder


@pytest.mark.parametrize("listing", sorted(LISTINGS.glob("*.py")), ids=lambda path: path.stem)
def test_a_listing_prints_what_the_book_shows(listing, folder):
    done = subprocess.run([sys.executable, listing], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = listing.with_suffix(".out")
    if os.environ.get("GTS_WRITE_EXAMPLES"):
        shown.write_text(done.stdout)
    assert done.stdout == shown.read_text()
