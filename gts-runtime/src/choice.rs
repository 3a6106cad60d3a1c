//! The choice of an engine's device, and its text on the command line.

use gts_core::advice::Advice;
use gts_core::cost::Strategy;
use gts_device::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// The device on which an engine runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// CUDA device 0 if it works, otherwise the CPU.
    #[default]
    Auto,
    /// The CPU only.
    Cpu,
    /// The CUDA device with this number.
    Cuda(usize),
    /// The CPU and the CUDA device with this number. They share the edges as [`Hybrid`](gts_device::hybrid::Hybrid)
    /// specifies.
    Hybrid(usize),
}

impl DeviceChoice {
    /// Parses the name of a single device.
    fn of_one(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "cpu" => Some(Self::Cpu),
            "cuda" => Some(Self::Cuda(0)),
            _ => name.strip_prefix("cuda:").and_then(|number| number.parse().ok()).map(Self::Cuda),
        }
    }

    /// Checks that the device allows the hybrid options, if any are `given`, and the strategy.
    ///
    /// # Errors
    ///
    /// Hybrid options are given for a device that is not hybrid, or Strategy-S is given for a hybrid device.
    pub fn check_sharing(self, given: bool, strategy: Option<Strategy>) -> Result<()> {
        match self {
            Self::Hybrid(_) if strategy == Some(Strategy::Split) => Err(Error::argument_with_advice(
                format_args!("{} on {self}", Strategy::Split.name()),
                "the CPU and GPUs share a graph by replicas of the attributes",
                Advice::new("give --strategy p, or --device cuda", "choose `Strategy::Pages`, or GPUs alone"),
            )),
            Self::Auto | Self::Cpu | Self::Cuda(_) if given => Err(Error::argument_with_advice(
                format_args!("device `{self}`"),
                "it does not share edges between the CPU and GPUs",
                Advice::new(
                    "give --device cpu+cuda, or leave --alpha and --place out",
                    "choose `DeviceChoice::Hybrid`, or leave `hybrid` out",
                ),
            )),
            _ => Ok(()),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let named: Option<Vec<Self>> = text.split('+').map(Self::of_one).collect();
        let what = format_args!("device `{text}`");
        match named.as_deref() {
            Some([only]) => return Ok(*only),
            Some([Self::Cpu, Self::Cuda(number)] | [Self::Cuda(number), Self::Cpu]) => {
                return Ok(Self::Hybrid(*number));
            }
            Some(several) => {
                let twice = (1..several.len()).find(|&place| several[..place].contains(&several[place]));
                if let Some(twice) = twice.map(|place| several[place]) {
                    let why = format_args!("{twice} is named twice");
                    return Err(Error::argument_with_advice(what, why, "name each device once, such as cpu+cuda"));
                }
                if several.iter().filter(|one| matches!(one, Self::Cuda(_))).count() > 1 {
                    let next = Advice::new(
                        "name the first one, and give --devices for those after it",
                        "name the first one, and ask for those after it with `devices`",
                    );
                    return Err(Error::argument_with_advice(what, "it names several GPUs", next));
                }
            }
            None => {}
        }
        Err(Error::argument(what, "expected auto, cpu, cuda, cuda:NUMBER, cpu+cuda or cpu+cuda:NUMBER"))
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(number) => write!(f, "cuda:{number}"),
            Self::Hybrid(number) => write!(f, "cpu+cuda:{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        text.parse::<DeviceChoice>().expect_err(text).to_string()
    }

    #[test]
    fn a_device_is_read_as_it_is_written() {
        for (text, choice) in [
            ("auto", DeviceChoice::Auto),
            ("cpu", DeviceChoice::Cpu),
            ("cuda", DeviceChoice::Cuda(0)),
            ("cuda:3", DeviceChoice::Cuda(3)),
            ("cpu+cuda", DeviceChoice::Hybrid(0)),
            ("cuda+cpu", DeviceChoice::Hybrid(0)),
            ("cpu+cuda:2", DeviceChoice::Hybrid(2)),
            ("cuda:2+cpu", DeviceChoice::Hybrid(2)),
        ] {
            assert_eq!(text.parse::<DeviceChoice>().expect(text), choice);
            assert_eq!(choice.to_string().parse::<DeviceChoice>().expect(text), choice);
        }
    }

    #[test]
    fn a_device_is_named_once() {
        for text in ["cpu+cpu", "cuda+cuda", "cuda:0+cuda:0", "cuda+cuda:0", "cpu+cuda+cpu", "auto+auto"] {
            assert!(refusal(text).contains("named twice"), "{text}: {}", refusal(text));
        }
        assert!(refusal("cpu+cuda:0+cuda:1").contains("several GPUs"));
        for text in ["", "+", "cpu+", "cpu+auto", "gpu", "cuda:", "cuda:-1", "cpu+cuda:x", "cpu + cuda"] {
            assert!(refusal(text).contains("expected auto, cpu"), "{text}: {}", refusal(text));
        }
    }

    #[test]
    fn only_a_hybrid_device_shares_edges_and_by_replicas() {
        let (hybrid, split) = (DeviceChoice::Hybrid(0), Some(Strategy::Split));
        hybrid.check_sharing(true, Some(Strategy::Pages)).expect("a hybrid device");
        DeviceChoice::Cuda(0).check_sharing(false, split).expect("nothing given");
        for (choice, given, strategy) in [(DeviceChoice::Auto, true, None), (hybrid, false, split)] {
            let error = choice.check_sharing(given, strategy).expect_err("a refusal");
            assert!(matches!(error, Error::Argument { next: Some(_), .. }), "{error}");
        }
    }
}
