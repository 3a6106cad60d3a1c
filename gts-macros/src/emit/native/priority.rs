//! Emits the vertex kernels of a priority in native Rust.

use super::kernel::Instance;
use super::parts::{self, EmittedPart, Made};
use crate::emit::scalar;
use crate::ir::{self, AttributeId, ScalarType};
use crate::parse::kernel::KernelItem;
use proc_macro2::TokenStream;
use quote::quote;

/// The vertex kernels of a priority, for one instance of its struct.
pub(crate) struct Ranking {
    /// The attributes of the struct, followed by the mark, the threshold and the minimum.
    pub(crate) attributes: ir::Attributes,
    /// The type of the priority.
    pub(crate) value: ScalarType,
    /// The number of attributes of the user's struct, which is the index of the mark.
    pub(crate) own: AttributeId,
    /// Splits the active vertices into near and far ones.
    pub(crate) sift: Instance,
    /// Computes the least priority of all far vertices.
    pub(crate) find: Instance,
    /// Moves far vertices within the threshold to the near frontier.
    pub(crate) bring: Instance,
}

/// Returns the items of a priority: `fn f() -> f_kernel`, or `fn f<T>() -> f_kernel<T>`. `None` if `rankings` is empty.
pub(crate) fn priority(item: &KernelItem, rankings: &[Ranking]) -> Option<TokenStream> {
    let made: Vec<Made> = rankings.iter().map(made).collect();
    parts::items(item, "Priority", "PriorityParts", &made)
}

fn made(ranking: &Ranking) -> Made {
    let private = quote!(::gts_graph::__private);
    let own = quote!(gts_ranking);
    let mut items = parts::structure(&own, &ranking.attributes);
    let [sift, find, bring] = [("gts_sift", &ranking.sift), ("gts_find", &ranking.find), ("gts_bring", &ranking.bring)]
        .map(|(ty, instance)| {
            let EmittedPart { items: part, descriptor, pass } = parts::vertex(ty, &own, instance);
            items.extend(part);
            quote!(#private::PriorityPass { descriptor: #descriptor, pass: #pass })
        });
    let far = ranking.own;
    let (threshold, least) = (far + 1, far + 2);
    let parts = quote! {
        #private::PriorityParts {
            far: #far,
            threshold: #threshold,
            least: #least,
            sift: #sift,
            find: #find,
            bring: #bring,
        }
    };
    Made { parameter: ranking.attributes.parameter, items, parts, value: Some(scalar(ranking.value)) }
}
