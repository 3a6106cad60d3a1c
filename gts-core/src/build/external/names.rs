//! Keys that are names or UUIDs and do not fit in memory: sorted runs in temporary files.
//!
//! Edges refer to keys by provisional numbers. When the keys exceed their share of the memory, they are written as a
//! sorted run, and numbers begin again. The edges between two runs belong to an epoch, whose numbers the second run
//! contains. After the last edge, the runs are merged: keys in order go to the store, and the rank of each key goes to a
//! file per epoch. When edges are read again, only the ranks of their epoch are in memory.

use super::limits::Limits;
use super::spill::{BLOCK, Spill, SpillFile, SpillReader, SpillWriter};
use super::tournament::{Run, Tournament};
use crate::build::BuildError;
use crate::build::interner::Interner;
use crate::build::renumber::MAX_VERTICES;
use crate::graph::{KeyForm, KeyNames, shared_bytes};
use crate::memory;
use crate::store::{StoreError, StoreWriter};

/// Sorted runs of keys, one per epoch.
pub(super) struct KeyRuns<'a, 's> {
    spill: &'s Spill<'a>,
    runs: Vec<KeyRun>,
}

/// The keys of an epoch in ascending order, each with its number.
struct KeyRun {
    file: SpillFile,
    /// All numbers are smaller.
    bound: usize,
}

/// The ranks of the keys of each epoch.
pub(super) struct EpochRanks<'a, 's> {
    spill: &'s Spill<'a>,
    epochs: Vec<KeyRun>,
    /// An epoch, and the rank of each of its numbers.
    present: Option<(u32, Vec<u32>)>,
}

impl<'a, 's> KeyRuns<'a, 's> {
    pub(super) fn new(spill: &'s Spill<'a>) -> Self {
        Self { spill, runs: Vec::new() }
    }

    /// Returns the epoch of edges that are read now.
    pub(super) fn epoch(&self) -> u32 {
        self.runs.len() as u32
    }

    /// Writes the keys of the present epoch, which ends. Of each key, only the bytes that it does not share with the
    /// previous one are written.
    pub(super) fn add(&mut self, interner: Interner) -> Result<(), BuildError> {
        let mut file = self.spill.begin()?;
        let mut last: &[u8] = &[];
        for number in interner.sorted()? {
            let key = interner.key(number);
            let shared = shared_bytes(key, last);
            file.write(bytemuck::cast_slice(&[shared as u32, (key.len() - shared) as u32, number]))?;
            file.write(&key[shared..])?;
            last = key;
        }
        self.runs.push(KeyRun { file: file.end()?, bound: interner.bound() });
        Ok(())
    }

    /// Writes all keys to the store, and returns them with their ranks. Removes the runs.
    pub(super) fn merge(
        self,
        form: KeyForm,
        files: &mut StoreWriter<'_>,
        limits: &Limits,
    ) -> Result<(KeyNames, EpochRanks<'a, 's>), BuildError> {
        let Self { spill, runs } = self;
        // Each run is read through a block, and its ranks are written through another.
        limits.check_work((runs.len() * 2 * BLOCK) as u64)?;
        let mut sources = runs.iter().map(|run| RunReader::open(spill, run)).collect::<Result<Vec<_>, _>>()?;
        for source in &mut sources {
            source.next()?;
        }
        let mut names = files.begin_names(form)?;
        let (mut last, mut count) = (0, 0u64);
        if !sources.is_empty() {
            let mut tournament = Tournament::new(&sources);
            loop {
                let (winner, shared) = tournament.winner();
                let Some(key) = sources[winner].key() else { break };
                if count == 0 || (shared, shared) != (key.len(), last) {
                    names.push(key)?;
                    (last, count) = (key.len(), count + 1);
                    if count > MAX_VERTICES {
                        return Err(BuildError::TooManyVertices { found: count, max: MAX_VERTICES });
                    }
                }
                let source = &mut sources[winner];
                source.ranks.write(bytemuck::cast_slice(&[source.number, (count - 1) as u32]))?;
                let shared = source.next()?;
                tournament.advance(&sources, shared);
            }
        }
        let mut epochs = Vec::with_capacity(runs.len());
        for (source, run) in sources.into_iter().zip(runs) {
            epochs.push(KeyRun { file: source.ranks.end()?, bound: run.bound });
            spill.remove(&run.file)?;
        }
        let names = files.end_names(names)?;
        Ok((names, EpochRanks { spill, epochs, present: None }))
    }
}

/// A run that is being merged.
struct RunReader<'s> {
    keys: SpillReader,
    key: Vec<u8>,
    is_at_end: bool,
    /// The number of the present key.
    number: u32,
    /// The numbers of the run's keys, each with the rank.
    ranks: SpillWriter<'s>,
}

impl<'s> RunReader<'s> {
    fn open(spill: &'s Spill<'_>, run: &KeyRun) -> Result<Self, StoreError> {
        let (keys, ranks) = (spill.open(&run.file)?, spill.begin()?);
        Ok(Self { keys, key: Vec::new(), is_at_end: false, number: 0, ranks })
    }

    /// Reads the next key. Returns the number of bytes that it shares with the previous one.
    fn next(&mut self) -> Result<usize, StoreError> {
        self.is_at_end = self.keys.left() == 0;
        if self.is_at_end {
            return Ok(0);
        }
        let mut head = [0u32; 3];
        self.keys.read(bytemuck::cast_slice_mut(&mut head))?;
        let [shared, rest] = [head[0], head[1]].map(|bytes| bytes as usize);
        self.number = head[2];
        self.key.resize(shared + rest, 0);
        self.keys.read(&mut self.key[shared..])?;
        Ok(shared)
    }
}

impl Run for RunReader<'_> {
    fn key(&self) -> Option<&[u8]> {
        (!self.is_at_end).then_some(&self.key)
    }
}

impl EpochRanks<'_, '_> {
    /// Returns the bytes of the largest table.
    pub(super) fn most_bytes(&self) -> u64 {
        4 * self.epochs.iter().map(|epoch| epoch.bound as u64).max().unwrap_or(0)
    }

    /// Returns the rank of each number of an epoch. Epochs are requested in ascending order.
    pub(super) fn of(&mut self, epoch: u32) -> Result<&[u32], BuildError> {
        if self.present.as_ref().is_none_or(|(present, _)| *present != epoch) {
            self.present = None;
            let KeyRun { file, bound } = &self.epochs[epoch as usize];
            let mut ranks = memory::filled("ranks of keys", *bound, u32::MAX)?;
            let mut reader = self.spill.open(file)?;
            let mut pairs = vec![[0u32; 2]; BLOCK / size_of::<[u32; 2]>()];
            while reader.left() > 0 {
                let count = pairs.len().min(reader.left() as usize / size_of::<[u32; 2]>());
                let pairs = &mut pairs[..count];
                reader.read(bytemuck::cast_slice_mut(pairs))?;
                pairs.iter().for_each(|[number, rank]| ranks[*number as usize] = *rank);
            }
            drop(reader);
            self.spill.remove(file)?;
            self.present = Some((epoch, ranks));
        }
        Ok(self.present.as_ref().map_or(&[], |(_, ranks)| ranks))
    }
}
