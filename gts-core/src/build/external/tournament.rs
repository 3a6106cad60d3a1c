//! Merges sorted runs of keys by a tournament that compares no byte twice.
//!
//! For each run, the tournament knows how many leading bytes its key shares with the key that was taken last. No key comes
//! before that one, so of two keys, the one that shares more bytes with it comes first. If both share equally many, they
//! are compared from the first byte that is not shared. This is the LCP loser tree of Bingmann, Eberle and Sanders
//! ("Engineering parallel string sorting", Algorithmica 77, 2017).

use crate::graph::shared_bytes;

/// A sorted run.
pub(super) trait Run {
    /// Returns the present key; `None` at the end.
    fn key(&self) -> Option<&[u8]>;
}

/// The order of the present keys of some runs.
pub(super) struct Tournament {
    winner: usize,
    /// The run that lost at each inner node of a heap-shaped tree. The children of node `n` are `2n` and `2n + 1`, and
    /// the runs are the leaves. Node 0 is unused.
    losers: Vec<usize>,
    /// The number of bytes that each key shares with the key to which it lost, or for the winner with the last key that
    /// was taken.
    shared: Vec<usize>,
}

impl Tournament {
    /// Orders the first keys of at least one run.
    pub(super) fn new(runs: &[impl Run]) -> Self {
        let mut tournament = Self { winner: 0, losers: vec![0; runs.len()], shared: vec![0; runs.len()] };
        tournament.winner = tournament.begin(runs, 1);
        tournament
    }

    /// Returns the run with the first key, and the number of bytes that this key shares with the previous winner's.
    pub(super) fn winner(&self) -> (usize, usize) {
        (self.winner, self.shared[self.winner])
    }

    /// Finds the winner after the winning run has gone on to a key that shares `shared` bytes with the one before.
    pub(super) fn advance(&mut self, runs: &[impl Run], shared: usize) {
        self.shared[self.winner] = shared;
        let mut node = (runs.len() + self.winner) / 2;
        while node > 0 {
            (self.winner, self.losers[node]) = self.play(runs, self.winner, self.losers[node]);
            node /= 2;
        }
    }

    fn begin(&mut self, runs: &[impl Run], node: usize) -> usize {
        if node >= runs.len() {
            return node - runs.len();
        }
        let (one, other) = (self.begin(runs, 2 * node), self.begin(runs, 2 * node + 1));
        let (winner, loser) = self.play(runs, one, other);
        self.losers[node] = loser;
        winner
    }

    /// Returns the winner and the loser of two runs.
    fn play(&mut self, runs: &[impl Run], one: usize, other: usize) -> (usize, usize) {
        let (Some(key), Some(other_key)) = (runs[one].key(), runs[other].key()) else {
            return if runs[one].key().is_some() { (one, other) } else { (other, one) };
        };
        let from = self.shared[one];
        if from != self.shared[other] {
            return if from > self.shared[other] { (one, other) } else { (other, one) };
        }
        let shared = from + shared_bytes(&key[from..], &other_key[from..]);
        let (winner, loser) = if key[shared..] <= other_key[shared..] { (one, other) } else { (other, one) };
        self.shared[loser] = shared;
        (winner, loser)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    struct Keys(Vec<Vec<u8>>, usize);

    impl Run for Keys {
        fn key(&self) -> Option<&[u8]> {
            self.0.get(self.1).map(|key| &key[..])
        }
    }

    proptest! {
        #[test]
        fn keys_come_in_order_with_what_they_share(
            sets in prop::collection::vec(prop::collection::btree_set("(0123456789abcdef0123)?[ab]{1,20}", 0..30), 1..9),
        ) {
            let mut expected: Vec<Vec<u8>> = sets.iter().flatten().map(|key| key.clone().into_bytes()).collect();
            expected.sort();
            let list = |set: BTreeSet<String>| Keys(set.into_iter().map(String::into_bytes).collect(), 0);
            let mut runs: Vec<Keys> = sets.into_iter().map(list).collect();
            let mut tournament = Tournament::new(&runs);
            let mut last: Vec<u8> = Vec::new();
            for key in expected {
                let (winner, shared) = tournament.winner();
                prop_assert_eq!(runs[winner].key(), Some(&key[..]));
                let serial = key.iter().zip(&last).take_while(|(one, other)| one == other).count();
                prop_assert_eq!((shared, shared_bytes(&key, &last)), (serial, serial));
                runs[winner].1 += 1;
                let shared = runs[winner].key().map_or(0, |next| shared_bytes(next, &key));
                tournament.advance(&runs, shared);
                last = key;
            }
            let (winner, _) = tournament.winner();
            prop_assert_eq!(runs[winner].key(), None);
        }
    }
}
