"""Databases filled with sign-ups, because inserting into a large index costs more."""

import os
import shutil
import sqlite3

import contenders

STORED_BEFORE = 100_000
STORED_AT = 1_790_000_000_000  # milliseconds since 1970


class Seeds:
    """One database per schema, made once and copied for each start."""

    def __init__(self, programs, folder):
        self._folder = folder
        self._copies = 0
        self.enlist = os.path.join(folder, "enlist-seed.sqlite")
        self.floor = os.path.join(folder, "floor-seed.sqlite")
        # Each program creates its own schema.
        contenders.enlist(programs, self.enlist).stop()
        contenders.sign_up_floor(programs, self.floor).stop()
        _fill(self.enlist, _insert_for_enlist, 1, STORED_BEFORE)
        _fill(self.floor, _insert_for_floor, 1, STORED_BEFORE)

    def copy(self, seed):
        """Makes a fresh copy of `enlist` or `floor` and syncs it to disk."""
        self._copies += 1
        path = os.path.join(self._folder, f"copy-{self._copies}.sqlite")
        shutil.copyfile(seed, path)
        # Its write-back must not happen during a measurement.
        descriptor = os.open(path, os.O_RDWR)
        os.fsync(descriptor)
        os.close(descriptor)
        return path


def count(path, table="subscribers"):
    """Counts the rows of a table in a database that may be in use."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    finally:
        database.close()


def remove(path):
    """Removes a database, its log and its locks."""
    for suffix in ("", "-wal", "-shm", "-lock", "-relay"):
        if os.path.exists(path + suffix):
            os.remove(path + suffix)


def address(number):
    """Makes the address of a number; those of successive numbers are unordered."""
    spread = number * 2654435761 % 2**32
    return f"{spread:08x}.0.{number}@before.example.com"


def grow(path, people):
    """Adds subscribers to a copy of the seed for Enlist, which is not in use."""
    _fill(path, _insert_for_enlist, STORED_BEFORE + 1, people)


def _fill(path, insert, first, last):
    database = sqlite3.connect(path)
    # Half a gigabyte: otherwise each page would be written to the log many times.
    database.execute("PRAGMA cache_size = -524288")
    with database:
        for number in range(first, last + 1):
            insert(database, number, address(number))
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def _insert_for_enlist(database, number, address):
    database.execute(
        "INSERT INTO subscribers(id, address, address_key, state, created_at, updated_at)"
        " VALUES (?1, ?2, ?2, 0, ?3, ?3)",
        (number, address, STORED_AT),
    )
    # Execution ids start with the time.
    identifier = (STORED_AT + number).to_bytes(6, "big") + os.urandom(16)
    database.execute(
        "INSERT INTO consents(id, subscriber_id, kind, at, ip, user_agent)"
        " VALUES (?, ?, 'requested', ?, '127.0.0.0', 'benchmark')",
        (identifier, number, STORED_AT),
    )


def _insert_for_floor(database, number, address):
    seconds = STORED_AT // 1000
    database.execute(
        "INSERT INTO subscribers VALUES (?1, ?2, 0, ?3, ?3)", (number, address, seconds)
    )
    database.execute("INSERT INTO consents VALUES (?1, ?1, 1, ?2)", (number, seconds))
