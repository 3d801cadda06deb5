"""Reads results databases of assay. Needs nothing but Python.

    import assay_results

    with assay_results.open("results.db") as db:
        for device in db.devices():
            for result in db.current(device):
                if result.failed:
                    print(result.case_name, result.status, result.message)

Rows are named tuples with the columns of the view that they come from (README.md and schema.sql beside this file explain them);
columns that are 0 or 1 are booleans. What cannot be read is an assay_results.Error, whose text says why.
"""
import collections
import os
import sqlite3
import urllib.parse

__all__ = ["Database", "Error", "SCHEMA_VERSION", "open"]

APPLICATION_ID = 0x61736179  # "asay"
SCHEMA_VERSION = 9
FLAGS = {"partial", "whole_plan", "shared_validation", "half", "failed", "flaky", "slow", "compared", "known", "not_run"}


class Error(Exception):
    """The database cannot be read, or has no such run or device."""


class Database:
    """A results database, opened for reading. A run that is being made may go on writing to it."""

    def __init__(self, path):
        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            raise Error("%s: no such file" % self.path)
        if not os.path.isfile(self.path):
            raise Error("%s: not a plain file; expected a results database of assay" % self.path)
        try:
            # Opened, a database that is no database is not yet an error: it is read first below.
            self._connection = sqlite3.connect("file:%s?mode=ro" % urllib.parse.quote(os.path.abspath(self.path)), uri=True)
        except sqlite3.Error as error:
            raise Error("%s: %s" % (self.path, error)) from error
        try:
            # The database may be a stranger's: its views run no functions that could do harm.
            self._connection.execute("PRAGMA trusted_schema = OFF")
            (application,), = self._query("PRAGMA application_id")
            (version,), = self._query("PRAGMA user_version")
            if application != APPLICATION_ID:
                raise Error("%s: not a results database of assay" % self.path)
            if version != SCHEMA_VERSION:
                raise Error("%s: schema version %d; this module reads version %d" % (self.path, version, SCHEMA_VERSION))
            for view in ("runs", "results", "current_runs", "current_results", "current_conformance"):
                self._query("SELECT * FROM %s LIMIT 0" % view)
        except Error:
            self.close()
            raise

    def close(self):
        self._connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def runs(self):
        """All runs, the oldest first: view `runs`."""
        return self._rows("Run", "SELECT * FROM runs ORDER BY run_id")

    def run(self, run_id):
        """One run."""
        found = list(self._rows("Run", "SELECT * FROM runs WHERE run_id = ?", run_id))
        if not found:
            raise Error("%s: no run %s" % (self.path, run_id))
        return found[0]

    def results(self, run_id):
        """The result of each case of a run, by name: view `results`."""
        self.run(run_id)
        return self._rows("Result", "SELECT * FROM results WHERE run_id = ? ORDER BY case_name", run_id)

    def failures(self, run_id):
        """The results that make a run fail."""
        self.run(run_id)
        return self._rows("Result", "SELECT * FROM failures WHERE run_id = ? ORDER BY case_name", run_id)

    def devices(self):
        """The names of the devices that have a state, as given with -d."""
        return [name for (name,) in self._query("SELECT device FROM current_runs ORDER BY run_id")]

    def current(self, device):
        """The state of a device: the newest verdict on each case, by name: view `current_results`."""
        return self._rows("Result", "SELECT * FROM current_results WHERE as_of = ? ORDER BY case_name", self._newest(device))

    def conformance(self, device):
        """What the state of a device says of each feature level and operator: view `current_conformance`."""
        return self._rows("Conformance", "SELECT * FROM current_conformance WHERE as_of = ? ORDER BY feature_level, operator",
                          self._newest(device))

    def _newest(self, device):
        found = self._query("SELECT run_id FROM current_runs WHERE device = ?", device)
        if not found:
            raise Error("%s: no run of the device %r" % (self.path, device))
        return found[0][0]

    def _execute(self, sql, values):
        try:
            return self._connection.execute(sql, values)
        except sqlite3.Error as error:
            raise self._wrong(error) from error

    def _wrong(self, error):
        text = str(error)
        if text.startswith("file is not a database"):
            return Error("%s: not a results database of assay" % self.path)
        if text.startswith(("no such table", "no such column", "malformed database schema")):
            return Error("%s: its schema is not assay's: %s" % (self.path, text))
        return Error("%s: %s" % (self.path, text))

    def _query(self, sql, *values):
        cursor = self._execute(sql, values)
        try:
            return cursor.fetchall()
        except sqlite3.Error as error:
            raise self._wrong(error) from error

    def _rows(self, kind, sql, *values):
        """Yields rows as named tuples, so that a large result need not be in memory."""
        cursor = self._execute(sql, values)
        names = [column[0] for column in cursor.description]
        make = collections.namedtuple(kind, names)
        flags = [i for i, name in enumerate(names) if name in FLAGS]

        def rows():
            try:
                for values in cursor:
                    values = list(values)
                    for i in flags:
                        values[i] = bool(values[i])
                    yield make._make(values)
            except sqlite3.Error as error:
                raise self._wrong(error) from error
        return rows()


def open(path):
    """Opens a results database for reading."""
    return Database(path)
