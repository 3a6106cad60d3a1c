//! How much memory is free.

use std::fs;
use std::path::Path;

/// The budget of a build that none is given for: half of the free memory, where the system tells.
pub(crate) fn default_budget() -> Option<u64> {
    let system = fs::read_to_string("/proc/meminfo").ok().and_then(|text| free_of_system(&text));
    let group = free_of_group(Path::new("/sys/fs/cgroup"));
    [system, group].into_iter().flatten().min().map(|free| free / 2)
}

/// Bytes that `/proc/meminfo` calls available.
fn free_of_system(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// Bytes that a control group leaves to this process and to those beside it, where it has a limit.
fn free_of_group(folder: &Path) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_read_from_what_the_system_says() {
        let text = "MemTotal:       24689764 kB\nMemFree:         1024 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(free_of_system(text), Some(2 << 20));
        assert_eq!(free_of_system("MemTotal: 7 kB\n"), None);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(free_of_group(folder.path()), None);
        fs::write(folder.path().join("memory.current"), "300\n").unwrap();
        fs::write(folder.path().join("memory.max"), "max\n").unwrap();
        assert_eq!(free_of_group(folder.path()), None);
        fs::write(folder.path().join("memory.max"), "1000\n").unwrap();
        assert_eq!(free_of_group(folder.path()), Some(700));
    }
}
