//! Configuration from environment variables. An invalid value ends the process with a one-line message and exit code 2.

use crate::cards::{CARDS, Card};
use crate::failing::Failing;
use std::env;
use std::fmt::Display;
use std::sync::OnceLock;

/// Maximum number of devices.
pub(crate) const MOST_DEVICES: u32 = 4;

/// Default of `GTS_EMU_STEPS`.
const STEPS: u64 = 20_000_000_000;

/// Values of the variables `GTS_EMU_*`.
#[derive(Debug)]
pub(crate) struct Configuration {
    /// `GTS_EMU_DEVICES`: the number of devices.
    pub(crate) devices: u32,
    /// `GTS_EMU_MEMORY`: bytes of memory per device.
    pub(crate) memory: u64,
    /// `GTS_EMU_CARD`: the card that each device emulates.
    pub(crate) card: &'static Card,
    /// `GTS_EMU_THREADS`: the number of host threads that do the devices' work.
    pub(crate) threads: u32,
    /// `GTS_EMU_STEPS`: the number of instructions after which a launch counts as endless and fails.
    pub(crate) steps: u64,
    /// `GTS_EMU_FAIL`: rules by which driver calls fail.
    pub(crate) failing: Failing,
    /// `GTS_EMU_STATS`: the file to which statistics are appended, or `-` for standard error.
    pub(crate) statistics: Option<String>,
}

/// Reports a usage error of the emulator and ends the process.
pub(crate) fn refuse(what: impl Display) -> ! {
    eprintln!("gts emulator: {what}");
    std::process::exit(2);
}

/// Returns the configuration, read from the environment on first use.
pub(crate) fn configuration() -> &'static Configuration {
    static CONFIGURATION: OnceLock<Configuration> = OnceLock::new();
    CONFIGURATION.get_or_init(|| {
        read(|name| env::var(name).ok().filter(|value| !value.is_empty())).unwrap_or_else(|why| refuse(why))
    })
}

fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Configuration, String> {
    let number = |name: &str, default: u64, least: u64, most: u64| match variable(name) {
        None => Ok(default),
        Some(text) => (text.parse().ok())
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| format!("{name}={text}: expected a number from {least} to {most}")),
    };
    let card = match variable("GTS_EMU_CARD") {
        None => &CARDS[0],
        Some(text) => CARDS.iter().find(|card| card.key == text).ok_or_else(|| {
            format!("GTS_EMU_CARD={text}: expected one of {}", CARDS.each_ref().map(|card| card.key).join(", "))
        })?,
    };
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let failing = variable("GTS_EMU_FAIL");
    Ok(Configuration {
        devices: number("GTS_EMU_DEVICES", 1, 1, MOST_DEVICES.into())? as u32,
        memory: number("GTS_EMU_MEMORY", card.memory, 1, 1 << 40)?,
        card,
        threads: number("GTS_EMU_THREADS", cores, 1, 256)? as u32,
        steps: number("GTS_EMU_STEPS", STEPS, 1, u64::MAX)?,
        failing: failing.map_or_else(
            || Ok(Failing::default()),
            |text| Failing::parse(&text).map_err(|why| format!("GTS_EMU_FAIL={text}: {why}")),
        )?,
        statistics: variable("GTS_EMU_STATS"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &'static str, value: &'static str) -> Result<Configuration, String> {
        read(move |asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn values_that_cannot_be_are_refused_with_what_can() {
        for (name, value, why) in [
            ("GTS_EMU_DEVICES", "5", "GTS_EMU_DEVICES=5: expected a number from 1 to 4"),
            ("GTS_EMU_DEVICES", "none", "GTS_EMU_DEVICES=none: expected a number from 1 to 4"),
            ("GTS_EMU_CARD", "h900", "GTS_EMU_CARD=h900: expected one of small, h100, h200"),
            ("GTS_EMU_FAIL", "cuFly:1:1", "GTS_EMU_FAIL=cuFly:1:1: the driver has no call `cuFly`"),
            ("GTS_EMU_FAIL", "cuInit:17:1", "GTS_EMU_FAIL=cuInit:17:1: CUDA has no error `17`"),
            ("GTS_EMU_FAIL", "cuInit:1", "GTS_EMU_FAIL=cuInit:1: expected CALL:CODE:NUMBER"),
            ("GTS_EMU_FAIL", "cuInit:1:0", "GTS_EMU_FAIL=cuInit:1:0: calls are counted from 1, not `0`"),
        ] {
            assert_eq!(with(name, value).err().as_deref(), Some(why));
        }
    }

    #[test]
    fn without_variables_there_is_one_small_device() {
        let found = read(|_| None).unwrap();
        assert_eq!((found.devices, found.card.key, found.card.multiprocessors), (1, "small", 4));
        assert_eq!(found.memory, found.card.memory);
    }
}
