//! Free memory, and the memory that a run took.

use crate::units;
use gts_graph::core::threads;
use gts_graph::device::MemoryTaken;
use gts_graph::measure::free_memory;
use serde_json::{Value, json};

/// Peak memory of a run, with its limits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Peaks {
    /// Peak of each device with its own memory.
    pub(crate) devices: Vec<MemoryTaken>,
    /// Peak resident bytes of this process, loading included, if the system reports them.
    pub(crate) resident: Option<u64>,
    /// Bytes of host memory for the graph's tables and pages.
    pub(crate) graph: u64,
    /// Limit of these bytes, if there is one.
    pub(crate) host_budget: Option<u64>,
}

impl Peaks {
    /// Returns lines for readers: one for the devices, if there are any, and one for the host.
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        let device = |taken: &MemoryTaken| match taken.budget {
            Some(budget) => format!("at most {} of {}", units::bytes(taken.peak), units::bytes(budget)),
            None => format!("at most {}", units::bytes(taken.peak)),
        };
        let mut lines = Vec::new();
        if !self.devices.is_empty() {
            lines.push(("device memory", self.devices.iter().map(device).collect::<Vec<_>>().join(", ")));
        }
        let budget = self.host_budget.map_or(String::new(), |budget| format!(" of {}", units::bytes(budget)));
        let mut host = vec![format!("tables and pages {}{budget}", units::bytes(self.graph))];
        let locked = self.page_locked();
        host.extend((locked > 0).then(|| format!("page-locked at most {}", units::bytes(locked))));
        host.extend(self.resident.map(|bytes| format!("whole process at most {}", units::bytes(bytes))));
        lines.push(("host memory", host.join(", ")));
        lines
    }

    /// Returns the peaks for programs.
    pub(crate) fn json(&self) -> Value {
        let device = |taken: &MemoryTaken| {
            json!({
                "device": taken.device,
                "peak": taken.peak,
                "budget": taken.budget,
                "page_locked": taken.page_locked,
            })
        };
        json!({
            "devices": self.devices.iter().map(device).collect::<Vec<_>>(),
            "host": {
                "graph": self.graph,
                "budget": self.host_budget,
                "page_locked": self.page_locked(),
                "process_peak": self.resident,
            },
        })
    }

    fn page_locked(&self) -> u64 {
        self.devices.iter().map(|taken| taken.page_locked).sum()
    }
}

/// Returns the default budget of a build: half of the free memory, or `None` if the system does not report it.
pub fn default_budget() -> Option<u64> {
    free_beside_threads().map(|free| free / 2)
}

/// Returns the free memory after the shared threads have started: their stacks take address space. `None` if the system
/// does not report it.
pub(crate) fn free_beside_threads() -> Option<u64> {
    // The actual work prepares the threads too, and reports the failure.
    let _ = threads::prepare();
    free_memory()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_stand_beside_budgets() {
        let taken = |budget| MemoryTaken {
            device: "cuda:0 G".into(),
            peak: 3 << 20,
            budget,
            page_locked: 1 << 20,
            driver_calls: 0,
        };
        let peaks = Peaks {
            devices: vec![taken(Some(4 << 20)), taken(None)],
            resident: Some(9 << 20),
            graph: 512,
            host_budget: Some(1024),
        };
        let lines = peaks.lines();
        assert_eq!(lines[0], ("device memory", "at most 3.00 MiB of 4.00 MiB, at most 3.00 MiB".to_owned()));
        let host = "tables and pages 512 B of 1.00 KiB, page-locked at most 2.00 MiB, whole process at most 9.00 MiB";
        assert_eq!(lines[1], ("host memory", host.to_owned()));
        assert_eq!(peaks.json()["host"]["page_locked"], json!(2 << 20));
        let plain = Peaks { devices: Vec::new(), resident: None, graph: 512, host_budget: None };
        assert_eq!(plain.lines(), [("host memory", "tables and pages 512 B".to_owned())]);
    }
}
