//! The contract between the macros and the runtime: what a macro states about an attribute struct and a kernel.
//!
//! Everything here is plain constant data, so that a schema is a `static` of the user's program.

mod attribute;
mod kernel;
mod sharing;

pub use attribute::{AttributeKind, AttributeSchema, AttributeType, Init, Merge, ScalarType, Schema};
pub use kernel::{
    Access, AttributeUse, Class, DegreeUse, Dependence, Direction, EdgeLayout, ErrorSite, ErrorWhat, KernelDescriptor,
    KernelFacts, KernelKind, Limit, Site, SourceLocation, StepLoop, Technique, VirtualWarp,
};
pub use sharing::{MergedBytes, Merging, SharedWrites, Transport};
