"""Graphs that several tests use."""

import os
import time
from pathlib import Path

import gts_graph as gts
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "data"
DATA = Path(os.environ.get("GTS_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


def iterations_for(seconds, graph):
    """Returns the number of PageRank iterations that take about this many seconds, whatever the build."""
    begun = time.monotonic()
    gts.pagerank(graph, iterations=50)
    return max(50, int(50 * seconds / (time.monotonic() - begun)))


@pytest.fixture(scope="session")
def packages():
    """A graph whose keys are names."""
    return gts.Graph.read(EXAMPLES / "debian-12-dependencies.tsv.gz")


@pytest.fixture(scope="session")
def large():
    """A graph on which a run takes a second."""
    return gts.Graph.read("rmat:16")
