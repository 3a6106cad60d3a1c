//! The loops that run steps of a traversal without the host. They work on a copy of the arguments, in which the step and
//! the sets of active vertices change.

use super::text::Text;
use super::{names, totals};
use crate::ir::{Kernel, StepLoop};

/// An entry point: the end of its name, the block that it runs in, the argument of its own, and the function.
type Entry = (&'static str, &'static str, &'static str, &'static str);

const IN_ORDER: [Entry; 1] = [("steps", "GTS_STEPS_THREADS", "gts_steps", "gts_run_steps")];

const CLAIMING: [Entry; 2] = [
    ("claim", "GTS_BLOCK", "gts_claims", "gts_claim_settled"),
    ("claiming_steps", "GTS_CLAIMING_THREADS", "gts_claims", "gts_run_claiming_steps"),
];

/// Returns what the body struct has for a loop.
pub(super) fn members(text: &mut Text, kernel: &Kernel) {
    if kernel.facts.step_loop != StepLoop::No {
        text.directive("#ifdef GTS_STEPS");
        text.line("bool gts_fresh = false; // whether the last edge has made its target active");
        text.directive("#endif");
    }
}

/// Returns the entry points.
pub(super) fn entries(text: &mut Text, kernel: &Kernel) {
    let (in_order, claiming): (&[Entry], &[Entry]) = match kernel.facts.step_loop {
        StepLoop::No => (&[], &[]),
        StepLoop::InOrder => (&IN_ORDER, &[]),
        StepLoop::Claiming => (&IN_ORDER, &CLAIMING),
    };
    for (suffix, threads, argument, call) in in_order.iter().chain(claiming) {
        let name = names::escaped(&kernel.name.to_string());
        text.line("");
        text.directive(&format!("#ifdef GTS_ENTRY_{}", suffix.to_ascii_uppercase()));
        text.line(&format!("extern \"C\" __global__ void __launch_bounds__({threads})"));
        text.line(&format!(
            "{name}_{suffix}(const __grid_constant__ gts_arguments args, const __grid_constant__ {argument} gts_loop) {{"
        ));
        text.line("    gts_arguments gts_now = args;");
        text.line("    gts_body body(gts_now);");
        text.line(&format!("    {call}(gts_now.gts, gts_loop, body);"));
        if totals(kernel).next().is_some() {
            text.line("    body.finish();");
        }
        text.line("}");
        text.directive("#endif");
    }
}
