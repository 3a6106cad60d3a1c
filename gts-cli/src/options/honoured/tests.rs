use super::*;
use crate::options::GpuArgs;
use clap::{Arg, ArgAction, Args, Command};

const KINDS: &[DeviceKind] = ALL.kinds;

/// Returns the given options of a command line that accepts all options of the table.
fn given(words: &[&str]) -> Given {
    let flags = TABLE.map(|(flag, _)| {
        Arg::new(&*flag.replace('-', "_").leak()).long(flag).action(ArgAction::Set).default_value("1")
    });
    Given::of(&Command::new("gts").args(flags).get_matches_from([&["gts"], words].concat()))
}

fn device(kind: DeviceKind) -> DeviceChoice {
    match kind {
        DeviceKind::Cpu | DeviceKind::CpuRanks => DeviceChoice::Cpu,
        DeviceKind::Gpu | DeviceKind::Gpus | DeviceKind::GpuRanks => DeviceChoice::Cuda(0),
        DeviceKind::Hybrid => DeviceChoice::Hybrid(0),
    }
}

#[test]
fn each_pair_of_an_option_and_a_kind_is_refused_unless_the_table_has_it() {
    for (flag, honouring) in &TABLE {
        let given = given(&[&format!("--{flag}"), "1"]);
        for kind in KINDS {
            let checked = given.check(device(*kind), Some(*kind));
            assert_eq!(checked.is_ok(), honouring.kinds.contains(kind), "--{flag} on {kind}");
            let Err(Failure::Usage { what, next: Some(next), .. }) = checked else { continue };
            let next = next.of(gts_graph::core::advice::Reader::CommandLine);
            assert!(what.starts_with(&format!("--device {}: a run on {kind}", device(*kind))), "{what}");
            assert!(
                what.ends_with(&format!("--{flag}")) && next.starts_with(&format!("leave out --{flag},")),
                "{next}"
            );
        }
        given.check(DeviceChoice::Auto, None).expect("the engine chooses");
    }
    given(&[]).check(DeviceChoice::Cpu, Some(DeviceKind::Cpu)).expect("nothing but defaults");
}

/// Returns the values of an option as on a command line, including its default if there is one.
fn values(flag: &str) -> &'static [&'static str] {
    match flag {
        "alpha" => &["auto", "0.5"],
        "cache" => &["auto", "lru"],
        "transfer" => &["auto", "copy"],
        "check" | "checked" | "models" => &[],
        "collectives" => &["auto", "host"],
        "chunk" | "levels" | "max-steps" | "nodes" | "seed" => &["2"],
        "device-memory" | "host-memory" => &["1GiB"],
        "devices" | "threads" => &["1"],
        "group" => &["local"],
        "network" => &["1GB/s"],
        "place" => &["random", "low"],
        "propagation" => &["auto", "push"],
        "stall-limit" | "time-limit" => &["1min"],
        "steps" => &["auto", "host"],
        "strategy" => &["auto", "p"],
        "streams" => &["2", "4"],
        "technique" => &["auto", "vertex"],
        _ => panic!("no value of --{flag} is known"),
    }
}

/// Returns the devices of each kind, as arguments of a command line.
fn named(command: &str) -> Vec<(DeviceKind, &'static str)> {
    let nodes = [(DeviceKind::CpuRanks, "cpu --network 1GB/s"), (DeviceKind::GpuRanks, "cuda --network 1GB/s")];
    let alone = [
        (DeviceKind::Cpu, "cpu"),
        (DeviceKind::Gpu, "cuda"),
        (DeviceKind::Gpus, "cuda --devices 2"),
        (DeviceKind::Hybrid, "cpu+cuda"),
    ];
    // `gts launch` starts the ranks of a run, and its tests use the real program.
    let nodes = nodes.into_iter().filter(|_| command == "plan");
    alone.into_iter().chain(nodes).collect()
}

/// Returns the command line with the flags of all algorithms.
fn complete() -> Command {
    let mut command = crate::command();
    command.build();
    command
}

#[test]
fn commands_refuse_each_pair_that_the_table_lacks_and_no_other() {
    gts_algorithms::link();
    let mut pairs = 0;
    // A table is part of the report, which is not printed here.
    for (name, more) in [("run", " --top 1"), ("plan", "")] {
        let command = complete();
        let bfs = command.find_subcommand(name).and_then(|found| found.find_subcommand("bfs")).expect(name);
        let rows = TABLE.iter().filter(|(flag, _)| bfs.get_arguments().any(|arg| arg.get_long() == Some(flag)));
        // The device is part of each pair, and a latency requires a network.
        for (flag, honouring) in rows.filter(|(flag, _)| !["device", "latency"].contains(flag)) {
            let words = values(flag).iter().map(|value| format!("--{flag} {value}"));
            let words: Vec<_> = if values(flag).is_empty() { vec![format!("--{flag}")] } else { words.collect() };
            for ((kind, device), words) in named(name).into_iter().flat_map(|kind| words.iter().map(move |w| (kind, w)))
            {
                // An option may be given only once.
                let device = if device.contains(&format!("--{flag} ")) { "cuda" } else { device };
                let line = format!("gts {name} bfs rmat:4 --page-size 256 --device {device} {words}{more}");
                let matches = crate::command().try_get_matches_from(line.split(' ')).expect(&line);
                let refused = crate::cmd::dispatch(&matches).err().map_or(String::new(), |error| error.to_string());
                let is_ignored = refused.contains(&format!("would ignore --{flag}"));
                assert_eq!(is_ignored, !honouring.kinds.contains(&kind), "{line}: {refused}");
                pairs += 1;
            }
        }
    }
    assert!(pairs > 200, "only {pairs} pairs");
}

#[test]
fn every_option_of_a_command_is_in_the_table() {
    gts_algorithms::link();
    let command = complete();
    let of = |path: &[&str]| path.iter().fold(&command, |at, name| at.find_subcommand(name).expect(name)).clone();
    // The suites of `gts-bench` share these options.
    let suites = GpuArgs::augment_args(Command::new("suites"));
    for command in [of(&["run", "bfs"]), of(&["plan", "bfs"]), suites] {
        let options = command.get_arguments().filter(|arg| {
            arg.get_help_heading().is_some_and(|heading| ["Run", "Plan", "GPU", "Nodes"].contains(&heading))
        });
        for option in options.filter_map(Arg::get_long) {
            assert!(
                TABLE.iter().any(|(flag, _)| *flag == option),
                "--{option} of {} is not in the table",
                command.get_name()
            );
        }
    }
    let all = ["run", "plan"].map(|name| of(&[name, "bfs"]));
    for (flag, _) in &TABLE {
        let has = |command: &Command| command.get_arguments().any(|arg| arg.get_long() == Some(flag));
        assert!(all.iter().any(has), "--{flag} is an option of no command");
    }
}

#[test]
fn kinds_follow_from_the_device_and_what_shares_it() {
    let of = |text: &str, gpus, in_group| DeviceKind::of(text.parse().expect(text), gpus, in_group);
    assert_eq!(of("auto", 2, true), None);
    assert_eq!((of("cpu", 1, false), of("cpu", 2, true)), (Some(DeviceKind::Cpu), Some(DeviceKind::CpuRanks)));
    assert_eq!((of("cuda:1", 1, false), of("cuda", 2, false)), (Some(DeviceKind::Gpu), Some(DeviceKind::Gpus)));
    assert_eq!((of("cuda", 2, true), of("cpu+cuda", 2, false)), (Some(DeviceKind::GpuRanks), Some(DeviceKind::Hybrid)));
}
