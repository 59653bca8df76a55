#!/usr/bin/env python3
"""Keeps a copy of the list in a database: follow.py URL FILE, with the key in LIST_KEY."""

import json
import os
import sqlite3
import sys
import time
import urllib.parse
import urllib.request


class Copy:
    """The subscribers, and the id of the last event that the copy contains."""

    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("CREATE TABLE IF NOT EXISTS people(id INTEGER PRIMARY KEY, snapshot, person)")
        self.db.execute("CREATE TABLE IF NOT EXISTS place(id INTEGER PRIMARY KEY, last)")

    @property
    def last(self):
        row = self.db.execute("SELECT last FROM place").fetchone()
        return row[0] if row else "snapshot"

    def apply(self, last, name, data):
        """Applies an event and stores its id, in one transaction; twice does no harm."""
        with self.db:
            if name == "snapshot.subscriber":
                self.put(data, last.partition(".")[0])
            elif name == "snapshot.end":
                # Who was not named is no longer on the list.
                self.db.execute("DELETE FROM people WHERE snapshot IS NOT ?", (last,))
            elif name in ("subscriber.expired", "subscriber.erased"):
                person = data["data"]["subscriber"]
                self.db.execute("DELETE FROM people WHERE id = ?", (person["id"],))
            elif name.startswith(("subscriber.", "mail.")):
                person = data["data"]["subscriber"]
                # Without an address, the event that deletes the subscriber follows.
                if person["address"] is not None:
                    self.put(person, None)
            self.db.execute("INSERT OR REPLACE INTO place VALUES (1, ?)", (last,))

    def put(self, person, snapshot):
        row = (person["id"], snapshot, json.dumps(person))
        self.db.execute("INSERT OR REPLACE INTO people VALUES (?, ?, ?)", row)


def follow(url, copy):
    """Reads one stream until it ends."""
    query = urllib.parse.urlencode({"last_event_id": copy.last})
    request = urllib.request.Request(f"{url}/api/events/stream?{query}")
    request.add_header("Authorization", f"Bearer {os.environ['LIST_KEY']}")
    with urllib.request.urlopen(request, timeout=60) as stream:
        fields = {}
        for line in stream:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                fields[name] = value
            elif "data" in fields:
                copy.apply(fields["id"], fields["event"], json.loads(fields["data"]))
                fields = {}


if __name__ == "__main__":
    copy = Copy(sys.argv[2])
    while True:
        try:
            follow(sys.argv[1], copy)
        except (OSError, ValueError) as error:
            print(f"follow: {error}", file=sys.stderr)
        time.sleep(1)
