//! Ends groups because of errors. All backends share this code.

use gts_device::error::Error;
use gts_device::kernel::StopFlag;
use std::sync::Arc;

/// The error that ended the group, if any, and the flags to set when the group ends.
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

    /// Ends the group, unless the group has already ended.
    ///
    /// # Errors
    ///
    /// The group has already ended. Returns the error that ended the group.
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
    /// The group has ended. Returns the error that ended the group.
    pub fn check(&self) -> Result<(), Error> {
        self.error.clone().map_or(Ok(()), Err)
    }

    /// Registers a flag to set when the group ends. If the group has already ended, sets the flag immediately.
    pub fn tie(&mut self, flag: &Arc<StopFlag>) {
        match &self.error {
            Some(error) => flag.stop_because(error.clone()),
            None if self.tied.iter().any(|tied| Arc::ptr_eq(tied, flag)) => {}
            None => self.tied.push(Arc::clone(flag)),
        }
    }
}
