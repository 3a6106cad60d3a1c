//! Division of replicas into leaders (GPUs) and followers (a CPU).
//!
//! The leaders run vertex kernels, and receive the values that the followers compute for the vertices in their shares.
//! The leaders therefore always have all values. A follower receives an attribute's values before it runs a kernel that
//! uses the attribute.

use super::session::ReplicatedSession;
use crate::error::Result;
use crate::replica::{Merged, Replica};
use gts_contract::KernelDescriptor;
use gts_core::graph::Vertex;
use gts_core::memory;
use std::time::{Duration, Instant};

impl ReplicatedSession {
    /// Returns whether there are followers.
    pub(super) fn is_led(&self) -> bool {
        self.leaders < self.replicas.len()
    }

    /// Records that only the leaders have the current values of the written attributes.
    pub(super) fn leave_behind(&mut self, written: &[Merged]) {
        if self.is_led() {
            self.behind.extend(written.iter().map(|merged| merged.attribute));
        }
    }

    /// Records that all replicas have the current values of the written attributes.
    pub(super) fn have_caught_up(&mut self, written: &[Merged]) {
        self.behind.retain(|attribute| written.iter().all(|merged| merged.attribute != *attribute));
    }

    /// Sends the followers the values that they lack, for all attributes that a kernel uses. Returns the number of
    /// bytes sent per replica, and the duration.
    pub(super) fn catch_up(&mut self, kernel: &KernelDescriptor) -> Result<(u64, Duration)> {
        let mut used: Vec<usize> = kernel.facts.uses.iter().map(|used| used.attribute).collect();
        used.retain(|attribute| self.behind.remove(attribute));
        if used.is_empty() {
            return Ok((0, Duration::ZERO));
        }
        let begun = Instant::now();
        let columns: Vec<Merged> = used.iter().map(|&attribute| self.merged(attribute)).collect();
        let (lent, away): (Vec<Merged>, Vec<Merged>) =
            columns.iter().partition(|column| self.first().lend(&[column.attribute]).is_ok());
        let sent = self.send_lent(&lent).and_then(|()| away.iter().try_for_each(|column| self.send_read(column)));
        self.told(sent)?;
        let (bytes, time) = (columns.iter().map(|column| column.bytes() as u64).sum(), begun.elapsed());
        self.record(&columns, bytes, time);
        Ok((bytes, time))
    }

    /// Sends attributes to the followers through the collective. All replicas must be able to lend the attributes.
    fn send_lent(&mut self, columns: &[Merged]) -> Result<()> {
        let attributes: Vec<usize> = columns.iter().map(|column| column.attribute).collect();
        let leaders = self.leaders;
        let parties = self.replicas.iter_mut().enumerate().filter(|(place, _)| *place == 0 || *place >= leaders);
        let lent = parties.map(|(_, replica)| replica.lend(&attributes));
        let mut lent: Vec<Replica<'_>> = lent.collect::<Result<_>>()?;
        let send = |(place, column)| self.collective.broadcast(&mut lent, place, column);
        let sent = columns.iter().enumerate().try_for_each(send);
        if sent.is_err() {
            self.collective.settle(&mut lent);
        }
        sent
    }

    /// Sends an attribute to the followers through a host buffer, because the first leader cannot lend the attribute.
    fn send_read(&mut self, column: &Merged) -> Result<()> {
        let mut values: Vec<u64> = memory::zeroed("values of a replica", column.bytes().div_ceil(8))?;
        let bytes = &mut bytemuck::cast_slice_mut(&mut values)[..column.bytes()];
        let (leaders, followers) = self.replicas.split_at_mut(self.leaders);
        if let Some(first) = leaders.first_mut() {
            first.read(column.attribute, Vertex::from_dense(0), bytes)?;
        }
        followers.iter_mut().try_for_each(|replica| replica.write(column.attribute, Vertex::from_dense(0), bytes))
    }
}
