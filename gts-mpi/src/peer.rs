//! The pending messages to and from another rank in an exchange.

use crate::wire::{Refused, RequestNumber, RequestProgress, Requests, Tag};
use gts_graph::group::frame::{self, FrameError, FrameHead, FrameKind};
use gts_graph::group::{MESSAGE_BYTES, Stamp};
use gts_graph::{Error, Result};
use std::time::Instant;

/// The reason why an exchange with a rank fails.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The rank is lost; the text is the reason.
    Lost(String),
    /// Any other error.
    Other(Error),
}

impl From<Refused> for Trouble {
    fn from(refused: Refused) -> Self {
        Self::Lost(format!("is not reached by MPI: {refused}"))
    }
}

impl From<FrameError> for Trouble {
    fn from(error: FrameError) -> Self {
        match error {
            FrameError::Memory(error) => Self::Other(error.into()),
            error => Self::Lost(error.to_string()),
        }
    }
}

/// The part of a rank's message that is still expected.
enum Awaited<'a> {
    /// The head of its message, and the buffers of its parts.
    Head(RequestNumber, &'a mut Vec<u8>),
    /// The bytes of its message.
    Body(RequestNumber),
    Nothing,
}

/// Another rank in an exchange.
pub(crate) struct Peer<'a> {
    pub(crate) rank: usize,
    /// Time of the last data sent to it or received from it.
    pub(crate) since: Instant,
    /// Messages that it has not received yet.
    sent: Vec<RequestNumber>,
    awaited: Awaited<'a>,
}

impl<'a> Peer<'a> {
    /// Begins to receive a message from the rank.
    pub(crate) fn begin(
        requests: &mut Requests<'a>,
        rank: usize,
        head: &'a mut [u8],
        bytes: &'a mut Vec<u8>,
    ) -> Result<Self, Trouble> {
        let number = requests.receive(rank, Tag::Head, head)?;
        Ok(Self { rank, since: Instant::now(), sent: Vec::new(), awaited: Awaited::Head(number, bytes) })
    }

    /// Begins to send a message to the rank. A message without bytes is only a head.
    pub(crate) fn send(&mut self, requests: &mut Requests<'a>, head: &'a [u8], bytes: &'a [u8]) -> Result<(), Trouble> {
        self.sent.push(requests.send(self.rank, Tag::Head, head)?);
        if !bytes.is_empty() {
            self.sent.push(requests.send(self.rank, Tag::Body, bytes)?);
        }
        Ok(())
    }

    /// Returns whether everything is sent and received.
    pub(crate) fn is_done(&self) -> bool {
        self.sent.is_empty() && self.has_answered()
    }

    /// Returns whether no part of its message has arrived.
    pub(crate) fn awaits_head(&self) -> bool {
        matches!(self.awaited, Awaited::Head(..))
    }

    /// Returns whether its whole message has arrived.
    pub(crate) fn has_answered(&self) -> bool {
        matches!(self.awaited, Awaited::Nothing)
    }

    /// Advances the requests that can advance, and returns whether any did. The rank must be at the same place as this
    /// one.
    pub(crate) fn advance(&mut self, requests: &mut Requests<'a>, own: usize, stamp: &Stamp) -> Result<bool, Trouble> {
        let sent = self.sent.len();
        let mut refused = None;
        self.sent.retain(|&number| match requests.test(number) {
            Ok(progress) => matches!(progress, RequestProgress::Waits),
            Err(error) => {
                refused = Some(error);
                true
            }
        });
        refused.map_or(Ok(()), Err)?;
        let moved = self.sent.len() < sent || self.receive(requests, own, stamp)?;
        if moved {
            self.since = Instant::now();
        }
        Ok(moved)
    }

    fn receive(&mut self, requests: &mut Requests<'a>, own: usize, stamp: &Stamp) -> Result<bool, Trouble> {
        let (Awaited::Head(number, _) | Awaited::Body(number)) = self.awaited else { return Ok(false) };
        let RequestProgress::Done(mut received) = requests.test(number)? else { return Ok(false) };
        let Awaited::Head(_, bytes) = std::mem::replace(&mut self.awaited, Awaited::Nothing) else { return Ok(true) };
        let Some((head, length)) = FrameHead::begin(&mut received, MESSAGE_BYTES, || ())? else {
            return Err(FrameError::Cut.into());
        };
        if head.kind != FrameKind::Message {
            return Err(FrameError::Foreign.into());
        }
        stamp.check(own, &head.into_stamp(), self.rank).map_err(Trouble::Other)?;
        frame::make_room(bytes, length).map_err(FrameError::from)?;
        if length > 0 {
            self.awaited = Awaited::Body(requests.receive(self.rank, Tag::Body, bytes)?);
        }
        Ok(true)
    }
}
