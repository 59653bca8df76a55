"""Sign-ups of an address in each state of the list, one at a time on one connection.

A stranger who measures these times must not learn whether an address is on the list. Each turn signs up
one address in every state, in random order, so that each has the same neighbors. The relay is
unavailable: nothing but the sign-ups is written.
"""

import json
import random
import socket
import sqlite3
import subprocess
import time
from statistics import median, quantiles

import contenders
import databases
from failure import MeasurementFailed
from figures import markdown, number
from relay import Relay

NEW = "new"
DAY = 86_400_000
PAUSE = 0.2  # seconds until the relay is known to be unavailable

# The columns of a listed subscriber: state, suppression, and how many days ago they confirmed, left and
# were suppressed.
LISTED = {
    "pending": (0, None, None, None, None),
    "subscribed": (1, None, 80, None, None),
    "unsubscribed, once confirmed": (2, None, 80, 2, None),
    "unsubscribed, never confirmed, recently": (2, None, None, 2, None),
    "unsubscribed, never confirmed": (2, None, None, 60, None),
    "suppressed: bounce, recently": (3, 1, None, None, 2),
    "suppressed: bounce": (3, 1, None, None, 60),
    "suppressed: complaint": (3, 2, None, None, 60),
    "suppressed: operator": (3, 3, None, None, 60),
    "suppressed: objected": (3, 4, None, None, 60),
}

# Addresses that are suppressed without being on the list, by the reason of `enlist suppress`.
UNLISTED = {
    "not listed, suppressed: bounce": "hard_bounce",
    "not listed, suppressed: complaint": "complaint",
}
UNLISTED_COUNT = 2_000


def measure(run):
    """Returns the table."""
    samples = {state: [] for state in (NEW, *LISTED, *UNLISTED)}
    for _ in range(run.rounds):
        path = run.seeds.copy(run.seeds.enlist)
        addresses = _prepare(run, path)
        with (
            Relay(run.programs, "away", "--refuse") as relay,
            contenders.enlist_with_mail(run.programs, path, relay, run.slow_disk) as server,
        ):
            _measure_turns(server, addresses, run.seconds, samples)
        databases.remove(path)
        run.say(f"states: {len(samples[NEW])} of each")
    return _table(samples)


def _prepare(run, path):
    """Brings the stored addresses into the states, and returns unused addresses of each."""
    now = time.time_ns() // 1_000_000
    database = sqlite3.connect(path)
    addresses = {}
    with database:
        for index, (state, columns) in enumerate(LISTED.items()):
            number_of_state, suppression, *days = columns
            times = [None if day is None else now - day * DAY for day in days]
            database.execute(
                "UPDATE subscribers SET state = ?, suppression = ?, confirmed_at = ?,"
                " unsubscribed_at = ?, suppressed_at = ? WHERE id % ? = ?",
                (number_of_state, suppression, *times, len(LISTED), index),
            )
            addresses[state] = [row[0] for row in database.execute(
                "SELECT address FROM subscribers WHERE id % ? = ?", (len(LISTED), index)
            )]
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    # Like the stored ones: unordered, and of the same length.
    begin = databases.STORED_BEFORE + 1
    for state, reason in UNLISTED.items():
        addresses[state] = _new_addresses(begin, UNLISTED_COUNT)
        begin += UNLISTED_COUNT
        subprocess.run(
            [run.programs.enlist, "suppress", "-", "--reason", reason,
             "--database", f"sqlite:{path}"],
            input="\n".join(addresses[state]) + "\n", text=True, check=True,
            stdout=subprocess.DEVNULL,
        )
    addresses[NEW] = _new_addresses(begin, databases.STORED_BEFORE)
    for listed in addresses.values():
        random.shuffle(listed)
    return addresses


def _new_addresses(begin, count):
    return [databases.address(number) for number in range(begin, begin + count)]


def _measure_turns(server, addresses, seconds, samples):
    """Signs up addresses for a time, or until those of a state are used up."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _sign_up(connection, server.port, addresses[NEW].pop())
        time.sleep(PAUSE)
        end = time.perf_counter() + seconds
        states = list(samples)
        while time.perf_counter() < end and all(addresses.values()):
            random.shuffle(states)
            turn = {state: _sign_up(connection, server.port, addresses[state].pop())
                    for state in states}
            for state, nanoseconds in turn.items():
                samples[state].append(nanoseconds / 1000)


def _sign_up(connection, port, address):
    """Signs an address up, and returns the nanoseconds until the response."""
    body = json.dumps({"email": address})
    request = (f"POST /subscribers HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
               f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()
    begin = time.perf_counter_ns()
    connection.sendall(request)
    response = connection.recv(4096)
    elapsed = time.perf_counter_ns() - begin
    if not response.startswith(b"HTTP/1.1 202 "):
        raise MeasurementFailed(f"enlist rejected a sign-up:\n{response.decode(errors='replace')}")
    # The response is short; the rest of it, if there is one, arrives with it.
    while not response.rstrip().endswith(b"}}"):
        response += connection.recv(4096)
    return elapsed


def _table(samples):
    rows = []
    for state, times in samples.items():
        longer = sum(time > new for time, new in zip(times, samples[NEW], strict=True))
        rows.append([
            state, number(median(times)), number(quantiles(times, n=10)[8]),
            "–" if state == NEW else f"{100 * longer / len(times):.0f} %",
        ])
    return markdown(["state", "median µs", "p90 µs", "longer than a new address"], rows)
