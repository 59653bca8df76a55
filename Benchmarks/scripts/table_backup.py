"""A backup of a long list while people sign up, its restoration, and a backup that is killed."""

import os
import re
import subprocess
import time
from dataclasses import dataclass
from statistics import median

import contenders
import databases
import wrk
from failure import MeasurementFailed
from figures import markdown, middle

# With a pause of 12 ms and a response within a millisecond, this makes about 10,000 sign-ups a second.
CONNECTIONS = 128
PAUSE_MILLISECONDS = 12
# wrk is stopped when the backup is complete.
LONGEST_SECONDS = 600


@dataclass(frozen=True)
class Round:
    """The results of one round."""

    before: wrk.Load  # without a backup
    during: wrk.Load
    backup_seconds: float
    megabytes: float
    verify_seconds: float
    restore_seconds: float
    start_milliseconds: float  # of a service with the restored list
    after_kill: str  # which file is there
    is_complete: bool  # whether the backup has every sign-up that was stored before


def measure(run):
    """Returns the table, with LOST where a backup lacks a sign-up."""
    run.say(f"storing {run.people:,} sign-ups")
    seed = run.seeds.copy(run.seeds.enlist)
    databases.grow(seed, run.people)
    rounds = []
    for _ in range(run.rounds):
        rounds.append(_measure_round(run, run.seeds.copy(seed)))
        last = rounds[-1]
        run.say(f"backup: {last.backup_seconds:.1f} s at {last.during.per_second:.0f} sign-ups/s, "
                f"restored in {last.restore_seconds:.1f} s, {last.after_kill} file after kill -9"
                f"{'' if last.is_complete else ', LOST'}")
    databases.remove(seed)
    return _table(run.people, rounds)


def _measure_round(run, path):
    backup = f"{path}.backup"
    restored = f"{path}.restored"
    with contenders.enlist(run.programs, path, run.slow_disk) as server:
        before = _load(server, run.seconds, "before").load()
        with _load(server, LONGEST_SECONDS, "during") as running:
            time.sleep(1)
            stored = databases.count(path)
            backup_seconds = _seconds(_command(run, "backup", backup, "--database", f"sqlite:{path}"))
            during = running.stop()
        if before.rejections or during.rejections:
            raise MeasurementFailed(f"{server.name} rejected sign-ups during a backup")
        verify_seconds, people = _verify(run, backup)
        is_complete = people >= stored
        with _load(server, LONGEST_SECONDS, "killed") as running:
            after_kill = _kill(run, path, backup, backup_seconds / 2, people)
            running.stop()
    megabytes = os.path.getsize(backup) / 1e6
    _, people = _verify(run, backup)
    restore_seconds = _seconds(_command(run, "restore", backup, "--database", f"sqlite:{restored}"))
    with contenders.enlist(run.programs, restored) as server:
        if server.status("POST", "/subscribers", '{"email":"after@example.com"}') != 202:
            raise MeasurementFailed("the restored service rejected a sign-up")
        start_milliseconds = server.start_milliseconds
    is_complete = is_complete and databases.count(restored) == people + 1
    for file in (path, backup, restored):
        databases.remove(file)
    return Round(before, during, backup_seconds, megabytes, verify_seconds, restore_seconds,
                 start_milliseconds, after_kill, is_complete)


def _load(server, seconds, name):
    return wrk.Running(server, "/subscribers", CONNECTIONS, seconds, "sign_up.lua",
                       [name, str(PAUSE_MILLISECONDS)])


def _command(run, *arguments):
    """Returns a function that runs the program, which must succeed, and returns its output."""
    return lambda: subprocess.run(
        [run.programs.enlist, *arguments], check=True, stdout=subprocess.PIPE, text=True,
        env=os.environ | run.slow_disk,
    ).stdout


def _seconds(action):
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def _verify(run, backup):
    """Verifies a file, and returns the seconds and the number of subscribers."""
    begin = time.perf_counter()
    output = _command(run, "verify", backup)()
    seconds = time.perf_counter() - begin
    return seconds, int(re.match(r"intact: (\d+) subscribers? ", output).group(1))


def _kill(run, path, backup, seconds, people):
    """Kills another backup to the same file in the middle, and returns which file is there then."""
    process = subprocess.Popen(
        [run.programs.enlist, "backup", backup, "--database", f"sqlite:{path}"],
        stdout=subprocess.DEVNULL,
    )
    time.sleep(seconds)
    process.kill()
    process.wait()
    _, people_after = _verify(run, backup)
    if people_after < people:
        raise MeasurementFailed("a killed backup left neither the old file nor the new one")
    return "old" if people_after == people else "new"


def _table(people, rounds):
    def column(value):
        return middle([value(result) for result in rounds])

    seconds = [result.backup_seconds for result in rounds]
    row = [
        f"{people:,}",
        column(lambda result: result.before.per_second),
        column(lambda result: result.during.per_second),
        column(lambda result: result.before.p99_milliseconds),
        column(lambda result: result.during.p99_milliseconds),
        f"{median(seconds):.1f} ({min(seconds):.1f}–{max(seconds):.1f})",
        column(lambda result: result.megabytes),
        column(lambda result: result.verify_seconds),
        column(lambda result: result.restore_seconds),
        column(lambda result: result.start_milliseconds),
        " ".join(sorted({result.after_kill for result in rounds})),
        "all" if all(result.is_complete for result in rounds) else "**LOST**",
    ]
    return markdown(
        ["people", "sign-ups/s", "during", "p99 ms", "during", "backup s", "MB", "verify s",
         "restore s", "ms to first response", "after kill -9", "stored"],
        [row],
    )
