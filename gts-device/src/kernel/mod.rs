//! Attributes and kernels on the CPU: the traits that the macros implement, and the views that kernel bodies use.
//!
//! A body is generic over [`Memory`], which determines the instructions that update attributes: relaxed atomics if
//! threads share the attributes, and plain loads and stores if one thread owns them. The compiler monomorphises each
//! variant, so the choice costs nothing per edge.

mod ahead;
mod attributes;
mod by_degree;
mod checks;
mod column;
mod context;
mod failed;
mod fault;
mod gather;
mod instance;
mod intersect;
mod lists;
mod matching;
pub mod math;
mod merge;
mod oriented;
mod pass;
mod priority;
mod pull;
pub mod random;
mod register;
mod scalar;
mod stored;
mod summable;
mod tallied;
mod tally;
mod value;

pub use crate::fault_place::FaultPlace;
pub use attributes::{
    Attributes, Edge, EdgeHandle, EdgeWa, Global, HandedOn, OnlyInAKernel, Param, Ra, RotatingAttribute,
    VertexAttribute, Wa, is_handed_on,
};
pub use column::{Column, Columns, EdgeColumn, EdgeNumber, GlobalColumn, RawColumn};
pub use context::{BitSet, Context, ErrorFlag, StopFlag};
pub use failed::{Failed, Rejected};
pub use fault::{Fault, LoopingBody};
pub use gather::{Gather, GatherEdges, GatherParts, NativeGather, Reduction};
pub use instance::{MemoryKind, is_wide, sums_in_replicas};
pub use intersect::{IntersectKernel, NativeIntersect};
pub use lists::{Lists, Pairs};
pub use matching::{Asked, SEARCH, Searched, search};
pub use matching::{Matched, Matching, WholeLists};
pub use merge::{
    GLOBAL_VERTEX_BYTES, identity, merge_bits, merge_elements, merge_totals, settled_totals, total_bytes, total_scalar,
};
pub use oriented::Oriented;
pub use pass::{
    EdgeKernel, EdgePass, Kernel, KernelName, NativeEdge, NativeVertex, Scan, Share, Traverse, VertexKernel, VertexPass,
};
pub use priority::{Priority, PriorityParts, PriorityPass, PriorityValue};
pub use pull::{NativePull, PullKernel, PullPass, Receivers};
pub use register::{Kept, Summed};
pub use scalar::{Memory, Replica, Scalar, Shared, VertexWord, WideReplica};
pub use stored::{AnswerTarget, StoredValues, VALUES_AT_ONCE};
pub use summable::{SumChecks, Summable};
pub use tallied::Tallied;
pub use tally::{Tallies, Tallyable};
pub use value::{AttributeValue, Unreached};
