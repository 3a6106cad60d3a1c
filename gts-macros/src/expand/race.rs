//! Reports kernels whose results depend on the order of the threads. Each error states the reason and suggests a fix.

use super::settled;
use crate::errors::Errors;
use crate::ir::{Direction, Kernel, Race, RacedEffect, Unsteady};
use crate::parse::kernel::KernelItem;
use gts_contract::language::Code;

/// Reports why a kernel without the `racy` setting is racy.
pub(super) fn report(item: &KernelItem, kernel: &Kernel, race: Race, errors: &Errors) {
    let name = |attribute: usize| &kernel.attributes.attributes[attribute].name;
    let arguments = words(item);
    let racy = format!("or say that any order will do: `#[gts_kernel({arguments}, racy)]`");
    let (code, span, what, otherwise) = match race {
        Race::Read { read, why, span } => (
            Code::ReadWhileWritten,
            span,
            format!(
                "this reads `{}` while other threads write it, and {}: the answer depends on their order",
                name(read),
                reason(why)
            ),
            otherwise(item, why, &name(read).to_string()),
        ),
        Race::Timed { call, span } => (
            Code::ArrivalTime,
            span,
            format!(
                "`{call}` in a kernel that reads what its other threads write: a value may arrive in this step or the next"
            ),
            "read what the step before left, from a second attribute, and write this one".to_owned(),
        ),
        Race::Against { read, written, span } => (
            Code::AgainstMerge,
            span,
            format!(
                "this may move against the merge of `{0}` as other threads improve `{1}`, from which it is made: what \
                 came first stays",
                name(written),
                name(read)
            ),
            format!("make `{}` in a kernel of its own, once `{}` no more changes", name(written), name(read)),
        ),
        Race::Shuts { read, span } => (
            Code::ClosingCondition,
            span,
            format!(
                "this holds until other threads have improved `{}`: what is written then depends on their order",
                name(read)
            ),
            "ask for what stays true once it is; or read a second attribute, of the step before".to_owned(),
        ),
        Race::Counts { read, written, span } => (
            Code::OrderOfImprovements,
            span,
            format!(
                "what is left in `{}` depends on how often and in which order other threads improve `{}`",
                name(written),
                name(read)
            ),
            format!("write `{}` in a kernel of its own, once `{}` no more changes", name(written), name(read)),
        ),
        Race::Raced { guard, effect, span } => {
            let (does, settle) = match effect {
                RacedEffect::Write(written) => (
                    format!("changes `{}`", name(written)),
                    format!("write `{}` in a kernel of its own, by what is then in `{}`", name(written), name(guard)),
                ),
                RacedEffect::Activation => (
                    "activates a vertex".to_owned(),
                    format!("activate in a kernel of its own, by what is then in `{}`", name(guard)),
                ),
            };
            let what = format!(
                "several edges may find `{}` as it was, before one of them changes it: how many, and which, depends on \
                 their order, and each then {does}",
                name(guard)
            );
            (Code::AddedTwice, span, what, settle)
        }
    };
    let help = match settled::form(item, &arguments, kernel, race) {
        Some(form) => format!("let the pass settle, then look in a `vertex` kernel:\n\n{form}\n{racy}"),
        None => format!("{otherwise}; {racy}"),
    };
    errors.at(code, span, what, help);
}

/// Returns the reason as a clause of the error message.
fn reason(why: Unsteady) -> &'static str {
    match why {
        Unsteady::Elsewhere => "another thread may write it at this vertex",
        Unsteady::Changes => "each edge to the vertex changes it again",
        Unsteady::Several => "the body writes it in more than one way",
        Unsteady::Varies => "the values written differ from edge to edge",
        Unsteady::MayStay => "the value written may leave this test true",
        Unsteady::Early => "an edge may get here before the one that writes it, or after",
    }
}

/// Returns the fix to suggest if the body cannot be split into two kernels automatically.
fn otherwise(item: &KernelItem, why: Unsteady, read: &str) -> String {
    let edges = item.kind.has_edges() && !item.gather;
    match why {
        Unsteady::Elsewhere | Unsteady::Varies if edges => format!(
            "write a second attribute here, and copy it into `{read}` in a `#[gts_kernel(vertex)]`, which `run.apply` \
             runs after the pass"
        ),
        _ if edges => format!(
            "write `{read}` and `activate` its vertex here; then read it in a `#[gts_kernel(vertex)]`, which \
             `run.apply_active` runs after the pass"
        ),
        _ => format!(
            "write a second attribute here, and copy it into `{read}` in a `#[gts_kernel(vertex)]`, which `run.apply` \
             runs afterwards; or update `{read}` by a minimum, maximum, or, and"
        ),
    }
}

/// Returns the user's arguments of `#[gts_kernel]` as text.
fn words(item: &KernelItem) -> String {
    let kind = if item.gather { "gather" } else { item.kind.name() };
    let direction = match item.direction {
        Direction::Out => "",
        Direction::In => "(in)",
        Direction::Both => "(both)",
    };
    let technique = item
        .technique
        .map_or_else(String::new, |technique| format!(", technique = {}", technique.name().replace('-', "_")));
    let ordered = if item.ordered { ", ordered" } else { "" };
    format!("{kind}{direction}{technique}{ordered}")
}
