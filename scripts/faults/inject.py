#!/usr/bin/env python3
"""Has the system fail each call that a build and a run from disk make, one call after the other.

Every call for files, memory and threads that was made after `main` began fails with each error that it may return, once,
and where such an error may last, from there on: in a build that replaces a store, in one that sorts on disk, and in a run
whose pages stay on disk. Whatever fails: the command ends, in order, by success or with an error that it names; a store is
the old or the new one; an answer is right or absent; and nothing stays behind that `gts clean` does not remove.

A small library stops the process as `main` begins, and strace takes it over there: no fault hits the loader. strace counts
the calls of each thread by themselves, so the N-th call fails in every thread that makes N calls. N goes up to the most
calls that one thread makes.

    GTS=target/release/gts scripts/faults/inject.py [--seconds N] [--only SCENARIO:SYSCALL:ERROR:NUMBER]
"""

import argparse
import collections
import concurrent.futures
import filecmp
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Exit codes of typed errors.
TYPED = (1, 65, 66, 71, 73, 74)
# The errors that calls may return, of those that are tried.
FILES = {
    "openat": "EIO ENOSPC EINTR EMFILE ENOMEM",
    "read": "EIO EINTR ENOMEM",
    "pread64": "EIO EINTR ENOMEM",
    "preadv": "EIO EINTR ENOMEM",
    "readv": "EIO EINTR ENOMEM",
    "write": "EIO ENOSPC EINTR EFBIG ENOMEM",
    "pwrite64": "EIO ENOSPC EINTR EFBIG ENOMEM",
    "pwritev": "EIO ENOSPC EINTR EFBIG ENOMEM",
    "writev": "EIO ENOSPC EINTR EFBIG ENOMEM",
    "copy_file_range": "EIO ENOSPC EFBIG ENOMEM",
    "fsync": "EIO ENOSPC EINTR",
    "fdatasync": "EIO ENOSPC EINTR",
    "ftruncate": "EIO EINTR EFBIG",
    "fallocate": "EIO ENOSPC EINTR EFBIG",
    "rename": "EIO ENOSPC ENOMEM",
    "renameat": "EIO ENOSPC ENOMEM",
    "renameat2": "EIO ENOSPC ENOMEM",
    "linkat": "EIO ENOSPC ENOMEM",
    "unlink": "EIO ENOMEM",
    "unlinkat": "EIO ENOMEM",
    "rmdir": "EIO ENOMEM",
    "mkdir": "EIO ENOSPC ENOMEM",
    "mkdirat": "EIO ENOSPC ENOMEM",
    "stat": "EIO ENOMEM",
    "lstat": "EIO ENOMEM",
    "fstat": "EIO ENOMEM",
    "statx": "EIO ENOMEM",
    "newfstatat": "EIO ENOMEM",
    "statfs": "EIO EINTR ENOMEM",
    "fstatfs": "EIO EINTR ENOMEM",
    "readlink": "EIO ENOMEM",
    "getcwd": "ENOMEM",
    "getdents64": "EIO ENOMEM",
    "flock": "EINTR ENOMEM",
    "fcntl": "EMFILE EINTR",
    "lseek": "EIO",
    "fadvise64": "EIO",
    "close": "EIO EINTR ENOSPC",
    "pipe2": "EMFILE ENOMEM",
    "poll": "EINTR ENOMEM",
    "io_uring_setup": "EMFILE ENOMEM",
    "io_uring_enter": "EIO EINTR EAGAIN ENOMEM",
    "io_uring_register": "EMFILE ENOMEM EINTR",
}
MEMORY = {
    "mmap": "ENOMEM EAGAIN EMFILE",
    "mremap": "ENOMEM EAGAIN",
    "munmap": "ENOMEM",
    "mprotect": "ENOMEM",
    "madvise": "EIO ENOMEM EAGAIN",
    # The call returns where the heap ends; that it is elsewhere than asked for is how it fails.
    "brk": "ENOMEM",
}
THREADS = {
    "clone": "EAGAIN ENOMEM",
    "clone3": "EAGAIN ENOMEM",
    "sched_getaffinity": "ENOMEM",
    "sigaltstack": "ENOMEM",
}
CALLS = {**FILES, **MEMORY, **THREADS}
# Errors that also last, from one call on: a full disk, a limit that is reached, a way into the system that is shut.
LASTING = {
    "openat": "EMFILE ENOSPC",
    "write": "EIO ENOSPC EFBIG",
    "pwrite64": "EIO ENOSPC EFBIG",
    "fsync": "EIO",
    "mkdir": "ENOSPC",
    "unlinkat": "EIO",
    "io_uring_enter": "EIO EINTR EAGAIN ENOMEM",
    "clone": "EAGAIN",
    "clone3": "EAGAIN",
}

# How libc and Rust's runtime end a process where they get no memory for a thread.
RUNTIME = re.compile(
    r"failed to allocate an alternative stack|failed to set up alternative stack|failed to allocate a guard page"
    r"|thread-local data: ABORT|fatal runtime error|unexpected error during closedir|failed to (set|register) .*(dtor|destructor)"
)
LIMIT = 20.0

STOP = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
/* The command begins by handling the signal of a file that is too large. */
typedef int (*installer)(int, const struct sigaction *, struct sigaction *);
int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    static int has_stopped;
    installer next = (installer)dlsym(RTLD_NEXT, "sigaction");
    if (number == SIGXFSZ && !has_stopped++) raise(SIGSTOP);
    return next(number, action, old);
}
"""


class Scenario:
    """A command, and the folder that it is run in."""

    def __init__(self, name, setup, command, kept, made):
        self.name, self.setup, self.command = name, setup, command
        # What must stay as it was, or become what it is after a command that succeeds: files or folders.
        self.kept, self.made = kept, made
        self.before = self.after = None


SCENARIOS = [
    Scenario(
        "replace",
        [["generate", "rmat:7,seed=1", "g.gts", "--page-size", "4KiB"]],
        ["generate", "rmat:8,seed=2", "g.gts", "--force", "--in-edges", "--page-size", "4KiB"],
        ["g.gts"],
        [],
    ),
    Scenario(
        "sort-on-disk",
        [["generate", "rmat:7,seed=1", "g.gts", "--page-size", "4KiB"]],
        ["generate", "rmat:16", "g.gts", "--force", "--page-size", "64KiB", "--memory", "49MiB"],
        ["g.gts"],
        [],
    ),
    Scenario(
        "run-from-disk",
        [["generate", "rmat:13", "g.gts", "--page-size", "16KiB"]],
        ["run", "bfs", "g.gts", "--device", "cpu", "--threads", "2", "--host-memory", "320KiB", "--output", "d.csv",
         "--stall-limit", "1s"],
        ["g.gts"],
        ["d.csv"],
    ),
]


def same(one, other):
    """Whether two files, or two folders, have the same contents."""
    if one.is_dir() != other.is_dir() or one.exists() != other.exists():
        return False
    if not one.is_dir():
        return filecmp.cmp(one, other, shallow=False)
    names = sorted(entry.name for entry in one.iterdir())
    return names == sorted(entry.name for entry in other.iterdir()) and all(
        same(one / name, other / name) for name in names
    )


class Ended:
    def __init__(self, code, stderr, hung):
        self.code, self.stderr, self.hung = code, stderr, hung


class Faults:
    def __init__(self, gts, work):
        self.gts, self.work = str(gts), work
        source, self.library = work / "stop.c", work / "stop.so"
        source.write_text(STOP)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.library, source, "-ldl"], check=True)
        for scenario in SCENARIOS:
            scenario.before, scenario.after = work / scenario.name / "before", work / scenario.name / "after"
            scenario.before.mkdir(parents=True)
            for command in scenario.setup:
                self.plain(command, scenario.before)
            shutil.copytree(scenario.before, scenario.after)
            self.plain(scenario.command, scenario.after)

    def environment(self, folder):
        # As many threads on every machine.
        return {**os.environ, "GTS_CACHE_DIR": str(folder / ".cache"), "RAYON_NUM_THREADS": "2", "RUST_BACKTRACE": "0", "LC_ALL": "C"}

    def plain(self, command, folder):
        subprocess.run(
            [self.gts, *command], cwd=folder, env=self.environment(folder), check=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, timeout=120,
        )

    def traced(self, scenario, folder, options):
        """Runs the command of a scenario under strace, from `main` on."""
        environment = {**self.environment(folder), "LD_PRELOAD": str(self.library)}
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [self.gts, *scenario.command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=output,
            )
            state = pathlib.Path(f"/proc/{process.pid}/status")
            wait_until(lambda: "State:\tT" in state.read_text(), "the process does not stop as main begins")
            tracer = subprocess.Popen(
                ["strace", "-f", "-qq", "-p", str(process.pid), *options],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            try:
                wait_until(lambda: "TracerPid:\t0" not in state.read_text(), "strace does not attach")
                process.send_signal(signal.SIGCONT)
                process.wait(LIMIT)
                hung = False
            except subprocess.TimeoutExpired:
                hung = True
                process.kill()
                process.wait()
            tracer.wait(LIMIT)
            output.seek(0)
            return Ended(process.returncode, output.read().decode(errors="replace"), hung)

    def count(self, scenario):
        """The most calls of each kind that one thread makes."""
        folder = self.work / scenario.name / "count"
        shutil.copytree(scenario.before, folder)
        trace = self.work / scenario.name / "trace"
        ended = self.traced(scenario, folder, ["-o", str(trace), "-e", "trace=" + ",".join("?" + call for call in CALLS)])
        if ended.code != 0:
            sys.exit(f"{scenario.name} fails under strace: {ended.stderr}")
        by_thread = collections.Counter()
        for line in trace.read_text(errors="replace").splitlines():
            if found := re.match(r"(\d+)\s+(\w+)\(", line):
                by_thread[found.groups()] += 1
        most = collections.Counter()
        for (_, call), number in by_thread.items():
            most[call] = max(most[call], number)
        return most

    def check(self, case):
        """Runs a case; answers its outcome, and what is wrong with it."""
        scenario, call, error, number = case
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        try:
            run = folder / "run"
            shutil.copytree(scenario.before, run)
            fault = "retval=0" if call == "brk" else f"error={error}"
            ended = self.traced(
                scenario, run, ["-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={number}"]
            )
            # Where writes go on failing, nothing can be said either.
            return self.judge(scenario, run, ended, mute=call == "write" and number.endswith("+"))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def judge(self, scenario, run, ended, mute):
        if ended.hung:
            return "hung", f"it does not end within {LIMIT:.0f} s"
        outcome, wrong = f"exit {ended.code}", None
        if ended.code not in (0, *TYPED):
            wrong = f"exit {ended.code}: {ended.stderr.strip()[-300:]}"
            if ended.code in (101, -signal.SIGABRT) and RUNTIME.search(ended.stderr):
                outcome, wrong = "ended by libc or Rust's runtime", None
        elif ended.code != 0 and "error[" not in ended.stderr and not mute:
            wrong = f"exit {ended.code} without an error: {ended.stderr.strip()[-300:]}"
        cleaned = subprocess.run(
            [self.gts, "clean", "."], cwd=run, env=self.environment(run), capture_output=True, text=True, timeout=60
        )
        if cleaned.returncode != 0:
            wrong = wrong or f"gts clean fails: {cleaned.stderr.strip()}"
        expected = {*scenario.kept, *(name for name in scenario.made if (run / name).exists()), ".cache"}
        left = {entry.name for entry in run.iterdir()} - expected
        if left:
            wrong = wrong or f"left behind: {', '.join(sorted(left))}"
        for name in scenario.kept:
            old, new = same(run / name, scenario.before / name), same(run / name, scenario.after / name)
            if not (old or new) or (ended.code == 0 and not new):
                wrong = wrong or f"exit {ended.code}, and {name} is {'the old one' if old else 'neither old nor new'}"
        for name in scenario.made:
            if (run / name).exists() or ended.code == 0:
                if not same(run / name, scenario.after / name):
                    wrong = wrong or f"exit {ended.code}, and {name} is wrong"
        return outcome, wrong


def wait_until(condition, otherwise):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(otherwise)
        time.sleep(0.001)


def spread(count):
    """The numbers below `count`, in an order whose every prefix is spread evenly over all."""
    golden = (5 ** 0.5 - 1) / 2
    return [number for _, number in sorted((number * golden % 1, number) for number in range(count))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--only", help="one case, as a failure names it")
    options = parser.parse_args()
    for tool in ["strace", "cc"]:
        if shutil.which(tool) is None:
            print(f"inject: skipped: there is no {tool}")
            return 0
    root = pathlib.Path(__file__).resolve().parents[2]
    default = next((path for path in ["release", "debug"] if (root / "target" / path / "gts").exists()), "release")
    gts = pathlib.Path(os.environ.get("GTS", root / "target" / default / "gts")).resolve()
    with tempfile.TemporaryDirectory(prefix="gts-faults-", ignore_cleanup_errors=True) as work:
        faults = Faults(gts, pathlib.Path(work))
        cases = []
        for scenario in SCENARIOS:
            for call, most in sorted(faults.count(scenario).items()):
                numbers = range(1, most + 1)
                for error in CALLS[call].split():
                    cases += [(scenario, call, error, str(number)) for number in numbers]
                for error in LASTING.get(call, "").split():
                    cases += [(scenario, call, error, f"{number}+") for number in numbers]
        name = lambda case: f"{case[0].name}:{case[1]}:{case[2]}:{case[3]}"
        if options.only:
            cases = [case for case in cases if name(case) == options.only]
        end = time.monotonic() + options.seconds if options.seconds else None
        order = [cases[number] for number in spread(len(cases))]
        outcomes, failed = collections.Counter(), 0
        listed = collections.Counter()

        def check(case):
            if end is not None and time.monotonic() > end:
                return None
            return case, *faults.check(case)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for result in pool.map(check, order):
                if result is None:
                    continue
                case, outcome, wrong = result
                outcomes[outcome] += 1
                if outcome.startswith("ended by"):
                    listed[f"{case[1]} {case[2]}"] += 1
                if wrong:
                    failed += 1
                    print(f"inject: {name(case)}: {wrong}", flush=True)
        for outcome, number in sorted(outcomes.items()):
            print(f"inject: {number} x {outcome}")
        for what, number in sorted(listed.items()):
            print(f"inject: ended by libc or Rust's runtime: {number} x {what}")
        print(f"inject: {sum(outcomes.values())} cases, {failed} failed" + (f", of {len(cases)}" if end else ""))
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
