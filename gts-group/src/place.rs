//! Places of ranks in a run. A comparison of places detects ranks that diverge.

use gts_device::error::{Error, Result};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// The maximum number of bytes in the text of a place.
pub(super) const MOST_TEXT: usize = 255;

/// The place of a rank in a run: its next operation. Consists of a readable text, and a hash of the text and of all
/// values that must be equal on all ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    text: String,
    hash: u64,
}

impl Place {
    /// Creates a place from its text and from other values that must be equal on all ranks.
    pub fn new(text: impl fmt::Display, same: impl Hash) -> Self {
        let mut text = text.to_string();
        let end = (0..=MOST_TEXT.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
        text.truncate(end.unwrap_or(0));
        // All processes of the same program version compute equal hashes for equal values.
        let mut hasher = DefaultHasher::new();
        (&text, same).hash(&mut hasher);
        Self { text, hash: hasher.finish() }
    }
}

/// The context of a group operation: the rank's place, and a condition that ends the rank's waits.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The rank's place.
    pub place: &'a Place,
    /// A function that is called at intervals while the rank waits. If the function returns an error, the wait ends
    /// with this error.
    pub stopped: &'a dyn Fn() -> Result<()>,
}

impl<'a> Call<'a> {
    /// Creates a call whose `stopped` function never returns an error.
    pub fn new(place: &'a Place) -> Self {
        Self { place, stopped: &|| Ok(()) }
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(&self.place.text).finish()
    }
}

/// The label of a message: the number of the exchange, and the sender's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The number of the exchange within the group.
    pub number: u64,
    /// The hash of the sender's place.
    pub hash: u64,
    /// The text of the sender's place.
    pub text: String,
}

impl Stamp {
    /// Creates the stamp of an exchange.
    pub fn new(number: u64, place: &Place) -> Self {
        Self { number, hash: place.hash, text: place.text.clone() }
    }

    /// Checks that another rank is at the same place as rank `own`.
    ///
    /// # Errors
    ///
    /// The other rank is at a different place.
    pub fn check(&self, own: usize, other: &Self, rank: usize) -> Result<()> {
        if (self.number, self.hash) == (other.number, other.hash) {
            return Ok(());
        }
        Err(Error::RanksDiffer { own, here: format!("at {self}"), rank, there: format!("at {other}") })
    }

    /// Returns the error text for a rank that has sent or taken (`what`) nothing during the stall limit, while rank
    /// `own` waits for it at this place.
    pub fn overdue(&self, own: usize, what: &str, limit: Duration) -> String {
        format!(
            "has {what} nothing for {limit:?}, the stall limit, while rank {own} waits for it at {}: it is stopped, or busy \
             for longer",
            self.text
        )
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (exchange {}, {:016x})", self.text, self.number, self.hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_elsewhere_are_named_with_where_they_are() {
        let stamp = |text: &str, step: u32| Stamp::new(7, &Place::new(text, step));
        assert!(stamp("kernel `a`", 1).check(0, &stamp("kernel `a`", 1), 2).is_ok());
        assert!(stamp("kernel `a`", 1).check(0, &stamp("kernel `a`", 2), 2).is_err());
        let error = stamp("kernel `a`", 1).check(0, &stamp("kernel `b`", 1), 2).expect_err("elsewhere").to_string();
        assert!(error.contains("rank 2") && error.contains("kernel `a`") && error.contains("kernel `b`"), "{error}");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let place = Place::new("ü".repeat(300), ());
        assert!(place.text.len() <= MOST_TEXT && place.text.chars().all(|c| c == 'ü'));
    }
}
