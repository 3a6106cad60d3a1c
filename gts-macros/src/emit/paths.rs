//! The one place that knows where emitted code finds the runtime.

use proc_macro2::TokenStream;
use quote::quote;

/// The module of everything that emitted code names.
pub(crate) fn private() -> TokenStream {
    quote!(::gts_runtime::__private)
}
