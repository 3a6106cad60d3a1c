//! Memory that this process uses or can allocate. The limits are those of the machine and of control groups
//! (containers, services, batch jobs).

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Returns the memory of this machine in bytes, or the limit of the process's control groups if that is smaller. `None`
/// if the system does not report the memory.
pub fn total_memory() -> Option<u64> {
    total_at(Path::new("/"))
}

/// Returns the free memory in bytes: the minimum of the machine's free memory, the free memory of the control groups,
/// and the free address space. `None` if the system reports none of these.
pub fn free_memory() -> Option<u64> {
    free_at(Path::new("/"))
}

/// Returns the peak resident memory of this process in bytes. `None` if the system does not report it.
pub fn peak_memory() -> Option<u64> {
    peak_at(Path::new("/"))
}

fn peak_at(root: &Path) -> Option<u64> {
    of_process(root, "VmHWM:")
}

fn total_at(root: &Path) -> Option<u64> {
    groups(root).iter().filter_map(ControlGroup::limit).chain(of_system(root, "MemTotal:")).min()
}

fn free_at(root: &Path) -> Option<u64> {
    let system = of_system(root, "MemAvailable:").into_iter().chain(free_addresses(root));
    groups(root).iter().filter_map(ControlGroup::free).chain(system).min()
}

/// Returns the value of a line in `/proc/meminfo`, in bytes.
fn of_system(root: &Path, name: &str) -> Option<u64> {
    kibibytes(&fs::read_to_string(root.join("proc/meminfo")).ok()?, name)
}

/// Returns the value of a line in `/proc/self/status`, in bytes.
fn of_process(root: &Path, name: &str) -> Option<u64> {
    kibibytes(&fs::read_to_string(root.join("proc/self/status")).ok()?, name)
}

/// Returns the value of the line that begins with `name`, converted from kibibytes to bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// Returns the number of bytes that the process can still map, if `ulimit -v` or a batch system limits the address
/// space.
fn free_addresses(root: &Path) -> Option<u64> {
    let limits = fs::read_to_string(root.join("proc/self/limits")).ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(of_process(root, "VmSize:")?))
}

/// The names of files and counters in one version of control groups.
struct ControlGroupVersion {
    limit: &'static str,
    taken: &'static str,
    /// The counter in `memory.stat` of cached file pages, which the kernel reclaims before an allocation fails.
    given_back: &'static str,
}

const V1: ControlGroupVersion = ControlGroupVersion {
    limit: "memory.limit_in_bytes",
    taken: "memory.usage_in_bytes",
    given_back: "total_inactive_file",
};
const V2: ControlGroupVersion =
    ControlGroupVersion { limit: "memory.max", taken: "memory.current", given_back: "inactive_file" };

/// A control group that may limit memory.
struct ControlGroup {
    folder: PathBuf,
    version: &'static ControlGroupVersion,
}

impl ControlGroup {
    fn number(&self, file: &str) -> Option<u64> {
        fs::read_to_string(self.folder.join(file)).ok()?.trim().parse().ok()
    }

    /// Returns the total memory limit of the group's processes in bytes, if there is a limit.
    fn limit(&self) -> Option<u64> {
        self.number(self.version.limit)
    }

    /// Returns the number of free bytes below the group's limit, if there is a limit.
    fn free(&self) -> Option<u64> {
        let (limit, taken) = (self.limit()?, self.number(self.version.taken)?);
        let stat = fs::read_to_string(self.folder.join("memory.stat")).unwrap_or_default();
        let counters = stat.lines().filter_map(|line| line.split_once(' '));
        let mut given_back = counters.filter(|&(name, _)| name == self.version.given_back);
        let given_back = given_back.find_map(|(_, bytes)| bytes.trim().parse().ok()).unwrap_or(0);
        Some(limit.saturating_sub(taken.saturating_sub(given_back)))
    }
}

/// Returns the control groups of this process and their ancestors.
fn groups(root: &Path) -> Vec<ControlGroup> {
    let text = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let mut groups = Vec::new();
    // Each line is `NUMBER:CONTROLLERS:PATH`. The line of version 2 lists no controllers.
    for line in text.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (version, mount) = match controllers {
            "" => (&V2, "sys/fs/cgroup"),
            _ if controllers.split(',').any(|name| name == "memory") => (&V1, "sys/fs/cgroup/memory"),
            _ => continue,
        };
        // In a container, the root of the mount may be the container's own group, while the path exists only on the
        // host. Missing folders are skipped, and the root is always checked.
        let inside: PathBuf =
            Path::new(path).components().filter(|part| matches!(part, Component::Normal(_))).collect();
        groups.extend(inside.ancestors().map(|group| ControlGroup { folder: root.join(mount).join(group), version }));
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// Creates a root folder that contains these files.
    fn system(files: &[(&str, &str)]) -> TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn found(files: &[(&str, &str)]) -> [Option<u64>; 2] {
        let root = system(files);
        [total_at(root.path()), free_at(root.path())]
    }

    const MEMINFO: (&str, &str) =
        ("proc/meminfo", "MemTotal:       8192 kB\nMemFree:         1024 kB\nMemAvailable:    4096 kB\n");

    #[test]
    fn without_groups_the_machine_counts() {
        assert_eq!(found(&[]), [None, None]);
        assert_eq!(found(&[("proc/meminfo", "MemFree: 1 kB\n")]), [None, None]);
        assert_eq!(found(&[MEMINFO]), [Some(8 << 20), Some(4 << 20)]);
        let unlimited = ("sys/fs/cgroup/memory.max", "max\n");
        assert_eq!(found(&[MEMINFO, ("proc/self/cgroup", "0::/\n"), unlimited]), [Some(8 << 20), Some(4 << 20)]);
    }

    #[test]
    fn the_peak_is_read_from_what_the_system_says() {
        let peak = |text| peak_at(system(&[("proc/self/status", text)]).path());
        assert_eq!(peak("VmPeak:\t 9 kB\nVmHWM:\t    2048 kB\n"), Some(2 << 20));
        assert_eq!(peak("VmPeak:\t 9 kB\n"), None);
    }

    #[test]
    fn a_limit_of_addresses_counts() {
        let status = ("proc/self/status", "Name:\tgts\nVmSize:\t    1024 kB\n");
        for (limit, free) in [("unlimited", 4 << 20), ("3145728", 2 << 20), ("9", 0)] {
            let limits =
                format!("Limit   Soft   Hard   Units\nMax address space         {limit}    unlimited  bytes\n");
            let files = [MEMINFO, status, ("proc/self/limits", limits.as_str())];
            assert_eq!(found(&files), [Some(8 << 20), Some(free)]);
        }
    }

    #[test]
    fn pages_of_files_that_are_given_back_are_free() {
        let mut files = vec![
            MEMINFO,
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/memory.max", "1000000\n"),
            ("sys/fs/cgroup/memory.current", "999000\n"),
        ];
        assert_eq!(found(&files), [Some(1_000_000), Some(1000)]);
        files.push(("sys/fs/cgroup/memory.stat", "anon 9000\nfile 990000\ninactive_anon 7\ninactive_file 980000\n"));
        assert_eq!(found(&files), [Some(1_000_000), Some(981_000)]);
    }

    #[test]
    fn the_least_of_nested_groups_counts() {
        let files = [
            MEMINFO,
            ("proc/self/cgroup", "0::/jobs/job_7/step\n"),
            ("sys/fs/cgroup/jobs/memory.max", "900000\n"),
            ("sys/fs/cgroup/jobs/memory.current", "890000\n"),
            ("sys/fs/cgroup/jobs/job_7/memory.max", "500000\n"),
            ("sys/fs/cgroup/jobs/job_7/memory.current", "100000\n"),
            ("sys/fs/cgroup/jobs/job_7/step/memory.max", "max\n"),
            ("sys/fs/cgroup/jobs/job_7/step/memory.current", "100000\n"),
        ];
        assert_eq!(found(&files), [Some(500_000), Some(10_000)]);
    }

    #[test]
    fn the_first_version_is_read_too() {
        let files = [
            MEMINFO,
            ("proc/self/cgroup", "12:cpu,cpuacct:/a\n9:memory:/slurm/job_7\n0::/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "70000000\n"),
            ("sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes", "700000\n"),
            ("sys/fs/cgroup/memory/slurm/job_7/memory.usage_in_bytes", "600000\n"),
            ("sys/fs/cgroup/memory/slurm/job_7/memory.stat", "inactive_file 1\ntotal_inactive_file 500000\n"),
        ];
        assert_eq!(found(&files), [Some(700_000), Some(600_000)]);
    }

    #[test]
    fn a_container_sees_its_group_at_the_mount() {
        for path in ["0::/docker/0123abcd\n", "0::/../../outside\n"] {
            let files = [
                MEMINFO,
                ("proc/self/cgroup", path),
                ("sys/fs/cgroup/memory.max", "300000\n"),
                ("sys/fs/cgroup/memory.current", "100000\n"),
            ];
            assert_eq!(found(&files), [Some(300_000), Some(200_000)]);
        }
    }
}
