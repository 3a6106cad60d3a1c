//! Keys that are names or UUIDs and do not fit in memory: temporary files by hash, and sorted runs.
//!
//! Edges refer to keys by numbers. The first keys keep their numbers, and stay in memory while edges are read. When later
//! keys exceed their share of the memory, they are written to a file for each shard of the hash table, and their numbers
//! are used again. The edges between two such moments belong to an epoch. After the last edge, equal later keys are found
//! by a hash table for each shard, and each distinct key is sorted once, in one of a few runs. When the runs are merged,
//! keys in order go to the store, and their ranks to a table. When edges are read again, the later keys of their epoch are
//! looked up.

use super::heap;
use super::limits::Limits;
use super::spill::{BLOCK, Spill, SpillFile, SpillReader, SpillWriter};
use super::tournament::{Run, Tournament};
use crate::build::BuildError;
use crate::build::interner::{Interner, SHARDS, Shard};
use crate::build::renumber::MAX_VERTICES;
use crate::graph::{KeyForm, KeyNames, shared_bytes};
use crate::memory;
use crate::parallel::*;
use crate::store::{StoreError, StoreWriter};

/// Keys that are not kept in memory.
pub(super) struct LaterKeys<'s> {
    spill: &'s Spill<'s>,
    /// Bytes per block of the files of shards.
    block_bytes: usize,
    epochs: u32,
    shards: Vec<LaterShard<'s>>,
}

/// The later keys of a shard.
struct LaterShard<'s> {
    entries: SpillWriter<'s>,
    /// Bytes of the entries of each epoch.
    bytes: Vec<usize>,
}

/// For each later key of a shard, the index among the distinct ones.
struct ShardIndices {
    file: SpillReader,
    /// The number of later keys of each epoch.
    counts: Vec<usize>,
}

/// Keys in ascending order, each with its number.
struct KeyRun {
    file: SpillFile,
    /// Whether the numbers are those of distinct later keys.
    is_later: bool,
}

/// The ranks of the keys of each epoch.
pub(super) struct EpochRanks {
    /// The ranks of the kept keys' numbers, and then those of the later keys of the present epoch.
    ranks: Vec<u32>,
    /// The number of kept keys' numbers.
    kept: usize,
    /// The ranks of the distinct later keys' numbers.
    later: Vec<u32>,
    shards: Vec<ShardIndices>,
    block_bytes: usize,
    /// The number of epochs that have been requested.
    begun: u32,
}

impl<'s> LaterKeys<'s> {
    pub(super) fn new(spill: &'s Spill<'_>, limits: &Limits) -> Self {
        Self { spill, block_bytes: limits.block_bytes(SHARDS), epochs: 0, shards: Vec::new() }
    }

    /// Returns the epoch of edges that are read now.
    pub(super) fn epoch(&self) -> u32 {
        self.epochs
    }

    /// Makes room for more keys: keeps the present keys the first time, and otherwise writes the later keys of the present
    /// epoch, which ends.
    pub(super) fn add(&mut self, interner: &mut Interner) -> Result<(), BuildError> {
        if interner.kept().is_none() {
            interner.keep();
            return Ok(());
        }
        while self.shards.len() < SHARDS {
            let entries = self.spill.begin_blocks(self.block_bytes)?;
            self.shards.push(LaterShard { entries, bytes: Vec::new() });
        }
        interner.shards().par_iter_mut().zip(&mut self.shards).with_max_len(1).try_for_each(|(shard, file)| {
            file.bytes.push(shard.later().iter().map(Vec::len).sum());
            shard.later().iter().try_for_each(|entries| file.entries.write(entries))
        })?;
        self.epochs += 1;
        interner.forget_later();
        Ok(())
    }

    /// Finds equal keys among the later keys. Returns the indices of keys, sorted runs of the distinct keys, and the bound of
    /// their numbers.
    fn distinct(self, form: KeyForm, most_bytes: u64) -> Result<(Vec<ShardIndices>, Vec<KeyRun>, usize), BuildError> {
        let Self { spill, block_bytes, shards, .. } = self;
        let (mut indices, mut runs, mut bound) = (Vec::with_capacity(SHARDS), Vec::new(), 0);
        let mut interner = Interner::new(form);
        let mut largest = most_bytes;
        let mut files = shards.into_iter();
        while files.len() > 0 {
            let room = most_bytes.saturating_sub(interner.bytes_to_sort()) / largest.max(1);
            let group = (room as usize).clamp(1, rayon::current_num_threads());
            let first = indices.len();
            let files: Vec<_> = files.by_ref().take(group).collect();
            let shards = &mut interner.shards()[first..first + files.len()];
            let numbered = shards.par_iter_mut().zip(files).with_max_len(1);
            let numbered = numbered.map(|(shard, file)| file.number(shard, spill, block_bytes));
            indices.extend(numbered.collect::<Result<Vec<_>, _>>()?);
            largest = shards.iter().map(|shard| shard.bytes_to_sort() as u64).max().unwrap_or(0);
            if indices.len() == SHARDS || interner.bytes_to_sort() + largest > most_bytes {
                bound = bound.max(interner.bound());
                runs.push(KeyRun { file: run(spill, &interner)?, is_later: true });
                interner = Interner::new(form);
            }
        }
        Ok((indices, runs, bound))
    }

    /// Writes all keys to the store, and returns them with their ranks. `interner` contains the kept keys, and the later
    /// keys of the present epoch.
    pub(super) fn merge(
        mut self,
        mut interner: Interner,
        form: KeyForm,
        files: &mut StoreWriter<'_>,
        limits: &Limits,
    ) -> Result<(KeyNames, EpochRanks), BuildError> {
        if interner.kept().is_some() {
            self.add(&mut interner)?;
        }
        let (spill, block_bytes, kept) = (self.spill, self.block_bytes, interner.bound());
        heap::give_back();
        let mut runs = vec![KeyRun { file: run(spill, &interner)?, is_later: false }];
        drop(interner);
        heap::give_back();
        let (shards, later_runs, later) = self.distinct(form, limits.key_bytes())?;
        heap::give_back();
        runs.extend(later_runs);
        limits.check_work((runs.len() * BLOCK + 4 * (kept + later)) as u64)?;
        let ranks = |numbers| memory::filled("ranks of keys", numbers, u32::MAX);
        let mut ranks = [ranks(kept)?, ranks(later)?];
        let mut sources = runs.iter().map(|run| RunReader::open(spill, run)).collect::<Result<Vec<_>, _>>()?;
        for source in &mut sources {
            source.next()?;
        }
        let mut names = files.begin_names(form)?;
        let mut tournament = Tournament::new(&sources);
        let mut count = 0u64;
        loop {
            let (winner, _) = tournament.winner();
            let Some(key) = sources[winner].key() else { break };
            // Runs have no key in common.
            names.push(key)?;
            let source = &mut sources[winner];
            ranks[usize::from(source.is_later)][source.number as usize] = count as u32;
            count += 1;
            if count > MAX_VERTICES {
                return Err(BuildError::TooManyVertices { found: count, max: MAX_VERTICES });
            }
            let shared = source.next()?;
            tournament.advance(&sources, shared);
        }
        drop(sources);
        runs.iter().try_for_each(|run| spill.remove(&run.file))?;
        let [ranks, later] = ranks;
        Ok((files.end_names(names)?, EpochRanks { kept, ranks, later, shards, block_bytes, begun: 0 }))
    }
}

/// Writes keys as a sorted run. Of each key, only the bytes that it does not share with the previous one are written.
fn run(spill: &Spill<'_>, interner: &Interner) -> Result<SpillFile, BuildError> {
    let mut file = spill.begin()?;
    let mut last: &[u8] = &[];
    for (number, key) in interner.sorted()? {
        let shared = shared_bytes(key, last);
        file.write(bytemuck::cast_slice(&[shared as u32, (key.len() - shared) as u32, number]))?;
        file.write(&key[shared..])?;
        last = key;
    }
    Ok(file.end()?)
}

impl LaterShard<'_> {
    /// Finds equal keys by a hash table, which is empty. Removes the entries.
    fn number(self, table: &mut Shard, spill: &Spill<'_>, block_bytes: usize) -> Result<ShardIndices, BuildError> {
        let file = self.entries.end()?;
        let (mut reader, mut written) = (spill.open(&file)?, spill.begin_blocks(block_bytes)?);
        let (mut entries, mut indices, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for bytes in self.bytes {
            entries.resize(bytes, 0);
            reader.read(&mut entries)?;
            indices.clear();
            table.number_entries(&entries, &mut indices)?;
            counts.push(indices.len());
            written.write(bytemuck::cast_slice(&indices))?;
        }
        drop(reader);
        spill.remove(&file)?;
        Ok(ShardIndices { file: spill.open(&written.end()?)?, counts })
    }
}

/// A run that is being merged.
struct RunReader {
    keys: SpillReader,
    is_later: bool,
    key: Vec<u8>,
    is_at_end: bool,
    /// The number of the present key.
    number: u32,
}

impl RunReader {
    fn open(spill: &Spill<'_>, run: &KeyRun) -> Result<Self, StoreError> {
        let keys = spill.open(&run.file)?;
        Ok(Self { keys, is_later: run.is_later, key: Vec::new(), is_at_end: false, number: 0 })
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

impl Run for RunReader {
    fn key(&self) -> Option<&[u8]> {
        (!self.is_at_end).then_some(&self.key)
    }
}

impl EpochRanks {
    /// Returns the bytes of the largest tables.
    pub(super) fn most_bytes(&self) -> u64 {
        let of_epoch = self.shards.iter().flat_map(|shard| &shard.counts).max().map_or(0, |count| count * SHARDS);
        (4 * (self.kept + of_epoch + self.later.len()) + self.shards.len() * self.block_bytes) as u64
    }

    /// Returns the rank of each number of an epoch. Epochs are requested in ascending order.
    pub(super) fn of(&mut self, epoch: u32) -> Result<&[u32], BuildError> {
        for epoch in self.begun..=epoch {
            let count = |shard: &ShardIndices| shard.counts.get(epoch as usize).copied().unwrap_or(0);
            let most = self.shards.iter().map(count).max().unwrap_or(0);
            self.ranks.resize(self.kept + most * SHARDS, u32::MAX);
            let mut indices = Vec::<u32>::new();
            for (number, shard) in self.shards.iter_mut().enumerate() {
                indices.resize(count(shard), 0);
                shard.file.read(bytemuck::cast_slice_mut(&mut indices))?;
                for (rank, index) in self.ranks.iter_mut().skip(self.kept + number).step_by(SHARDS).zip(&indices) {
                    *rank = self.later[*index as usize * SHARDS + number];
                }
            }
        }
        self.begun = self.begun.max(epoch + 1);
        Ok(&self.ranks)
    }
}
