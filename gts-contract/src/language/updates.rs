//! Atomic updates of attributes, as methods.

use super::OperandTypes::{Anything, Bits, Number, Ordered};
use super::{LanguageKind, LanguageRow, OperandTypes, RowExample};

const fn update(
    name: &'static str,
    syntax: &'static str,
    operands: OperandTypes,
    meaning: &'static str,
    body: &'static str,
) -> LanguageRow {
    LanguageRow::new(LanguageKind::Update, name, syntax, meaning).on(operands).example(RowExample::Scan(body))
}

/// The attributes and kernels that allow an update.
const OF_SUM: &str = "attributes that merge by `sum`; any attribute at `v` of a `vertex` kernel and in `racy` kernels";
const OF_MIN: &str = "attributes that merge by `min`; any attribute at `v` of a `vertex` kernel and in `racy` kernels";
const OF_MAX: &str = "attributes that merge by `max`; any attribute at `v` of a `vertex` kernel and in `racy` kernels";
const OF_OR: &str = "attributes that merge by `or`; any attribute at `v` of a `vertex` kernel and in `racy` kernels";
const OF_AND: &str = "attributes that merge by `and`; any attribute at `v` of a `vertex` kernel and in `racy` kernels";
const OF_ANY: &str = "attributes that merge by `any`; any attribute at `v` of a `vertex` kernel and in `racy` kernels";
const RACY: &str = "at `v` of a `vertex` kernel, and in `racy` kernels";
/// The reason why operations other than the merge are refused.
const ONE_MERGE: &str = "the merge combines replicas, so the effect of another operation on one of them would be lost";
const NO_MERGE: &str = "no merge uses exclusive or";

pub(super) const ROWS: &[LanguageRow] = &[
    update(
        "fetch_add",
        "a.count[dst].fetch_add(x)",
        Number,
        "Adds `x`, and returns the value before the addition. The statement `a.count[dst] += x` has the same effect. \
         See `merge = sum` for totals that the type cannot hold.",
        "a.count[dst].fetch_add(2);",
    )
    .allowed(OF_SUM)
    .refused(ONE_MERGE),
    update(
        "fetch_sub",
        "a.count[dst].fetch_sub(x)",
        Number,
        "Subtracts `x`, and returns the value before the subtraction. The statement `a.count[dst] -= x` has the same \
         effect. See `merge = sum` for totals that the type cannot hold.",
        "a.next[dst].fetch_sub(0.5);",
    )
    .allowed(OF_SUM)
    .refused(ONE_MERGE),
    update(
        "fetch_min",
        "a.level[dst].fetch_min(x)",
        Ordered,
        "Stores `x` if it is smaller, and returns the value before the update. A number replaces NaN. Other floats \
         compare as in `total_cmp`.",
        "if a.level[dst].fetch_min(step() + 1) > step() + 1 {\n    activate(dst);\n}",
    )
    .allowed(OF_MIN)
    .refused(ONE_MERGE),
    update(
        "fetch_max",
        "a.small[dst].fetch_max(x)",
        Ordered,
        "Stores `x` if it is larger, and returns the value before the update. A number replaces NaN. Other floats \
         compare as in `total_cmp`.",
        "a.small[dst].fetch_max(201);",
    )
    .allowed(OF_MAX)
    .refused(ONE_MERGE),
    update(
        "fetch_and",
        "a.holds[dst].fetch_and(x)",
        Bits,
        "Combines the value with `x` by `&`, and returns the value before the update. The statement `a.holds[dst] &= \
         x` has the same effect.",
        "a.holds[dst].fetch_and(src != dst);",
    )
    .allowed(OF_AND)
    .refused(ONE_MERGE),
    update(
        "fetch_or",
        "a.bits[dst].fetch_or(x)",
        Bits,
        "Combines the value with `x` by `|`, and returns the value before the update. The statement `a.bits[dst] |= \
         x` has the same effect.",
        "a.bits[dst].fetch_or(1 << (src as u64 % 32));",
    )
    .allowed(OF_OR)
    .refused(ONE_MERGE),
    LanguageRow::new(
        LanguageKind::Update,
        "fetch_xor",
        "a.bits[v].fetch_xor(x)",
        "Combines the value with `x` by `^`, and returns the value before the update. The statement `a.bits[v] ^= x` \
         has the same effect.",
    )
    .on(Bits)
    .allowed(RACY)
    .refused(NO_MERGE)
    .example(RowExample::Vertex("a.bits[v].fetch_xor(1);")),
    update(
        "swap",
        "a.parent[dst].swap(x)",
        Anything,
        "Stores `x`, and returns the value before the update.",
        "a.parent[dst].swap(src);",
    )
    .allowed(OF_ANY)
    .refused(ONE_MERGE),
    LanguageRow::new(
        LanguageKind::Update,
        "compare_exchange",
        "a.parent[v].compare_exchange(current, new)",
        "Stores `new` if the value is `current`, and returns the value before the update. The result is a plain \
         value, not a `Result`. Values are compared bit by bit.",
    )
    .allowed(OF_ANY)
    .refused(ONE_MERGE)
    .example(RowExample::Vertex(
        "if a.parent[v].compare_exchange(UNREACHED, v.id()) == UNREACHED {\n    activate(v);\n}",
    )),
];
