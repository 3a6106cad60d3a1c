"""Tries to join groups of ranks from outside: as another user, as one of the same group, and as the same user without the
word of the group.

No intruder is ever answered as a rank, and every launch succeeds with the right answer and leaves nothing. Intruders of other
users need root; without it the script tries those of the same user alone.
"""

import argparse
import multiprocessing
import os
import select
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GTS = os.environ["GTS"]
RANKS = 3
LAUNCHES = 1000
UMASKS = [0o000, 0o002, 0o022]
# A user that owns nothing here.
STRANGER = 65534
# The kind of a frame that says who a rank is, and the place of the kind in the frame.
HELLO, KIND = 1, 5
# The word of groups that are started by hand, and another one.
WORD, OTHER_WORD = bytes(range(16)), bytes(16)
RUN = ["run", "bfs", "rmat:10", "--source", "0", "--page-size", "4KiB", "--device", "cpu", "--no-cache"]


class Failure(Exception):
    """What is not as it should be."""


def expect(holds, what):
    if not holds:
        raise Failure(what)


def become(user, group):
    """Gives this process the rights of another user, if it is not to keep its own."""
    if user is not None:
        os.setgroups([])
        os.setgid(group)
        os.setuid(user)


def start_rank(folder, rank, word):
    """Starts a rank as the launcher does."""
    number, size = str(rank), "2"
    variables = {"GTS_GROUP_RANK": number, "GTS_GROUP_SIZE": size, "GTS_GROUP_FOLDER": str(folder)}
    pipe = subprocess.PIPE
    process = subprocess.Popen([GTS, *RUN], env={**os.environ, **variables}, stdin=pipe, stdout=pipe, stderr=pipe)
    process.stdin.write(word)
    process.stdin.close()
    process.stdin = None
    return process


def first_message(word):
    """Returns the first message of rank 1 of a group with this word."""
    with tempfile.TemporaryDirectory(prefix="gts-intruder-") as place, socket.socket(socket.AF_UNIX) as listener:
        os.chmod(place, 0o700)
        listener.bind(f"{place}/rank-0")
        listener.listen()
        listener.settimeout(30)
        rank = start_rank(place, 1, word)
        connection, _ = listener.accept()
        message = connection.recv(1024)
        connection.close()
        rank.kill()
        rank.communicate()
    expect(message[KIND] == HELLO and word in message, f"the first message of a rank: {message}")
    return message


class Intruder:
    """A process that connects to all ranks that it finds."""

    def __init__(self, temporary, message, user=None, group=None):
        self.ours, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=self.intrude, args=(temporary, message, user, group, theirs))
        self.process.start()

    @staticmethod
    def intrude(temporary, message, user, group, pipe):
        become(user, group)
        counts = {"attempts": 0, "connections": 0, "answers": 0}
        open_ones, known = [], set()
        while not pipe.poll():
            for name in os.listdir(temporary):
                for rank in range(RANKS):
                    path = f"{temporary}/{name}/rank-{rank}"
                    if path in known:
                        continue
                    connection = socket.socket(socket.AF_UNIX)
                    try:
                        connection.connect(path)
                    except FileNotFoundError:
                        connection.close()
                        continue
                    except OSError:
                        counts["attempts"] += 1
                        connection.close()
                        continue
                    known.add(path)
                    counts["attempts"] += 1
                    counts["connections"] += 1
                    # Every second one says nothing.
                    if counts["connections"] % 2:
                        connection.send(message)
                    open_ones.append(connection)
            for connection in select.select(open_ones, [], [], 0.001)[0]:
                try:
                    answer = connection.recv(1024)
                except OSError:
                    answer = b""
                counts["answers"] += len(answer) > KIND and answer[KIND] == HELLO
                open_ones.remove(connection)
                connection.close()
        pipe.send(counts)

    def end(self):
        self.ours.send("end")
        counts = self.ours.recv()
        self.process.join()
        return counts


def launch(folder, temporary, umask):
    """Returns the answer of a launch, and how long it took."""
    answer = folder / "levels.csv"
    answer.unlink(missing_ok=True)
    begun = time.monotonic()
    command = [GTS, "launch", "-n", str(RANKS), "--", *RUN, "--output", str(answer)]
    environment = {**os.environ, "TMPDIR": str(temporary), "RAYON_NUM_THREADS": "1"}
    done = subprocess.run(command, umask=umask, env=environment, capture_output=True, text=True, timeout=120)
    took = time.monotonic() - begun
    expect(done.returncode == 0, f"a launch fails: {done.stderr}")
    left = os.listdir(temporary)
    expect(not left, f"a launch leaves {left}")
    return answer.read_bytes(), took


def launches(folder, temporary, umask, intruders, number, whole):
    """Launches under the eyes of intruders. Returns the launches that failed."""
    others = [Intruder(temporary, *intruder) for intruder in intruders.values()]
    failed, times = 0, []
    for _ in range(number):
        try:
            answer, took = launch(folder, temporary, umask)
            expect(answer == whole, "the answer is another")
            times.append(took)
        except Failure as failure:
            failed += 1
            print(f"intruder: umask {umask:03o}: {failure}", flush=True)
            for left in temporary.iterdir():
                shutil.rmtree(left, ignore_errors=True)
    for name, other in zip(intruders, others):
        counts = other.end()
        print(
            f"umask {umask:03o}, {name}: {counts['attempts']} attempts, {counts['connections']} connections, "
            f"{counts['answers']} answered as a rank",
            flush=True,
        )
        failed += counts["answers"] > 0
    took = f"the median took {1000 * statistics.median(times):.0f} ms" if times else "none succeeded"
    print(f"umask {umask:03o}: {number} launches, {took}", flush=True)
    return failed


def opened_by_mistake(message):
    """Opens the folder of a rank that waits, and replays the first message of its group as another user."""
    with tempfile.TemporaryDirectory(prefix="gts-intruder-") as place:
        meet = Path(place) / "meet"
        meet.mkdir(mode=0o700)
        first = start_rank(meet, 0, WORD)
        path, until = meet / "rank-0", time.monotonic() + 30
        while not path.exists():
            expect(time.monotonic() < until, "a rank does not listen")
            time.sleep(0.001)
        for opened in (Path(place), meet, path):
            os.chmod(opened, 0o777)
        ours, theirs = multiprocessing.Pipe()

        def replay():
            become(STRANGER, STRANGER)
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(path))
                connection.settimeout(30)
                try:
                    connection.send(message)
                    theirs.send(connection.recv(1024))
                except (BrokenPipeError, ConnectionResetError):
                    theirs.send(b"")

        stranger = multiprocessing.Process(target=replay)
        stranger.start()
        expect(ours.poll(30), "the stranger is neither answered nor refused")
        answer = ours.recv()
        stranger.join()
        os.chmod(meet, 0o700)
        ranks = [first, start_rank(meet, 1, WORD)]
        said = [rank.communicate(timeout=60)[1] for rank in ranks]
        expect(answer == b"", f"a stranger with the word is answered: {answer}")
        expect([rank.returncode for rank in ranks] == [0, 0], f"the group does not form: {said}")


def made_by_another():
    """Starts a rank in a folder of another user."""
    with tempfile.TemporaryDirectory(prefix="gts-intruder-") as place:
        meet = Path(place) / "meet"
        meet.mkdir(mode=0o700)
        os.chown(meet, STRANGER, STRANGER)
        rank = start_rank(meet, 0, WORD)
        _, said = rank.communicate(timeout=60)
        expect(rank.returncode == 1 and b"belongs to another user" in said and b"next:" in said, f"it goes on: {said}")
        expect(not os.listdir(meet), "a socket is left")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, help="a sample that takes about so long")
    parser.add_argument("--launches", type=int, default=LAUNCHES, help="launches in all")
    arguments = parser.parse_args()
    multiprocessing.set_start_method("fork")
    is_root = os.geteuid() == 0
    if not is_root:
        print("intruder: not root, so other users are not tried")
    failed, total = 0, 0
    with tempfile.TemporaryDirectory(prefix="gts-intruder-") as place:
        folder = Path(place)
        os.chmod(folder, 0o755)
        temporary = folder / "temporary"
        temporary.mkdir()
        os.chmod(temporary, 0o1777)
        whole, took = launch(folder, temporary, 0o022)
        number = arguments.launches
        if arguments.seconds:
            number = min(number, max(len(UMASKS), int(arguments.seconds / took)))
        try:
            foreign = first_message(OTHER_WORD)
        except (Failure, TimeoutError, OSError) as failure:
            failed += 1
            foreign = b"GTSg" + bytes(36)
            print(f"intruder: {failure}", flush=True)
        intruders = {"this user without the word": (foreign,)}
        if is_root:
            intruders["another user"] = (foreign, STRANGER, STRANGER)
            intruders["another user of the same group"] = (foreign, STRANGER, os.getegid())
        for turn, umask in enumerate(UMASKS):
            share = number // len(UMASKS) + (turn < number % len(UMASKS))
            failed += launches(folder, temporary, umask, intruders, share, whole)
            total += share
    if is_root:
        for name, case in [
            ("the folder is opened by mistake", lambda: opened_by_mistake(first_message(WORD))),
            ("the folder is of another user", made_by_another),
        ]:
            total += 1
            try:
                case()
                print(f"{name}: refused", flush=True)
            except (Failure, TimeoutError, OSError) as failure:
                failed += 1
                print(f"intruder: {name}: {failure}", flush=True)
    print(f"intruder: {total} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    sys.exit(main())
