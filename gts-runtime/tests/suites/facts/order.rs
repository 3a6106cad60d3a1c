//! Tests of the facts of kernels that read what they write, but have the same results in every order of the threads.

use super::{of_edges, push, relax};
use gts_graph::__private::{Class, KernelDescriptor, SteadyRead, SteadyRule, StepLoop};
use gts_graph::prelude::*;

#[gts_attributes]
struct Counted {
    #[wa(init = 255, merge = min)]
    parity: u8,
    #[wa(init = UNREACHED, merge = min)]
    level: u32,
    #[wa(init = 0, merge = sum)]
    edges: u32,
}

#[gts_kernel(traverse)]
fn alternate(c: &mut Counted, src: Vertex, dst: Vertex) {
    if c.parity[dst] == 255 {
        c.parity[dst] = ((step() + 1) % 2) as u8;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn count_after_the_store(c: &mut Counted, src: Vertex, dst: Vertex) {
    if c.level[dst] == UNREACHED {
        c.level[dst] = step() + 1;
        activate(dst);
    }
    if c.level[dst] == step() + 1 {
        c.edges[dst] += 1;
    }
}

#[gts_kernel(traverse)]
fn count_by_the_old_value(c: &mut Counted, src: Vertex, dst: Vertex) {
    let old = c.level[dst].fetch_min(step() + 1);
    if old > step() {
        c.edges[dst] += 1;
        activate(dst);
    }
}

#[test]
fn reads_that_are_steady_are_listed_with_their_rule() {
    let rules = |kernel: &'static KernelDescriptor| {
        assert_eq!(kernel.facts.class, Class::Ordered, "{}", kernel.name);
        assert!(kernel.facts.replicable.holds() && kernel.facts.splittable.holds(), "{}", kernel.name);
        let place = |read: &SteadyRead| (read.location.line - kernel.location.line, read.location.column);
        kernel.facts.steady.iter().map(|read| (read.attribute, read.rule, place(read))).collect::<Vec<_>>()
    };
    assert_eq!(rules(of_edges(alternate)), [(0, SteadyRule::Closes, (1, 8))]);
    let expected = [(1, SteadyRule::Closes, (1, 8)), (1, SteadyRule::Settled, (5, 8))];
    assert_eq!(rules(of_edges(count_after_the_store)), expected);
    assert_eq!(rules(of_edges(count_by_the_old_value)), [(1, SteadyRule::Unmoved, (1, 15))]);
    assert_eq!(rules(of_edges(push::<f32>)), []);

    let [alternate, stored, old] =
        [of_edges(alternate), of_edges(count_after_the_store), of_edges(count_by_the_old_value)];
    assert!(alternate.facts.target_guard_falls && alternate.facts.idempotent && alternate.facts.changes_activated);
    assert_eq!(alternate.facts.step_loop, StepLoop::Claiming);
    for kernel in [stored, old] {
        assert!(!kernel.facts.idempotent && !kernel.facts.changes_activated, "{}", kernel.name);
        assert_eq!((kernel.facts.target_guard, kernel.facts.step_loop), (None, StepLoop::InOrder), "{}", kernel.name);
    }
    assert!(of_edges(relax::<u32>).facts.steady.is_empty(), "a monotone kernel reads values that move");
}
