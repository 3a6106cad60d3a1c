import gts_graph as gts
import numpy as np

source, target = np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3])
graph = gts.Graph.from_numpy(source, target, vertices=5)
levels = gts.bfs(graph, source=0)["level"]
print(levels, levels.mask)
