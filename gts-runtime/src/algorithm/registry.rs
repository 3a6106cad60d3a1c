//! The list of registered algorithms.

use super::Algorithm;

/// An entry of the registry, created by [`register!`](crate::register) only.
#[derive(Debug)]
pub struct Registered(pub Algorithm);

inventory::collect!(Registered);

/// Adds an algorithm to the registry of every program that uses an item of the calling crate.
///
/// The argument is a constant expression of type [`Algorithm`](crate::algorithm::Algorithm).
#[macro_export]
macro_rules! register {
    ($algorithm:expr $(,)?) => {
        $crate::__private::inventory::submit! { $crate::algorithm::Registered($algorithm) }
    };
}

/// Returns all registered algorithms, ordered by name.
pub fn all() -> Vec<&'static Algorithm> {
    let mut all: Vec<_> = inventory::iter::<Registered>.into_iter().map(|Registered(algorithm)| algorithm).collect();
    all.sort_by_key(|algorithm| algorithm.name);
    all
}

/// Returns the registered algorithm with this name or alias.
pub fn find(name: &str) -> Option<&'static Algorithm> {
    inventory::iter::<Registered>
        .into_iter()
        .map(|Registered(algorithm)| algorithm)
        .find(|known| known.names().any(|known| known == name))
}
