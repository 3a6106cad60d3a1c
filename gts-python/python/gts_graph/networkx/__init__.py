"""The backend of networkx: ``nx.pagerank(graph, backend="gts")`` runs GTS on a graph of networkx.

networkx imports this module when it is itself imported. It therefore imports neither networkx, numpy nor the compiled part.
"""

__all__ = ["arrays_of", "backend", "info"]

# For each function, the calls that networkx computes itself.
FUNCTIONS = {
    "pagerank": "nstart, dangling, personalization of several nodes or with alpha=1, negative weights",
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
    "single_source_dijkstra_path_length": "weight as a function, negative weights, weights of mixed types or of numpy",
    "has_path": "source or target None",
    "descendants": "",
    "ego_graph": "distance as a function, negative distances, distances of mixed types or of numpy, undirected=True with "
    "distance in a directed graph",
}

# Properties of results that differ from those of networkx.
_NOTES = {
    "pagerank": "With personalization, the result is more exact than tol by four digits.",
    "hits": "The result is more exact than tol by four digits.",
    "strongly_connected_components": "If components have cycles, they may be in another order.",
    "single_source_shortest_path_length": "Nodes at the same distance are in the order of the graph.",
    "single_source_dijkstra_path_length": "Nodes at the same distance are in the order of the graph.",
    "strongly_connected_components": "Components are in a topological order, which may be another than that of networkx.",
}


def info():
    """Returns the description that networkx shows in its documentation."""
    return {
        "backend_name": "gts",
        "project": "GTS",
        "package": "gts_graph",
        "short_summary": "Algorithms on the CPU or on GPUs, also for graphs larger than GPU memory.",
        "functions": {name: {"additional_docs": _documentation(name)} for name in FUNCTIONS},
    }


def _documentation(name):
    calls, note = FUNCTIONS[name], _NOTES.get(name, "")
    return f"{f'Not supported: {calls}.' if calls else 'All arguments are supported.'} {note}".rstrip()


def __getattr__(name):
    """Imports the functions when networkx first needs them."""
    from importlib import import_module

    if name == "backend":
        return import_module(".backend", __name__)
    if name == "arrays_of":
        return import_module("._graph", __name__).arrays_of
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
