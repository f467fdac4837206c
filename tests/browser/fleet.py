# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a fleet, in a real browser: it shows the rows of the reports, lists are filtered, a click leads
from a cluster to its dumps and to one of them, and it needs no network."""
import json
import os
import shutil
import sqlite3
import subprocess

from fleet.crashes import CAUSES, Crash, capsule_of

SEEDS = 100, 101
ABOUT = '''
return Object.fromEntries([...document.querySelectorAll('#d-about dt')].map(dt =>
    [dt.textContent, dt.nextSibling.textContent]));'''
FILTER = '''
const input = document.querySelector(arguments[0] + ' input');
input.value = arguments[1];
input.dispatchEvent(new Event('input'));'''
HOSTILE = 'a </script><b id=evil>\u202e'


def made(d, program, build):
    """The fleet, one of whose machines has a name that is markup; and its page."""
    shutil.rmtree(d, ignore_errors=True)
    for cause in CAUSES:
        for seed in SEEDS:
            capsule_of(program, build, Crash(cause, seed), f'{cause}/{seed}', d)
    fleet, page = os.path.join(d, 'fleet.sqlite'), os.path.join(d, 'fleet.html')
    subprocess.run([program, 'merge', d + '/caps', '-o', fleet], check=True)
    with sqlite3.connect(fleet) as db:
        for i, (number,) in enumerate(db.execute('SELECT _id FROM _dumps ORDER BY dump_id').fetchall()):
            db.execute('UPDATE _dump SET crash_time = ?, nodename = ? WHERE _of = ?',
                       (1700000000 + 90000 * i, f'm{i}' if i else HOSTILE, number))
    subprocess.run([program, 'html', fleet, '-o', page], check=True)
    return fleet, page


def rows_of(program, report, fleet):
    return json.loads(subprocess.run([program, report, fleet, '-f', 'json'], stdout=subprocess.PIPE,
                                     check=True).stdout)['rows']


def look(page, program, build, scratch):
    """PAGE: report.Page, with its browser."""
    fleet, path = made(os.path.join(scratch, 'fleet'), program, build)
    want = rows_of(program, 'clusters', fleet)
    page.b.open(path)
    dumps = page.rows('#d-dumps')
    page.equal('all dumps', len(dumps), len(CAUSES) * len(SEEDS))
    page.check('a name is no markup', ['there is an element'] if page.b.run(
        'return document.querySelector("#evil") !== null') else [])
    page.b.run(FILTER, '#d-dumps', 'ext4_da_write')
    page.equal('the filter', {r['function'] for r in page.rows('#d-dumps')}, {'ext4_da_write_begin'})
    page.b.run(FILTER, '#d-dumps', '')
    page.tab('clusters')
    shown = page.rows('#c-clusters')
    page.equal('clusters: dumps, cause, function', [(r['dumps'], r['cause'], r['function']) for r in shown],
               [(str(r['dumps']), r['cause'] or '-', r['function'] or '-') for r in want])
    page.b.click('#c-clusters tr[data-key="0"]')
    members = page.rows('#c-dumps')
    page.equal('the dumps of a cluster', sorted(r['id'][:12] for r in members), sorted(want[0]['members'].split(' ')))
    page.b.click(f'#c-dumps tr[data-key="{members[0]["key"]}"]')
    about = page.b.run(ABOUT)
    page.equal('one dump', (about.get('identity'), about.get('own page')),
               (members[0]['id'], members[0]['id'].replace('.vmc', '') + '.html'))
    page.check('the address names it', [] if members[0]['id'] in page.b.run('return location.hash') else ['no'])
    page.tab('trends')
    page.equal('crashes over time', page.b.run(
        'return [...document.querySelectorAll(".bar i")].reduce((s, i) => s + Number(i.dataset.n), 0)'), len(dumps))
    page.equal('what a release changed', {r['release'] for r in page.rows('#t-regress')},
               {r['release'] for r in rows_of(program, 'regress', fleet)})
    page.check('nothing is complained about', page.b.complaints())
    page.check('no network', [r for r in page.b.requests() if not r.startswith(('file:', 'data:'))])
