"""GTS: graph algorithms on graphs larger than GPU memory.

    import gts_graph as gts

    graph = gts.Graph.read("packages.parquet")
    ranks = gts.pagerank(graph).to_polars()
"""

from ._core import Answer, Graph, Table, devices, explain, plan, run
from ._errors import Error, MissingFile, OutOfMemory, UnknownVertex, UsageError
from ._functions import FUNCTIONS as _FUNCTIONS
from ._gts import __version__

globals().update(_FUNCTIONS)

__all__ = [
    "Answer", "Error", "Graph", "MissingFile", "OutOfMemory", "Table", "UnknownVertex", "UsageError", "__version__", "devices", "explain",
    "plan", "run", *_FUNCTIONS,
]


def main():
    """Runs the command line of GTS."""
    import sys

    from ._gts import main

    main([sys.executable, "-m", "gts_graph"], sys.argv[1:])
