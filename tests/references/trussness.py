"""Writes trussness-*.wel: the edges of small graphs, each with the largest k whose k-truss has it, by networkx."""

import pathlib

import networkx as nx

GRAPHS = {
    "karate": nx.karate_club_graph(),
    "clustered": nx.powerlaw_cluster_graph(120, 6, 0.6, seed=3),
    "caves": nx.relaxed_caveman_graph(8, 9, 0.15, seed=5),
}


def trussness(graph):
    found = {tuple(sorted(edge)): 2 for edge in graph.edges() if edge[0] != edge[1]}
    k = 3
    while (truss := nx.k_truss(graph, k)).number_of_edges():
        found.update({tuple(sorted(edge)): k for edge in truss.edges()})
        k += 1
    return found


for name, graph in GRAPHS.items():
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    lines = [f"{src} {dst} {k}\n" for (src, dst), k in sorted(trussness(graph).items())]
    path = pathlib.Path(__file__).with_name(f"trussness-{name}.wel")
    path.write_text(f"# networkx {nx.__version__}, {pathlib.Path(__file__).name}\n" + "".join(lines))
