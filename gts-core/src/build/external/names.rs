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
use crate::build::interner::{Interner, SHARDS};
use crate::build::renumber::MAX_VERTICES;
use crate::graph::{KeyForm, KeyNames, shared_bytes};
use crate::memory;
use crate::parallel::*;
use crate::store::{StoreError, StoreWriter};

/// Keys that are not kept in memory.
pub(super) struct LaterKeys<'a, 's> {
    spill: &'s Spill<'a>,
    epochs: u32,
    /// By shard, a file for each epoch, if it has later keys: their entries, and after the last edge the index of each among
    /// the distinct later keys of the shard.
    shards: Vec<Vec<Option<SpillFile>>>,
}

/// Keys in ascending order, each with its number.
struct KeyRun {
    file: SpillFile,
    /// Whether the numbers are those of distinct later keys.
    is_later: bool,
}

/// The ranks of the keys of each epoch.
pub(super) struct EpochRanks<'a, 's> {
    keys: LaterKeys<'a, 's>,
    /// The ranks of the kept keys' numbers, and then those of the later keys of the present epoch.
    ranks: Vec<u32>,
    /// The number of kept keys' numbers.
    kept: usize,
    /// The ranks of distinct later keys.
    later: Vec<u32>,
    present: Option<u32>,
}

impl<'a, 's> LaterKeys<'a, 's> {
    pub(super) fn new(spill: &'s Spill<'a>) -> Self {
        Self { spill, epochs: 0, shards: (0..SHARDS).map(|_| Vec::new()).collect() }
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
        let spill = self.spill;
        interner.shards().par_iter_mut().with_max_len(1).zip(&mut self.shards).try_for_each(|(shard, files)| {
            let mut file = None;
            for entries in shard.later() {
                let file = if let Some(file) = &mut file { file } else { file.insert(spill.begin()?) };
                file.write(entries)?;
            }
            files.push(file.map(SpillWriter::end).transpose()?);
            Ok::<_, StoreError>(())
        })?;
        self.epochs += 1;
        interner.forget_later();
        Ok(())
    }

    /// Finds equal keys among the later keys. Returns their sorted runs, and the bound of their numbers.
    fn distinct(&mut self, form: KeyForm, most_bytes: u64) -> Result<(Vec<KeyRun>, usize), BuildError> {
        let (mut runs, mut bound) = (Vec::new(), 0);
        let mut interner = Interner::new(form);
        let (mut first, mut largest) = (0, most_bytes);
        while first < SHARDS {
            let room = most_bytes.saturating_sub(interner.bytes()) / largest.max(1);
            let group = (room as usize).clamp(1, rayon::current_num_threads()).min(SHARDS - first);
            let shards = &mut interner.shards()[first..first + group];
            let spill = self.spill;
            let files = &mut self.shards[first..first + group];
            shards.par_iter_mut().with_max_len(1).zip(files).try_for_each(|(shard, files)| {
                let (mut entries, mut indices) = (Vec::new(), Vec::new());
                for file in files.iter_mut().flatten() {
                    entries.resize(file.bytes() as usize, 0);
                    spill.open(file)?.read(&mut entries)?;
                    spill.remove(file)?;
                    indices.clear();
                    shard.number_entries(&entries, &mut indices)?;
                    let mut written = spill.begin()?;
                    written.write(bytemuck::cast_slice(&indices))?;
                    *file = written.end()?;
                }
                Ok::<_, BuildError>(())
            })?;
            largest = shards.iter().map(|shard| shard.bytes() as u64).max().unwrap_or(0);
            first += group;
            if first == SHARDS || interner.bytes() + largest > most_bytes {
                bound = bound.max(interner.bound());
                if interner.len() > 0 {
                    runs.push(KeyRun { file: self.run(&interner)?, is_later: true });
                }
                interner = Interner::new(form);
            }
        }
        Ok((runs, bound))
    }

    /// Writes keys as a sorted run. Of each key, only the bytes that it does not share with the previous one are written.
    fn run(&self, interner: &Interner) -> Result<SpillFile, BuildError> {
        let mut file = self.spill.begin()?;
        let mut last: &[u8] = &[];
        for (number, key) in interner.sorted()? {
            let shared = shared_bytes(key, last);
            file.write(bytemuck::cast_slice(&[shared as u32, (key.len() - shared) as u32, number]))?;
            file.write(&key[shared..])?;
            last = key;
        }
        Ok(file.end()?)
    }

    /// Writes all keys to the store, and returns them with their ranks. `interner` contains the kept keys, and the later
    /// keys of the present epoch.
    pub(super) fn merge(
        mut self,
        mut interner: Interner,
        form: KeyForm,
        files: &mut StoreWriter<'_>,
        limits: &Limits,
    ) -> Result<(KeyNames, EpochRanks<'a, 's>), BuildError> {
        if interner.kept().is_some() {
            self.add(&mut interner)?;
        }
        let kept = interner.bound();
        heap::give_back();
        let mut runs = vec![KeyRun { file: self.run(&interner)?, is_later: false }];
        drop(interner);
        heap::give_back();
        let (later_runs, later) = self.distinct(form, limits.key_bytes())?;
        heap::give_back();
        runs.extend(later_runs);
        limits.check_work((runs.len() * BLOCK + 4 * (kept + later)) as u64)?;
        let ranks = |numbers| memory::filled("ranks of keys", numbers, u32::MAX);
        let mut ranks = [ranks(kept)?, ranks(later)?];
        let mut sources = runs.iter().map(|run| RunReader::open(self.spill, run)).collect::<Result<Vec<_>, _>>()?;
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
        runs.iter().try_for_each(|run| self.spill.remove(&run.file))?;
        let [ranks, later] = ranks;
        Ok((files.end_names(names)?, EpochRanks { keys: self, kept: ranks.len(), ranks, later, present: None }))
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

impl EpochRanks<'_, '_> {
    /// Returns the bytes of the largest tables.
    pub(super) fn most_bytes(&self) -> u64 {
        let of_epoch = self.keys.shards.iter().flatten().flatten().map(SpillFile::bytes).max().unwrap_or(0);
        4 * (self.kept + self.later.len()) as u64 + SHARDS as u64 * of_epoch
    }

    /// Returns the rank of each number of an epoch. Epochs are requested in ascending order.
    pub(super) fn of(&mut self, epoch: u32) -> Result<&[u32], BuildError> {
        if self.present != Some(epoch) {
            self.ranks.truncate(self.kept);
            let (mut indices, spill) = (Vec::<u32>::new(), self.keys.spill);
            for (shard, files) in self.keys.shards.iter().enumerate() {
                let Some(Some(file)) = files.get(epoch as usize) else { continue };
                indices.resize(file.bytes() as usize / size_of::<u32>(), 0);
                spill.open(file)?.read(bytemuck::cast_slice_mut(&mut indices))?;
                spill.remove(file)?;
                let numbers = self.ranks.len().max(self.kept + indices.len() * SHARDS);
                self.ranks.resize(numbers, u32::MAX);
                for (number, index) in (self.kept + shard..).step_by(SHARDS).zip(&indices) {
                    self.ranks[number] = self.later[*index as usize * SHARDS + shard];
                }
            }
            self.present = Some(epoch);
        }
        Ok(&self.ranks)
    }
}
