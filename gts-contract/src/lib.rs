//! The contract between the macros and the runtime of GTS: descriptions of attribute structs and kernels, and the
//! tables of the kernel language.
//!
//! All descriptions are constant data, so that a user's program can contain them as `static` items. The intermediate
//! representation of the macros uses the same types.
//!
//! ```
//! use gts_contract::language::{self, Code};
//! use gts_contract::{Merge, ScalarType};
//!
//! // The codes of errors, as `gts explain` prints them.
//! let code = Code::find("GTS4003").expect("a code");
//! assert_eq!(code.to_string(), "GTS4003");
//! println!("{}: {}", code.title(), code.meaning());
//!
//! // The entries of the language reference: `min` is a merge, a method and a reduction.
//! assert_eq!(language::find("min").len(), 3);
//!
//! assert_eq!(ScalarType::F64.bytes(4), 8);
//! assert_eq!(Merge::Sum.name(), "sum");
//! ```
//!
//! # Where to go next
//!
//! - [`Schema`] describes an attribute struct, and [`KernelDescriptor`] a kernel. The macros write both.
//! - [`KernelFacts`] are the results of the macros' analyses, from which the runtime chooses how to run a kernel.
//! - [`Technique`] is the mapping of edges to the threads of a GPU.
//! - [`language`] contains every word of the kernel language, and every code of an error.
//! - [`gts-graph`](https://docs.rs/gts-graph) is the crate that programs depend on.

mod attribute;
mod kernel;
pub mod language;
mod location;
mod sharing;
mod side;
mod technique;

pub use attribute::{AttributeKind, AttributeSchema, AttributeType, Init, Merge, ScalarType, Schema};
pub use kernel::{
    Access, AttributeUse, Class, DegreeUse, Dependence, Direction, ErrorSite, ErrorWhat, IntegerSum, KernelDescriptor,
    KernelFacts, KernelKind, Limit, Site, SteadyRead, SteadyRule, StepLoop, SumDirection,
};
pub use location::SourceLocation;
pub use sharing::{MergedBytes, Merging, SharedWrites, Transport};
pub use side::Side;
pub use technique::{EdgeLayout, Technique, UnknownTechnique, VirtualWarp};
