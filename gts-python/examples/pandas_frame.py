import gts_graph as gts
import pandas as pd

frame = pd.DataFrame(
    {
        "from": ["Ann", "Ann", "Bo", "Cy"],
        "to": ["Bo", "Cy", "Cy", "Di"],
        "km": [4.0, 1.5, 2.0, 3.0],
    }
)
graph = gts.Graph.from_arrow(frame, columns=("from", "to", "km"))
print(gts.sssp(graph, source="Ann").to_pandas())
