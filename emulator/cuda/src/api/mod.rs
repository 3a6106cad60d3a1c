//! Functions of the CUDA driver that GTS calls, with CUDA's names and types.
//!
//! Safety: the requirements are those of CUDA's functions. Each pointer is valid for the memory that the function
//! accesses through it.
#![allow(unsafe_code, non_snake_case, missing_docs, clippy::missing_safety_doc)]

pub mod device;
pub mod kernel;
pub mod memory;
pub mod spread;
pub mod stream;

/// Defines driver functions. A body runs unless the call must fail or the context has failed.
macro_rules! calls {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> $crate::codes::Code {
                const INDEX: usize = $crate::failing::index(stringify!($name));
                $crate::failing::call(INDEX, || $body)
            }
        )*
    };
}
use calls;

use crate::codes::{Code, Result};

/// Writes a result to the target that the caller passed.
fn set<T>(target: *mut T, value: T) -> Result<()> {
    if target.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the caller of the driver passes a valid target.
    unsafe { target.write(value) };
    Ok(())
}
