"""Ctrl-C, threads, forks and memory over many calls."""

import subprocess
import sys
import threading
import time

import gts_graph as gts
import pytest
from conftest import iterations_for

INTERRUPTED = """
import os, random, signal, threading, time
import gts_graph as gts

graph = gts.Graph.read("rmat:14")
expected = gts.pagerank(graph, iterations=3)["rank"].tolist()
generator = random.Random(7)
ended = 0
for number in range(ROUNDS):
    wait = generator.random() * 0.03
    timer = threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT))
    begun = None
    try:
        timer.start()
        if number % 3:
            gts.pagerank(graph, iterations=1000000)
        else:
            while True:
                gts.Graph.read("rmat:17")
    except KeyboardInterrupt:
        ended += 1
        late = time.monotonic()
    timer.join()
    begun = time.monotonic()
    assert gts.pagerank(graph, iterations=3)["rank"].tolist() == expected
print(ended)
"""

LATE = """
import os, signal, threading, time
import gts_graph as gts

graph = gts.Graph.read("rmat:16")
sent = []
def send():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
worst = 0
for wait in (0.05, 0.2, 0.3):
    threading.Timer(wait, send).start()
    try:
        gts.pagerank(graph, iterations=10000000)
    except KeyboardInterrupt:
        worst = max(worst, time.monotonic() - sent[-1])
print(worst)
"""

FORKED = """
import os
import gts_graph as gts

graph = gts.Graph.read("rmat:8")
gts.bfs(graph)
child = os.fork()
if child == 0:
    try:
        gts.bfs(graph)
    except gts.Error as error:
        os._exit(0 if "spawn" in str(error) else 3)
    os._exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

ENGINES = """
import time
from pathlib import Path
import gts_graph as gts

graph = gts.Graph.read("rmat:10")
def threads():
    # Threads get their names soon after they start.
    time.sleep(0.3)
    return [path.parent.name for path in Path("/proc/self/task").glob("*/comm") if path.read_text() == "gts-cpu-0\\n"]
gts.bfs(graph, source=0, threads=2)
first = threads()
for source in range(1, 9):
    gts.bfs(graph, source=source, threads=2, parents=source % 2 == 0)
assert threads() == first, (threads(), first)
for number in range(3, 9):
    gts.bfs(graph, threads=number)
    assert len(threads()) == 1
print(1)
"""

FORKED_LATER = """
import os
import gts_graph as gts
from gts_graph.networkx import backend
import networkx as nx

graph = gts.Graph.read("rmat:8")
gts.bfs(graph)
child = os.fork()
if child == 0:
    del graph
    refused = backend.can_run("is_connected", (nx.path_graph(3),), {})
    os._exit(0 if "spawn" in refused or "forked" in refused else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

SAVED = """
import os, signal, sys, threading
import gts_graph as gts

graph = gts.Graph.read("rmat:18")
threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    graph.save(FOLDER + "/a.gts")
    signal.sigtimedwait([], 1)
except KeyboardInterrupt:
    pass
assert os.listdir(FOLDER) == ["a.gts"], os.listdir(FOLDER)
print(len(gts.Graph.open(FOLDER + "/a.gts")) == len(graph))
"""

OBJECTS = """
import faulthandler
import duckdb, pandas
import gts_graph as gts

faulthandler.dump_traceback_later(120, exit=True)
names = [f"vertex {number}" for number in range(1_000_000)]
frame = pandas.DataFrame({"source": names, "target": names[1:] + names[:1]}, dtype=object)
connection = duckdb.connect()
connection.execute("set threads = 4")
print(len(gts.Graph.from_arrow(connection.sql("select * from frame where source != 'x'"))))
"""

PIPE = """
import gts_graph as gts

graph = gts.Graph.read("-")
assert len(graph) == 3
gts.bfs(graph, source=1)
try:
    gts.wcc(graph)
except gts.Error as error:
    assert "pipe" in str(error), error
    print(1)
"""

LIGHT = """
import sys
import networkx
assert "gts_graph.networkx" in sys.modules
print(not {"numpy", "gts_graph._gts"} & set(sys.modules))
"""

LEAK = """
import resource, gts_graph as gts, numpy as np
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])
source = np.arange(3000); target = (source * 7 + 1) % 3000
for call in range(CALLS):
    graph = gts.Graph.from_numpy(source, target)
    gts.pagerank(graph, iterations=2).to_polars()
    gts.wcc(graph)["component"]
    if call == CALLS // 5:
        first = resident()
print(resident() / first)
"""

LITTLE_MEMORY = """
import resource
import numpy.ma
import gts_graph as gts

gts.Graph
with open("/proc/self/statm") as file:
    taken = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + (MEGABYTES << 20), resource.RLIM_INFINITY))
try:
    graph = gts.Graph.read("rmat:18")
    gts.pagerank(graph, iterations=2).to_numpy()
    print(1)
except MemoryError as error:
    assert not isinstance(error, gts.Error) or error.next, error
    print(0)
"""


def run(text, stdin=None, **names):
    for name, value in names.items():
        text = text.replace(name, str(value))
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", text], capture_output=True, text=True, timeout=300, input=stdin
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert not done.stderr, done.stderr
    return float({"True\n": 1, "False\n": 0}.get(done.stdout, done.stdout))


def test_an_interruption_ends_a_call_and_the_next_call_works():
    assert run(INTERRUPTED, ROUNDS=20) == 20


def test_an_interruption_is_answered_at_once():
    assert run(LATE) < 1


def test_an_exception_after_the_run_leaves_the_next_run_alone():
    graph = gts.Graph.read("rmat:14")

    def late(*progress):
        time.sleep(2)
        raise ZeroDivisionError

    iterations = iterations_for(0.7, graph)
    with pytest.raises(ZeroDivisionError):
        gts.pagerank(graph, iterations=iterations, progress=late)
    gts.pagerank(graph, iterations=iterations)


def test_runs_with_other_parameters_use_the_same_engine():
    assert run(ENGINES)


def test_an_engine_runs_again_after_an_error():
    graph = gts.Graph.read("rmat:14")
    for _ in range(2):
        with pytest.raises(gts.Error, match="time limit"):
            gts.pagerank(graph, iterations=10**6, time_limit="100ms")
        gts.pagerank(graph, iterations=2, time_limit="100s")
        with pytest.raises(gts.Error, match="steps"):
            gts.bfs(graph, max_steps=1)


def test_a_store_is_complete_after_an_interruption(tmp_path):
    assert run(SAVED, FOLDER=repr(str(tmp_path)))


def test_the_producer_of_a_table_may_need_the_interpreter():
    assert run(OBJECTS) == 1_000_000


def test_a_pipe_is_read_once():
    assert run(PIPE, stdin="1 2\n2 3\n") == 1


def test_networkx_starts_without_the_compiled_part():
    assert run(LIGHT)


def test_a_fork_is_refused_with_advice():
    assert run(FORKED) == 0
    assert run(FORKED_LATER) == 0


def test_memory_stays_over_many_calls():
    assert run(LEAK, CALLS=100) < 1.03


def test_too_little_memory_is_an_exception():
    done = [run(LITTLE_MEMORY, MEGABYTES=megabytes) for megabytes in range(0, 500, 50)]
    assert done[0] == 0 and done[-1] == 1, done


def test_two_threads_run_at_once(large):
    graphs = [large, gts.Graph.read("rmat:15")]
    expected = [gts.pagerank(graph, iterations=5)["rank"].tolist() for graph in graphs]
    found = [[], []]

    def work(number):
        for _ in range(3):
            found[number].append(gts.pagerank(graphs[number], iterations=5)["rank"].tolist())

    threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(answer == expected[number] for number in (0, 1) for answer in found[number])


def test_other_threads_of_python_go_on(large):
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.005):
            ticks.append(time.monotonic())

    ticker = threading.Thread(target=tick)
    ticker.start()
    gts.pagerank(large, iterations=200)
    stop.set()
    ticker.join()
    assert len(ticks) > 3


def test_the_wheel_contains_the_command():
    gts = [sys.executable, "-m", "gts_graph"]
    done = subprocess.run([*gts, "run", "bfs", "nothing.txt"], capture_output=True, text=True)
    assert done.returncode == 66 and "GTS2112" in done.stderr
    done = subprocess.run([*gts, "launch", "-n", "2", "run", "wcc", "rmat:12,edge-factor=16", "--page-size", "64KiB", "--device", "cpu", "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
