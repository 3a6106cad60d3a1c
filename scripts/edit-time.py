#!/usr/bin/env python3
"""Measures how long the compiler takes for a crate of kernels, and for edits of it.

    scripts/edit-time.py [--repository DIR] [--kernels N] [--repeat N] [--default-profile] [--write-only]

Writes a crate into target/edit-time of the repository: of every six kernels, two are `traverse`, two `scan`, one is
`gather` and one `vertex`, and each has a driver. Prints the least user CPU time, in seconds, of each kind of build. The
dependencies are built first, and do not count.
"""

import argparse
import os
import pathlib
import resource
import subprocess

MANIFEST = """\
[package]
name = "edited"
version = "0.1.0"
edition = "2024"

[workspace]

[dependencies]
gts-graph = {{ path = "{repository}/gts-graph", default-features = false }}

[profile.dev]
opt-level = 1
{profile}"""

# The lines that book/src/first-kernel.md recommends.
PROFILE = """\
debug = false
lto = "off"
"""

KERNELS = [
    """\
#[gts_attributes]
pub struct Hops{n} {{
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}}

#[gts_kernel(traverse)]
fn expand{n}(hops: &mut Hops{n}, src: Vertex, dst: Vertex) {{
    if hops.level[dst] == UNREACHED {{
        hops.level[dst] = step() + 1;
        activate(dst);
    }}
}}

pub fn run{n}(engine: &Engine, graph: &Graph) -> Result<Vec<u32>> {{
    let mut run = engine.start::<Hops{n}>(graph)?;
    run.traverse(expand{n})?;
    run.take(Hops{n}::LEVEL)
}}
""",
    """\
#[gts_attributes]
pub struct Ranks{n} {{
    #[ra(from = next)]
    pub rank: f32,
    #[wa(init = 0.0, merge = sum)]
    pub next: f32,
}}

#[gts_kernel(scan)]
fn push{n}(ranks: &mut Ranks{n}, src: Vertex, dst: Vertex) {{
    ranks.next[dst] += ranks.rank[src] / src.out_degree() as f32;
}}

pub fn run{n}(engine: &Engine, graph: &Graph) -> Result<Vec<f32>> {{
    let mut run = engine.start::<Ranks{n}>(graph)?;
    run.scan(push{n})?;
    run.take(Ranks{n}::NEXT)
}}
""",
    """\
#[gts_attributes]
pub struct Least{n} {{
    #[wa(init = UNREACHED, merge = min)]
    pub least: u64,
    #[wa(init = UNREACHED, merge = min)]
    pub value: u64,
}}

#[gts_kernel(gather)]
fn nearest{n}(all: &mut Least{n}, v: Vertex) {{
    let least: u64 = v.neighbors().min(|u| all.value[u]);
    all.least[v] = least;
}}

pub fn run{n}(engine: &Engine, graph: &Graph) -> Result<Vec<u64>> {{
    let mut run = engine.start::<Least{n}>(graph)?;
    run.gather(nearest{n})?;
    run.take(Least{n}::LEAST)
}}
""",
    """\
#[gts_attributes]
pub struct Paths{n} {{
    #[wa(init = UNREACHED, merge = min)]
    pub distance: u32,
    #[edge(default = 1)]
    pub weight: u32,
}}

#[gts_kernel(traverse)]
fn relax{n}(paths: &mut Paths{n}, src: Vertex, dst: Vertex, e: Edge) {{
    let distance = paths.distance[src] + paths.weight[e];
    if paths.distance[dst].fetch_min(distance) > distance {{
        activate(dst);
    }}
}}

pub fn run{n}(engine: &Engine, graph: &Graph) -> Result<Vec<u32>> {{
    let mut run = engine.start::<Paths{n}>(graph)?;
    run.traverse(relax{n})?;
    run.take(Paths{n}::DISTANCE)
}}
""",
    """\
#[gts_attributes]
pub struct Counts{n} {{
    #[wa(init = 0, merge = sum)]
    pub entering: u64,
}}

#[gts_kernel(scan)]
fn count{n}(counts: &mut Counts{n}, src: Vertex, dst: Vertex) {{
    if src != dst {{
        counts.entering[dst] += 1;
    }}
}}

pub fn run{n}(engine: &Engine, graph: &Graph) -> Result<Vec<u64>> {{
    let mut run = engine.start::<Counts{n}>(graph)?;
    run.scan(count{n})?;
    run.take(Counts{n}::ENTERING)
}}
""",
    """\
#[gts_attributes]
pub struct Degrees{n} {{
    #[wa(init = 0, merge = max)]
    pub degree: u32,
    #[global(merge = sum)]
    pub odd: u64,
}}

#[gts_kernel(vertex)]
fn look{n}(degrees: &mut Degrees{n}, v: Vertex) {{
    degrees.degree[v] = v.out_degree() as u32 + 1;
    if degrees.degree[v] % 2 == 1 {{
        degrees.odd += 1;
    }}
}}

pub fn run{n}(engine: &Engine, graph: &Graph) -> Result<Vec<u32>> {{
    let mut run = engine.start::<Degrees{n}>(graph)?;
    run.apply(look{n})?;
    run.take(Degrees{n}::DEGREE)
}}
""",
]


def source(kernels, above="", below=""):
    """Returns the program, with comments above the first kernel and below the last line."""
    parts = ["use gts_graph::prelude::*;\n", above]
    parts += [KERNELS[n % len(KERNELS)].format(n=n) for n in range(kernels)]
    calls = "".join(f"    run{n}(&engine, &graph).expect(\"a run\");\n" for n in range(kernels))
    setup = '    let (engine, graph) = (Engine::cpu().expect("a CPU"), Graph::from_edges([(0, 1)]).expect("sound edges"));\n'
    parts += [f"fn main() {{\n{setup}{calls}}}\n", below]
    return "\n".join(part for part in parts if part)


def build(folder, release):
    """Builds the crate. Returns the user CPU time, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = ["cargo", "build", "--quiet", "--offline"] + (["--release"] if release else [])
    environment = {key: value for key, value in os.environ.items() if key != "CARGO_INCREMENTAL"}
    subprocess.run(command, cwd=folder, check=True, env=environment)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def write(folder, text):
    (folder / "src/main.rs").write_text(text)


def forget(folder, release):
    """Removes the outputs of the crate, but not of its dependencies."""
    command = ["cargo", "clean", "--quiet", "--offline", "--package", "edited"] + (["--release"] if release else [])
    subprocess.run(command, cwd=folder, check=True)


def measure(folder, kernels):
    """Returns the time of each kind of build."""
    times = {}

    def timed(name, text, release=False):
        write(folder, text)
        times[name] = build(folder, release)

    forget(folder, False)
    timed("whole, opt-level 1", source(kernels))
    timed("comment above", source(kernels, above="// An edit.\n"))
    timed("comment below", source(kernels, above="// An edit.\n", below="// An edit.\n"))
    for count in [kernels, 1]:
        forget(folder, True)
        timed(f"release, kernels: {count}", source(count), release=True)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repository", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent)
    parser.add_argument("--kernels", type=int, default=30)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--default-profile", action="store_true", help="with cargo's line tables and local LTO")
    parser.add_argument("--write-only", action="store_true", help="write the crate without building it")
    arguments = parser.parse_args()
    repository = arguments.repository.resolve()
    folder = repository / "target/edit-time"
    (folder / "src").mkdir(parents=True, exist_ok=True)
    profile = "" if arguments.default_profile else PROFILE
    (folder / "Cargo.toml").write_text(MANIFEST.format(repository=repository, profile=profile))
    lock = folder / "Cargo.lock"
    if not lock.exists():
        lock.write_text((repository / "Cargo.lock").read_text())
    write(folder, source(arguments.kernels))
    if arguments.write_only:
        return
    for release in [False, True]:
        build(folder, release)
    rounds = [measure(folder, arguments.kernels) for _ in range(arguments.repeat)]
    for name in rounds[0]:
        print(f"{min(times[name] for times in rounds):8.2f} s  {name}", flush=True)


if __name__ == "__main__":
    main()
