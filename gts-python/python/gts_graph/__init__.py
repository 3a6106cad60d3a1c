"""GTS: graph algorithms on graphs larger than GPU memory.

    import gts_graph as gts

    graph = gts.Graph.read("packages.parquet")
    ranks = gts.pagerank(graph).to_polars()
"""


def __getattr__(name):
    """Imports the package when a public name is first used: networkx imports this module for its list of backends."""
    if name in ("__all__", "__version__") or not name.startswith("_"):
        if "__all__" not in globals():
            _import()
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__getattr__("__all__")})


def _import():
    from . import _core, _errors
    from ._functions import FUNCTIONS
    from ._gts import __version__

    core = {name: getattr(_core, name) for name in ("Answer", "Graph", "Table", "devices", "explain", "plan", "run")}
    errors = ("Error", "MissingFile", "OutOfMemory", "UnknownVertex", "UsageError")
    names = {**core, **{name: getattr(_errors, name) for name in errors}, "__version__": __version__, **FUNCTIONS}
    globals().update(names, __all__=sorted(names))


def main():
    """Runs the command line of GTS."""
    import sys

    from ._gts import main

    main([sys.executable, "-m", "gts_graph"], sys.argv[1:])
