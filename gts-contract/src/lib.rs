//! The contract between the macros and the runtime: the description of an attribute struct and of a kernel.
//!
//! Everything here is plain constant data, so that a schema is a `static` of the user's program. The macros' own form
//! of a kernel uses the same types.

mod attribute;
mod kernel;
mod location;
mod sharing;
mod side;
mod technique;

pub use attribute::{AttributeKind, AttributeSchema, AttributeType, Init, Merge, ScalarType, Schema};
pub use kernel::{
    Access, AttributeUse, Class, DegreeUse, Dependence, Direction, ErrorSite, ErrorWhat, KernelDescriptor, KernelFacts,
    KernelKind, Limit, Site, StepLoop,
};
pub use location::SourceLocation;
pub use sharing::{MergedBytes, Merging, SharedWrites, Transport};
pub use side::Side;
pub use technique::{EdgeLayout, Technique, VirtualWarp};
