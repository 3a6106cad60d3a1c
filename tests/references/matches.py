"""Writes matches.txt: how often patterns occur in graphs of trussness-*.wel, by networkx 3.6.1.

Each line: graph, pattern, `all` or `induced`, count. A vertex has the label `abc`[ID % 3]."""

import pathlib

import networkx as nx
from networkx.algorithms.isomorphism import GraphMatcher, categorical_node_match

HERE = pathlib.Path(__file__).parent
PATTERNS = {
    "triangle": ("0-1 1-2 2-0", {}),
    "clique": ("0-1 0-2 0-3 1-2 1-3 2-3", {}),
    "diagonal": ("0-1 1-2 2-3 3-0 0-2", {}),
    "square": ("0-1 1-2 2-3 3-0", {}),
    "path": ("0-1 1-2 2-3 3-4", {}),
    "labelled": ("0-1 1-2 2-0 2-3 3-4 4-5", {0: "a", 2: "b", 3: "a", 5: "c"}),
}


def graph(name):
    lines = (HERE / f"trussness-{name}.wel").read_text().splitlines()
    found = nx.Graph()
    found.add_edges_from(tuple(map(int, line.split()[:2])) for line in lines if not line.startswith("#"))
    for v in found:
        found.nodes[v]["label"] = "abc"[v % 3]
    return found


def pattern(edges, labels):
    found = nx.Graph(tuple(map(int, edge.split("-"))) for edge in edges.split())
    for v in found:
        found.nodes[v]["label"] = labels.get(v)
    return found


def count(matcher, induced):
    found = matcher.subgraph_isomorphisms_iter() if induced else matcher.subgraph_monomorphisms_iter()
    return sum(1 for _ in found)


def main():
    def fits(of_graph, of_pattern):
        return of_pattern["label"] in (None, of_graph["label"])

    with open(HERE / "matches.txt", "w") as out:
        out.write(f"# {__doc__.splitlines()[0]}\n")
        for name in ("karate", "caves"):
            for shape, (edges, labels) in PATTERNS.items():
                small = pattern(edges, labels)
                same = GraphMatcher(small, small, categorical_node_match("label", None))
                symmetries = count(same, True)
                for induced in (False, True):
                    all_maps = count(GraphMatcher(graph(name), small, fits), induced)
                    assert all_maps % symmetries == 0
                    kind = "induced" if induced else "all"
                    out.write(f"{name} {shape} {kind} {all_maps // symmetries}\n")


main()
