import gts_graph as gts
import matplotlib
import matplotlib.pyplot as plt
import numpy as np

matplotlib.use("svg")

# %% A graph whose vertices have names, and the number of packages that each package needs.
graph = gts.Graph.read("packages.parquet")
degrees = gts.degree_distribution(graph).to_polars()

# %% How far each package is from the C library, against the edges.
levels = gts.bfs(gts.Graph.read("packages.parquet", symmetrise=True), source="libc6")
hops, packages = np.unique(levels["level"].compressed(), return_counts=True)

# %% Two histograms.
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3))
left.hist(degrees["out_degree"], bins=range(40))
left.set(xlabel="packages that a package needs", ylabel="packages", yscale="log")
right.bar(hops, packages)
right.set(xlabel="hops from libc6", ylabel="packages")
figure.savefig("packages.svg")
print(f"{len(graph):,} packages, {hops.max()} hops")
