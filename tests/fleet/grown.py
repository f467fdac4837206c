# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules by the thousand: copies of others, with identities of their own, rows that differ, and causes of their own.

grown.py N TO CAPSULE...    N copies in the directory TO. Every second one has a cause that no other has; three in a
row are of one machine, a later and a later dump of it."""
import hashlib
import os
import random
import shutil
import sqlite3
import sys

LETTERS = 'abcdefghijklmnopqrstuvwxyz'
PAGE = 4096


def word(rng):
    return ''.join(rng.choice(LETTERS) for _ in range(9))


def columns(db):
    """{table: its columns} of all that is stored."""
    return {name: {c[1] for c in db.execute(f'PRAGMA table_info("{name}")')}
            for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()}


def place(there, table, column):
    """(where COLUMN of TABLE is stored, what numbers the rows there): in it, or in a set of it; None."""
    for name in (table, '_' + table, *(f'_{table}_{i}' for i in range(1, 33))):
        if column in there.get(name, ()):
            return name, 'row' if 'row' in there[name] else '_id'
    return None


def own_rows(db, there, rng):
    """What differs from crash to crash of one machine: addresses, times, and what things cost."""
    for table, column in (('vmas', 'start'), ('vmas', 'end'), ('tasks', 'addr')):
        at = place(there, table, column)
        if at:
            db.execute(f"""UPDATE "{at[0]}" SET "{column}" = substr("{column}", 1, 6) || ? || substr("{column}", 10)
                           WHERE typeof("{column}") = 'text' AND length("{column}") > 9""", (f'{rng.randrange(4096):03x}',))
            db.execute(f"""UPDATE "{at[0]}" SET "{column}" = "{column}" + ? * {PAGE} WHERE typeof("{column}") = 'integer'""",
                       (rng.randrange(1 << 20),))
    for table, column in (('slab', 'memory'), ('costs', 'pss'), ('census', 'size'), ('vmas', 'pss')):
        at = place(there, table, column)
        if at:
            db.execute(f'UPDATE "{at[0]}" SET "{column}" = "{column}" / {PAGE} * (90 + ({at[1]} * ?) % 21) / 100 * {PAGE}',
                       (rng.randrange(1, 99),))
    for column, sql in (('ts', 'ts + abs(?) % 1000000'), ('text', "CASE {} % 10 WHEN abs(?) % 10 THEN text || ' word' ELSE text END")):
        at = place(there, 'dmesg', column)
        if at:
            db.execute(f'UPDATE "{at[0]}" SET "{column}" = ' + sql.format(at[1]).replace('word', word(rng)), (rng.randrange(10 ** 6),))


def own_cause(db, there, rng):
    message, calls = f'kernel BUG at {word(rng)}.c!', [word(rng) for _ in range(8)]
    db.execute('UPDATE "dump" SET panic = ?', (message,))
    if 'panic' in there:                # a panic has few rows: they are in no set
        db.execute('DELETE FROM panic')
        db.executemany('INSERT INTO panic (row, "from", reliable, name, function, reason) VALUES (?, ?, 1, ?, ?, ?)',
                       [(i + 1, 'log', c, c, message) for i, c in enumerate(calls)])
        db.execute("UPDATE reports SET rows = 8 WHERE report = 'panic'")


def grow(source, to, number):
    """A copy of SOURCE, the NUMBERth, in the directory TO; its path."""
    name = hashlib.sha256(f'grown {number}'.encode()).hexdigest()
    path, rng = os.path.join(to, name + '.vmc'), random.Random(number)
    shutil.copyfile(source, path)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute('PRAGMA journal_mode = OFF')
    db.execute('PRAGMA synchronous = OFF')
    db.execute('BEGIN')
    there = columns(db)
    # rows are altered: digests would be of those before
    db.execute('DROP TABLE IF EXISTS digests')
    db.execute("UPDATE capsule SET value = min(value, 4) WHERE key = 'schema_version'")
    db.execute("INSERT OR REPLACE INTO capsule VALUES ('id', ?)", (name,))
    when = 1600000000 + number * 3600
    db.execute('UPDATE "dump" SET nodename = ?, crash_time = ?, uptime = ?', (f'machine{number // 3}', when, (number % 3 + 1) * 3600 * 10 ** 9))
    own_rows(db, there, rng)
    if number % 2:
        own_cause(db, there, rng)
    db.execute('COMMIT')
    db.close()
    return path


def grow_all(sources, to, first, n):
    """N of them, from the FIRSTth on."""
    os.makedirs(to, exist_ok=True)
    return [grow(sources[i // 3 % len(sources)], to, i) for i in range(first, first + n)]


if __name__ == '__main__':
    grow_all(sorted(sys.argv[3:]), sys.argv[2], 0, int(sys.argv[1]))
