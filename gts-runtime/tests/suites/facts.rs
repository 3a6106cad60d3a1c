//! Tests the macro's analysis of bodies: the facts that a planner uses for its choices.

#[path = "facts/order.rs"]
mod order;
#[path = "facts/vertices.rs"]
mod vertices;

use gts_graph::__private::{
    Access, AttributeKind, Class, Dependence, Init, KernelDescriptor, Merge, ScalarType, Side, Site,
};
use gts_graph::__private::{EdgeKernel, ErrorWhat, VertexKernel};
use gts_graph::prelude::*;

fn of_edges<K: EdgeKernel>(_: impl Fn() -> K) -> &'static KernelDescriptor {
    K::DESCRIPTOR
}

fn of_vertices<K: VertexKernel>(_: impl Fn() -> K) -> &'static KernelDescriptor {
    K::DESCRIPTOR
}

fn uses(kernel: &KernelDescriptor) -> Vec<(&'static str, Site, Access)> {
    let name = |attribute: usize| kernel.schema.attributes[attribute].name;
    kernel.facts.uses.iter().map(|found| (name(found.attribute), found.site, found.access)).collect()
}

#[gts_attributes]
struct Bfs {
    /// Hops from the root.
    #[wa(init = UNREACHED, merge = min)]
    level: u32,
    #[wa(init = UNREACHED, merge = any)]
    parent: VertexId,
}

#[gts_kernel(traverse)]
fn expand(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    if bfs.level[dst] == UNREACHED {
        bfs.level[dst] = step() + 1;
        bfs.parent[dst] = src.id();
        activate(dst);
    }
}

#[test]
fn a_guard_that_its_own_store_ends_makes_a_traversal_ordered() {
    let kernel = of_edges(expand);
    let facts = &kernel.facts;
    assert_eq!(facts.class, Class::Ordered);
    assert_eq!(facts.target_guard, Some("bfs.level[dst] == UNREACHED"));
    assert!(facts.target_guard_falls && facts.idempotent);
    assert!(facts.replicable.holds() && facts.splittable.holds());
    assert_eq!(facts.merged, Dependence::Src);
    assert_eq!(facts.activates, [Site::Dst]);
    assert_eq!(facts.source_filter, None);
    let expected =
        [("level", Site::Dst, Access::Read), ("level", Site::Dst, Access::Store), ("parent", Site::Dst, Access::Store)];
    assert_eq!(uses(kernel), expected);
}

#[gts_kernel(traverse(both), technique = edge16)]
fn leave_early(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    if bfs.parent[src] == UNREACHED || src.out_degree() > 100 {
        return;
    }
    if bfs.level[dst] != UNREACHED {
        return;
    }
    bfs.level[dst] = step() + 1;
}

#[test]
fn early_returns_are_filters_and_guards() {
    let kernel = of_edges(leave_early);
    let filter = "!(bfs.parent[src] == UNREACHED || src.out_degree() > 100)";
    assert_eq!(kernel.facts.source_filter, Some(filter));
    assert_eq!(kernel.facts.target_guard, Some("bfs.level[dst] == UNREACHED"));
    assert!(kernel.facts.target_guard_falls);
    let degrees: Vec<_> = kernel.facts.degrees.iter().map(|found| (found.side, found.site)).collect();
    assert_eq!(degrees, [(Side::Out, Site::Src)], "of the filter, too");
    // In the line after the kernel's name.
    assert_eq!(kernel.facts.degrees[0].location.line, kernel.location.line + 1);
    assert_eq!(kernel.direction, gts_graph::__private::Direction::Both);
    assert_eq!(kernel.technique.map(Technique::name), Some("edge16"));
}

#[gts_attributes]
struct Reached {
    #[wa(init = UNREACHED, merge = max)]
    largest: u32,
    #[wa(init = 0, merge = max)]
    level: u32,
    #[wa(init = false, merge = and)]
    lost: bool,
    #[wa(init = false, merge = or)]
    seen: bool,
    #[wa(init = 9, merge = min)]
    least: u32,
}

#[gts_kernel(traverse)]
fn lose_largest(r: &mut Reached, src: Vertex, dst: Vertex) {
    if r.largest[dst] == UNREACHED {
        r.largest[dst] = step() + 1;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn keep_level(r: &mut Reached, src: Vertex, dst: Vertex) {
    if r.level[dst] == 0 {
        r.level[dst] = 7;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn lose_bool(r: &mut Reached, src: Vertex, dst: Vertex) {
    if !r.lost[dst] {
        r.lost[dst] = true;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn keep_bool(r: &mut Reached, src: Vertex, dst: Vertex) {
    if !r.seen[dst] {
        r.seen[dst] = true;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn keep_least(r: &mut Reached, src: Vertex, dst: Vertex) {
    if r.least[dst] > 4 {
        r.least[dst] = 4;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn lose_other(r: &mut Reached, src: Vertex, dst: Vertex) {
    if r.least[dst] != 4 {
        r.least[dst] = 4;
        activate(dst);
    }
}

#[test]
fn a_guarded_store_is_replicable_where_the_merge_keeps_it() {
    for kernel in [of_edges(keep_level), of_edges(keep_bool), of_edges(keep_least)] {
        assert!(kernel.facts.replicable.holds() && kernel.facts.target_guard_falls, "{}", kernel.name);
    }
    for kernel in [of_edges(lose_largest), of_edges(lose_bool), of_edges(lose_other)] {
        assert!(!kernel.facts.replicable.holds() && kernel.facts.target_guard_falls, "{}", kernel.name);
        assert_eq!(kernel.facts.class, Class::Ordered, "{}", kernel.name);
    }
}

#[gts_attributes(T = f32 | f64)]
struct PageRank<T> {
    #[ra(from = next)]
    rank: T,
    #[wa(init = 0.5, merge = sum)]
    next: T,
    #[param]
    damping: T,
    #[global(merge = sum)]
    dangling: T,
}

#[gts_kernel(scan)]
fn push<T>(pr: &mut PageRank<T>, src: Vertex, dst: Vertex) {
    pr.next[dst] += pr.rank[src] / src.out_degree() as T;
}

#[gts_kernel(vertex)]
fn apply<T>(pr: &mut PageRank<T>, v: Vertex) {
    pr.next[v] = pr.damping * pr.next[v];
    if v.out_degree() == 0 {
        pr.dangling += pr.next[v].sqrt();
    }
}

#[test]
fn a_push_depends_on_src_alone() {
    let kernel = of_edges(push::<f64>);
    let facts = &kernel.facts;
    assert_eq!((facts.class, facts.merged), (Class::Ordered, Dependence::Src));
    assert!(!facts.idempotent && facts.replicable.holds() && facts.splittable.holds());
    assert!(!facts.reads_edge && !facts.approximate && facts.activates.is_empty());
    assert_eq!(uses(kernel), [("rank", Site::Src, Access::Read), ("next", Site::Dst, Access::Merge)]);
}

#[test]
fn a_vertex_kernel_has_its_vertex_for_itself() {
    let kernel = of_vertices(apply::<f32>);
    assert_eq!(kernel.facts.class, Class::Ordered);
    assert!(!kernel.facts.replicable.holds(), "a store is no merge");
    let expected = [
        ("next", Site::V, Access::Read),
        ("next", Site::V, Access::Store),
        ("damping", Site::None, Access::Read),
        ("dangling", Site::None, Access::Merge),
    ];
    assert_eq!(uses(kernel), expected);
}

#[gts_attributes(T = f32 | u32)]
struct Sssp<T> {
    #[wa(init = UNREACHED, merge = min)]
    distance: T,
    #[edge(default = UNREACHED)]
    weight: T,
}

#[gts_kernel(traverse)]
fn relax<T>(s: &mut Sssp<T>, src: Vertex, dst: Vertex, e: Edge) {
    let d = s.distance[src] + s.weight[e];
    if s.distance[dst].fetch_min(d) > d {
        activate(dst);
    }
}

#[test]
fn a_relaxation_is_monotone() {
    let facts = &of_edges(relax::<u32>).facts;
    assert_eq!((facts.class, facts.merged), (Class::Monotone, Dependence::Edge));
    assert!(facts.idempotent && facts.reads_edge && facts.replicable.holds() && facts.splittable.holds());
    assert_eq!(facts.target_guard, None);
}

#[gts_attributes]
struct Jump {
    #[wa(init = UNREACHED, merge = min)]
    label: VertexId,
    #[wa(init = 0.0, merge = sum)]
    angle: f32,
}

#[gts_kernel(vertex)]
fn shorten(j: &mut Jump, v: Vertex) {
    let root = Vertex::new(j.label[v]);
    j.label[v].fetch_min(j.label[root]);
    j.angle[v] = j.angle[v].sin();
}

#[gts_kernel(vertex)]
fn shorten_above(j: &mut Jump, v: Vertex) {
    let root = Vertex::new(j.label[v]);
    j.label[root].fetch_min(j.label[v]);
}

#[test]
fn a_vertex_kernel_updates_its_own_vertex_unless_it_writes_elsewhere() {
    assert!(of_vertices(shorten).updates_its_own_vertex());
    assert!(of_vertices(apply::<f64>).updates_its_own_vertex());
    assert!(!of_vertices(shorten_above).updates_its_own_vertex());
    assert!(!of_edges(expand).updates_its_own_vertex());
}

#[gts_kernel(scan, racy)]
fn race(j: &mut Jump, src: Vertex, dst: Vertex) {
    j.angle[dst] = j.angle[src];
}

#[test]
fn a_computed_vertex_cannot_be_split_off() {
    let facts = &of_vertices(shorten).facts;
    assert_eq!(facts.class, Class::Monotone);
    assert!(!facts.splittable.holds() && facts.approximate);
    let sites: Vec<_> = of_vertices(shorten).error_sites.iter().map(|site| site.what).collect();
    assert_eq!(sites, [ErrorWhat::NotAVertex, ErrorWhat::NotANumber]);
}

#[test]
fn a_racy_kernel_promises_nothing() {
    let facts = &of_edges(race).facts;
    assert_eq!(facts.class, Class::Racy);
    assert!(!facts.replicable.holds());
}

#[gts_attributes]
struct Filtered {
    #[wa(init = 0, merge = sum)]
    count: u64,
    #[wa(init = false, merge = or)]
    done: bool,
    #[param]
    limit: u64,
}

#[gts_kernel(scan)]
fn filtered(f: &mut Filtered, src: Vertex, dst: Vertex) {
    let degree = src.out_degree();
    if degree > f.limit && !f.done[dst] && src.in_degree() > 0 {
        f.count[dst] += degree;
    }
}

#[test]
fn conditions_on_src_leave_the_edge_loop() {
    let facts = &of_edges(filtered).facts;
    assert_eq!(facts.source_filter, Some("src.out_degree() > f.limit && src.in_degree() > 0"));
    assert_eq!(facts.target_guard, Some("!f.done[dst]"));
    assert!(!facts.target_guard_falls);
}

#[test]
fn a_schema_says_what_was_written() {
    let schema = of_edges(push::<f64>).schema;
    assert_eq!((schema.name, schema.parameter), ("PageRank", Some(ScalarType::F64)));
    assert!(schema.location.file.ends_with("facts.rs"));
    let kinds: Vec<AttributeKind> = schema.attributes.iter().map(|attribute| attribute.kind).collect();
    let expected = [
        AttributeKind::Ra { from: Some(1) },
        AttributeKind::Wa { init: Init { bits: 0.5f64.to_bits() }, merge: Merge::Sum },
        AttributeKind::Param { default: None },
        AttributeKind::Global { merge: Merge::Sum },
    ];
    assert_eq!(kinds, expected);
    assert_eq!(of_edges(expand).schema.attributes[0].doc, "Hops from the root.");
}

#[gts_kernel(priority)]
fn nearness(bfs: &mut Bfs, v: Vertex) -> u32 {
    bfs.level[v]
}

fn of_priority<K: Priority>(_: impl Fn() -> K) -> [&'static KernelDescriptor; 3] {
    [K::PARTS.sift.descriptor, K::PARTS.find.descriptor, K::PARTS.bring.descriptor]
}

#[test]
fn a_priority_is_three_vertex_kernels_that_every_device_can_run() {
    let kernels = of_priority(nearness);
    assert_eq!(kernels.map(|kernel| kernel.name), ["nearness_sift", "nearness_find", "nearness_bring"]);
    for kernel in kernels {
        assert_eq!(kernel.facts.class, Class::Ordered, "{}", kernel.name);
        assert!(kernel.facts.replicable.holds() && kernel.facts.splittable.holds(), "{}", kernel.name);
        let hidden: Vec<_> = kernel.schema.attributes[2..].iter().map(|hidden| (hidden.name, hidden.kind)).collect();
        let far = AttributeKind::Wa { init: Init { bits: 0 }, merge: Merge::Any };
        let least = AttributeKind::Global { merge: Merge::Min };
        assert_eq!(hidden, [("far", far), ("threshold", AttributeKind::Param { default: None }), ("least", least)]);
    }
    let [sift, find, bring] = kernels.map(|kernel| kernel.facts.activates);
    assert_eq!((sift, find, bring), (&[Site::V][..], &[][..], &[Site::V][..]));
    assert_eq!(
        uses(kernels[1]),
        [("level", Site::V, Access::Read), ("far", Site::V, Access::Read), ("least", Site::None, Access::Merge)]
    );
}

#[gts_attributes]
struct Changes {
    #[wa(init = UNREACHED, merge = min)]
    least: f32,
    #[wa(init = 0, merge = max)]
    most: u32,
    #[wa(init = false, merge = or)]
    seen: bool,
    #[wa(init = true, merge = and)]
    left: bool,
    #[wa(init = 0, merge = sum)]
    count: u64,
    #[wa(init = f32::NAN, merge = min)]
    nan: f32,
    #[param]
    bound: f32,
    #[param]
    limit: u32,
    #[global(merge = sum)]
    total: u64,
    #[edge(default = UNREACHED)]
    weight: f32,
}

#[gts_kernel(scan)]
fn count_and_activate(c: &mut Changes, src: Vertex, dst: Vertex) {
    c.total += 1;
    if src.out_degree() > 1 {
        c.count[dst] += 1;
    }
    activate(dst);
}

#[gts_kernel(traverse)]
fn fall(c: &mut Changes, src: Vertex, dst: Vertex, e: Edge) {
    let offer = c.least[src] + c.weight[e];
    if offer <= c.bound && offer < c.least[dst].fetch_min(offer) {
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn rise(c: &mut Changes, src: Vertex, dst: Vertex) {
    let offer = c.most[src];
    let rose = c.most[dst].fetch_max(offer) < offer;
    if rose {
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn see(c: &mut Changes, src: Vertex, dst: Vertex) {
    if !c.seen[dst].fetch_or(true) {
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn leave(c: &mut Changes, src: Vertex, dst: Vertex) {
    if c.left[dst].fetch_and(false) {
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn change_nothing(c: &mut Changes, src: Vertex, dst: Vertex) {
    c.total += 1;
}

#[test]
fn changes_at_activated_vertices_are_found() {
    for kernel in [
        of_edges(expand),
        of_edges(relax::<f32>),
        of_edges(relax::<u32>),
        of_edges(count_and_activate),
        of_edges(fall),
        of_edges(rise),
        of_edges(see),
        of_edges(leave),
        of_edges(change_nothing),
    ] {
        assert!(kernel.facts.changes_activated && kernel.facts.replicable.holds(), "{}", kernel.name);
    }
}

#[gts_kernel(traverse)]
fn activate_some(c: &mut Changes, src: Vertex, dst: Vertex) {
    c.count[dst] += 1;
    if src.out_degree() > 1 {
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn return_between(c: &mut Changes, src: Vertex, dst: Vertex) {
    c.count[dst] += 1;
    if c.limit == 0 {
        return;
    }
    activate(dst);
}

#[gts_kernel(traverse)]
fn activate_both(c: &mut Changes, src: Vertex, dst: Vertex) {
    c.count[dst] += 1;
    activate(dst);
    activate(src);
}

#[gts_kernel(traverse)]
fn write_at_src(c: &mut Changes, src: Vertex, dst: Vertex) {
    c.count[src] += 1;
    activate(dst);
}

#[gts_kernel(traverse)]
fn ask_more(c: &mut Changes, src: Vertex, dst: Vertex) {
    if c.least[dst].fetch_min(c.bound) > c.bound && c.limit > 0 {
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn ask_for_another(c: &mut Changes, src: Vertex, dst: Vertex) {
    if c.most[dst].fetch_max(c.limit) < c.limit - 1 {
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn replace_nan(c: &mut Changes, src: Vertex, dst: Vertex) {
    if c.nan[dst].fetch_min(c.bound) > c.bound {
        activate(dst);
    }
}

#[gts_kernel(traverse, racy)]
fn activate_racily(c: &mut Changes, src: Vertex, dst: Vertex) {
    c.count[dst] += 1;
    activate(dst);
}

#[gts_kernel(vertex)]
fn activate_itself(c: &mut Changes, v: Vertex) {
    c.count[v] += 1;
    activate(v);
}

#[test]
fn changes_elsewhere_are_found() {
    for kernel in [
        of_edges(push::<f32>),
        of_edges(activate_some),
        of_edges(return_between),
        of_edges(activate_both),
        of_edges(write_at_src),
        of_edges(ask_more),
        of_edges(ask_for_another),
        of_edges(replace_nan),
        of_edges(activate_racily),
        of_vertices(activate_itself),
    ] {
        assert!(!kernel.facts.changes_activated, "{}", kernel.name);
    }
}

#[gts_attributes]
struct Labels {
    #[wa(init = 0, merge = min)]
    label: VertexId,
    #[wa(init = 0, merge = sum)]
    met: u32,
}

#[gts_kernel(vertex)]
fn begin(labels: &mut Labels, v: Vertex) {
    labels.label[v] = v.id();
    activate(v);
}

#[gts_kernel(traverse(both))]
fn spread(labels: &mut Labels, src: Vertex, dst: Vertex) {
    let label = labels.label[src];
    if labels.label[dst].fetch_min(label) > label {
        activate(dst);
    }
}

#[gts_kernel(scan(both))]
fn meet(labels: &mut Labels, src: Vertex, dst: Vertex) {
    labels.met[dst] += 1;
}

#[test]
fn a_symmetric_graph_is_walked_once_where_a_second_visit_changes_nothing() {
    let both = &[Side::Out, Side::In][..];
    assert_eq!([false, true].map(|symmetric| of_edges(spread).sides(symmetric)), [both, &[Side::Out]]);
    assert_eq!([false, true].map(|symmetric| of_edges(meet).sides(symmetric)), [both, both]);
    assert_eq!(of_vertices(begin).sides(true), []);

    let graph = Graph::builder().edges([(0, 1), (1, 2), (3, 4)]).symmetrise(true).build().unwrap();
    let engine = Engine::cpu().unwrap();
    let mut run = engine.start::<Labels>(&graph).unwrap();
    run.apply(begin).unwrap();
    assert!(run.advance(spread).unwrap() > 0);
    let walked = engine.take_report().edges();
    assert_eq!(walked, graph.num_edges(), "each edge once");
    run.traverse(spread).unwrap();
    let labels: Vec<u64> = run.take(Labels::LABEL).unwrap().into_iter().map(|label| label.to_bits()).collect();
    assert_eq!(labels, [0, 0, 0, 3, 3]);
    run.scan(meet).unwrap();
    assert_eq!(run.take(Labels::MET).unwrap(), [2, 4, 2, 2, 2], "each edge by both of its ends");
}
