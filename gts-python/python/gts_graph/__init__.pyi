# Written by `python -m gts_graph._stub`.
from collections.abc import Iterable
from os import PathLike
from typing import Any, Literal, Union

from ._core import Answer as Answer, Graph as Graph, Progress, Table as Table, devices as devices, explain as explain
from ._core import plan as plan, run as run
from ._errors import Error as Error, MissingFile as MissingFile, OutOfMemory as OutOfMemory
from ._errors import UnknownVertex as UnknownVertex, UsageError as UsageError

__version__: str
_Key = Any

def main() -> None: ...

def afforest(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def betweenness(
    graph: Graph, *, source: Union[_Key, None] = None, samples: Union[int, None] = None, sample_seed: int = 1, scale: Literal['none', 'half', 'networkx'] = 'none', device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def bc(
    graph: Graph, *, source: Union[_Key, None] = None, samples: Union[int, None] = None, sample_seed: int = 1, scale: Literal['none', 'half', 'networkx'] = 'none', device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def bfs(
    graph: Graph, *, source: Union[_Key, None] = None, parents: bool = False, level_type: Literal['u32', 'u16'] = 'u32', device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def cdlp(
    graph: Graph, *, iterations: int = 10, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def lpa(
    graph: Graph, *, iterations: int = 10, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def closeness(
    graph: Graph, *, source: Union[_Key, None] = None, samples: Union[int, None] = None, sample_seed: int = 1, direction: Literal['out', 'in'] = 'out', device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def colouring(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def coloring(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def cross_edges(
    graph: Graph, *, from_: Union[_Key, Iterable[_Key]], to: Union[_Key, Iterable[_Key]], device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def degree_distribution(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def eccentricity(
    graph: Graph, *, source: Union[_Key, None] = None, samples: Union[int, None] = None, sample_seed: int = 1, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def egonet(
    graph: Graph, *, source: Union[_Key, None] = None, hops: int = 1, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def hits(
    graph: Graph, *, iterations: int = 50, norm: Literal['length', 'sum'] = 'length', weighted: bool = False, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def induced_subgraph(
    graph: Graph, *, vertices: Union[_Key, Iterable[_Key]], device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def k_core(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def kcore(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def k_hop(
    graph: Graph, *, source: Union[_Key, None] = None, hops: int = 2, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def khop(
    graph: Graph, *, source: Union[_Key, None] = None, hops: int = 2, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def k_truss(
    graph: Graph, *, k: int = 3, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def ktruss(
    graph: Graph, *, k: int = 3, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def lcc(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def match(
    graph: Graph, *, pattern: Union[Union[str, PathLike[str]], None] = None, induced: bool = False, count: bool = False, limit: int = 1000000, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def mis(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def pagerank(
    graph: Graph, *, damping: float = 0.85, iterations: Union[int, None] = None, tolerance: Union[float, None] = None, precision: Literal['f32', 'f64'] = 'f32', weighted: bool = False, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def pr(
    graph: Graph, *, damping: float = 0.85, iterations: Union[int, None] = None, tolerance: Union[float, None] = None, precision: Literal['f32', 'f64'] = 'f32', weighted: bool = False, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def personalised_pagerank(
    graph: Graph, *, source: Union[_Key, None] = None, damping: float = 0.85, iterations: int = 50, tolerance: Union[float, None] = None, weighted: bool = False, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def ppr(
    graph: Graph, *, source: Union[_Key, None] = None, damping: float = 0.85, iterations: int = 50, tolerance: Union[float, None] = None, weighted: bool = False, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def radius(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def diameter(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def random_walk_with_restart(
    graph: Graph, *, source: Union[_Key, None] = None, restart: float = 0.15, iterations: int = 50, tolerance: Union[float, None] = None, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def rwr(
    graph: Graph, *, source: Union[_Key, None] = None, restart: float = 0.15, iterations: int = 50, tolerance: Union[float, None] = None, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def random_walks(
    graph: Graph, *, walkers: Union[int, None] = None, length: int = 80, source: Union[_Key, None] = None, restart: float = 0.0, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def salsa(
    graph: Graph, *, iterations: int = 50, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def scc(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def spanning_forest(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def mst(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def sssp(
    graph: Graph, *, source: Union[_Key, None] = None, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def sssp_near_far(
    graph: Graph, *, source: Union[_Key, None] = None, delta: Union[float, None] = None, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def st_connectivity(
    graph: Graph, *, source: Union[_Key, None] = None, target: _Key, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def triangles(
    graph: Graph, *, per_vertex: bool = False, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def tc(
    graph: Graph, *, per_vertex: bool = False, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def wcc(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def cc(
    graph: Graph, *, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...

def who_to_follow(
    graph: Graph, *, source: Union[_Key, None] = None, circle: int = 500, damping: float = 0.85, iterations: int = 50, device: str = 'auto', progress: Progress = False, **options: Any
) -> Answer: ...
