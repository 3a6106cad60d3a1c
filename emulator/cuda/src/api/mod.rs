//! The functions of the CUDA driver that the product calls, under CUDA's names and with CUDA's types.
//!
//! Safety: as for CUDA's functions. Pointers are valid for what the function reads and writes there.
#![allow(unsafe_code, non_snake_case, missing_docs, clippy::missing_safety_doc)]

pub mod device;
pub mod kernel;
pub mod memory;
pub mod spread;
pub mod stream;

/// Defines a function of the driver. Its body runs unless the call must fail or the context has failed.
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

/// Writes a result to the caller's target.
fn set<T>(target: *mut T, value: T) -> Result<()> {
    if target.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the caller of the driver passes a valid target.
    unsafe { target.write(value) };
    Ok(())
}
