"""The backend of networkx: ``nx.pagerank(graph, backend="gts")`` runs GTS on a graph of networkx.

This module must not import networkx, which loads it when networkx itself is imported.
"""

from ._graph import arrays_of

__all__ = ["arrays_of", "backend", "info"]

# For each function, the calls that networkx computes itself.
FUNCTIONS = {
    "pagerank": "nstart, dangling, personalization of several nodes, negative weights",
    "hits": "nstart, normalized=False, negative weights, slow convergence",
    "betweenness_centrality": "k, weight, endpoints=True",
    "closeness_centrality": "distance, wf_improved=False",
    "clustering": "directed graphs, weight",
    "average_clustering": "directed graphs, weight",
    "transitivity": "directed graphs",
    "triangles": "multigraphs",
    "core_number": "",
    "k_truss": "k that is not an integer",
    "connected_components": "",
    "number_connected_components": "",
    "is_connected": "",
    "weakly_connected_components": "",
    "strongly_connected_components": "",
    "eccentricity": "sp, weight",
    "diameter": "e, usebounds=True, weight",
    "radius": "e, usebounds=True, weight",
    "minimum_spanning_edges": "multigraphs, algorithms other than kruskal, NaN as a weight",
    "single_source_shortest_path_length": "",
    "single_source_dijkstra_path_length": "weight as a function, negative weights",
    "has_path": "source or target None",
    "descendants": "",
    "ego_graph": "distance as a function, negative distances, undirected=True with distance in a directed graph",
}


def info():
    """Returns the description that networkx shows in its documentation."""
    return {
        "backend_name": "gts",
        "project": "GTS",
        "package": "gts_graph",
        "short_summary": "Algorithms on the CPU or on GPUs, also for graphs larger than GPU memory.",
        "functions": {name: {"additional_docs": _documentation(calls)} for name, calls in FUNCTIONS.items()},
    }


def _documentation(calls):
    return f"Not supported: {calls}." if calls else "All arguments are supported."


def __getattr__(name):
    """Imports the module of the functions when networkx first asks for it."""
    if name == "backend":
        from importlib import import_module

        return import_module(".backend", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
