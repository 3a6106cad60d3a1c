//! Tests the activations of a traversal step on each side, and the resulting messages.

use super::super::work::Changed;
use super::*;

#[test]
fn values_that_changed_move_word_by_word() {
    let mut model = Model { to_gpu_rate: 1e3, to_cpu_rate: 1e3, ..streamed() };
    let mut changed = |vertices: f64| {
        model.steps[0].exchange = activates(vertices, 1.0);
        model.seconds(0.5).messages
    };
    // Each direction transfers a set of 125 bytes. Ten of a thousand vertices changed. Of the 4000 bytes of values,
    // only the values in words with a changed vertex are sent.
    assert!(close(changed(10.0), 2.0 * (0.125 + 4.0 * (1.0 - 0.99f64.powi(32)))));
    // If 500 vertices changed, nearly every word contains a changed vertex.
    assert!((changed(500.0) - 2.0 * 4.125).abs() < 1e-6);
    // The host copies the CPU's set to memory that GPUs can access, and copies the result back.
    model.host_rate = 1e3;
    model.steps[0].cpu.host_bytes = 0.0;
    model.steps[0].gpu.missed = 0.0;
    assert!((model.seconds(0.5).messages - 2.0 * 4.125 - 0.5).abs() < 1e-6);
}

#[test]
fn both_sides_activate_what_edges_of_both_lead_to() {
    // Three of four vertices are reached. With half of the edges, two of four are reached.
    let changed = Changed { vertices: 300.0, edges: 1e6, chance: 0.75 };
    assert!(close(changed.by(0.5), 200.0) && close(changed.by(1.0), 300.0) && close(changed.by(0.0), 0.0));
    assert!(close(Changed { chance: 1.0, ..changed }.by(0.1), 300.0));
    // A side activates at most one vertex per edge.
    assert!(close(Changed { chance: 1.0, edges: 1000.0, ..changed }.by(0.1), 100.0));
    assert!(close(Changed { vertices: 0.0, chance: 0.0, ..changed }.by(0.5), 0.0));

    let mut model = streamed();
    model.steps[0].exchange = activates(300.0, 0.75);
    let before = model.seconds(0.5);
    // The kernel over all edges activates 300 vertices. Half of the kernel's time covers 150 activations, but half of
    // the edges lead to 200 vertices.
    model.steps[0].cpu.activation = 0.01;
    assert!(close(model.seconds(0.5).cpu, before.cpu + 0.5));
    model.steps[0].gpu.activation = 0.1;
    assert!(close(model.seconds(0.5).gpu, 0.5 * 0.25 + 5.0));
    // A side with all edges has no additional work.
    assert!(close(model.seconds(1.0).total, 4.0) && close(model.seconds(0.0).total, 1.0));
}

#[test]
fn each_of_several_searches_activates_what_one_does() {
    let messages = |searches| of(&AlgorithmShape { searches, ..search() }, Some(64 << 20)).0.messages(0.3);
    let (one, many) = (messages(1), messages(16));
    assert!(one.to_gpu > 0.0 && one.to_gpu < one.to_cpu, "{one:?}");
    assert!(close(many.to_gpu, 16.0 * one.to_gpu) && close(many.to_cpu, 16.0 * one.to_cpu), "{many:?}");
}

#[test]
fn a_kernel_that_activates_again_may_activate_every_vertex_in_each_step() {
    let mut improving = search();
    improving.each_step[0].once = false;
    let model = of(&improving, Some(64 << 20)).0;
    let chances = model.steps.iter().filter_map(|step| match step.exchange?.carried {
        Carried::Changed(Changed { vertices, chance, .. }) => Some((vertices / graph().vertices as f64, chance)),
        Carried::Own | Carried::All => None,
    });
    let chances: Vec<(f64, f64)> = chances.collect();
    assert!(!chances.is_empty() && chances.iter().all(|(share, chance)| close(*share, *chance)), "{chances:?}");
}
