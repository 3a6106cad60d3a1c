//! The end of a group by an error.

use gts_device::error::Error;
use gts_device::kernel::StopFlag;
use std::sync::Arc;

/// The error that ended the group, if any, and the flags to set when it ends.
#[derive(Debug, Default)]
pub struct Ending {
    error: Option<Error>,
    tied: Vec<Arc<StopFlag>>,
}

impl Ending {
    /// Returns the error that ended the group.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// Ends the group, unless it has ended before.
    ///
    /// # Errors
    ///
    /// The error that ended the group before.
    pub fn end(&mut self, error: &Error) -> Result<(), Error> {
        self.check()?;
        self.error = Some(error.clone());
        self.tied.drain(..).for_each(|flag| flag.stop_because(error.clone()));
        Ok(())
    }

    /// Checks that the group has not ended.
    ///
    /// # Errors
    ///
    /// The error that ended the group.
    pub fn check(&self) -> Result<(), Error> {
        self.error.clone().map_or(Ok(()), Err)
    }

    /// Sets a flag when the group ends, or at once if it has ended.
    pub fn tie(&mut self, flag: &Arc<StopFlag>) {
        match &self.error {
            Some(error) => flag.stop_because(error.clone()),
            None if self.tied.iter().any(|tied| Arc::ptr_eq(tied, flag)) => {}
            None => self.tied.push(Arc::clone(flag)),
        }
    }
}
