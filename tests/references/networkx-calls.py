"""Writes networkx-calls.json: random graphs, and the results of the calls that `gts list --json` names, by networkx 3.6.1.

gts list --json | python networkx-calls.py
"""

import json
import pathlib
import random
import sys

import networkx as nx
import numpy as np

VERTICES = 14
SOURCE = 3
# The vertices that `--samples 5` draws of graphs with this number of vertices.
SAMPLE = [0, 6, 7, 8, 11]
GRAPHS = {nx.MultiDiGraph: 20, nx.DiGraph: 5, nx.Graph: 5}
# Rates at which scores converge, above which a graph is left out.
RATE = 0.9


class Drawn(random.Random):
    """Draws the vertices that GTS draws."""

    def sample(self, population, k):
        return SAMPLE[:k]


def made(kind, draw):
    graph = kind()
    graph.add_nodes_from(range(VERTICES))
    # Some vertices have no edges from them, and the edges of vertex 0 have no weight.
    for _ in range(3 * VERTICES):
        src, dst = draw.randrange(VERTICES - 2), draw.randrange(VERTICES)
        weight = 0 if src == 0 else draw.randrange(9) / 4
        if src != dst or graph.is_multigraph():
            graph.add_edge(src, dst, weight=weight)
    return graph


def is_simple(graph):
    """Returns whether the largest singular value is clearly above the second."""
    first, second = np.linalg.svd(nx.to_numpy_array(graph, nodelist=range(VERTICES)), compute_uv=False)[:2]
    return second < RATE * first


def listed(result):
    if isinstance(result, tuple):
        return {"hub": listed(result[0])[""], "authority": listed(result[1])[""]}
    values = [result.get(v) for v in range(VERTICES)]
    return {"": [None if v is None or v != v else float(v) for v in values]}


def main():
    calls = {}
    for algorithm in json.load(sys.stdin):
        for call in (algorithm["definition"] or {}).get("networkx", []):
            calls.setdefault(call["graph"], set()).add(call["call"])
    found, draw = [], random.Random(7)
    for kind, count in GRAPHS.items():
        while count:
            graph = made(kind, draw)
            if not is_simple(graph):
                continue
            count -= 1
            names = {"nx": nx, "G": graph, "SOURCE": SOURCE}
            results = {call: listed(eval(call, names)) for call in sorted(calls[kind.__name__])}
            if not graph.is_multigraph():
                for k in (1, len(SAMPLE)):
                    drawn = nx.betweenness_centrality(graph, k=k, seed=Drawn())
                    results[f"nx.betweenness_centrality(G, k={k})"] = listed(drawn)
            edges = [[src, dst, data["weight"]] for src, dst, data in graph.edges(data=True)]
            found.append({"class": kind.__name__, "edges": edges, "results": results})
    text = {"networkx": nx.__version__, "vertices": VERTICES, "source": SOURCE, "sample": SAMPLE, "graphs": found}
    lines = json.dumps(text).replace('{"class"', '\n{"class"').replace('"nx.', '\n"nx.')
    pathlib.Path(__file__).with_suffix(".json").write_text(lines + "\n")


main()
