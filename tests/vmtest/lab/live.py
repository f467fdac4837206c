# SPDX-License-Identifier: GPL-3.0-or-later
"""vmcensus inside the guest, on the kernel that runs it."""
import functools
import json
import os
import re
import shutil

from lib.compare import compare_processes, compare_text, representatives
from lib.program import Vmcensus, by_pid, last_line
from .packages import LabError, run

COMMANDS = {        # name of the file that takes the answer -> report and options
    'smaps': ['smaps', 'live', '-v'],
    'procs.json': ['-f', 'json', 'procs', 'live'],
    'vmas.json': ['-f', 'json', 'vmas', 'live'],
    'check': ['check', 'live'],
    'summary': ['summary', 'live'],
    'census.json': ['-f', 'json', 'census', 'live'],
    'holders': ['census', '--holders', 'live'],
}
TORN = {'census.json', 'holders'}   # a list that changes while it is read is told: exit status 2
COMPLAINTS = re.compile(rb'(?<!RETBleed: )WARNING:|BUG:(?! KCSAN)|Oops|general protection|rcu.*stall|'
                        rb'hung task|blocked for more than')
DEVICES = ['vmcensus', 'vmcensus-text']


def copy_program(path, into, root='', ldd=('ldd',)):
    """A program or plug-in of ROOT and every library that it needs; the loader is named ld.so."""
    run('strip', '-o', os.path.join(into, os.path.basename(path)), root + path)
    for line in run(*ldd, path).splitlines():
        found = re.search(r'(/\S+)', line)
        if found:
            name = os.path.basename(found[1])
            shutil.copy(root + found[1], f'{into}/{"ld.so" if name.startswith("ld-") else name}')


def folder(program, into, add_module):
    """Fill INTO with the module and what to do, and with PROGRAM and every library that it needs.

    PROGRAM "": this host's is of no use there.
    """
    shutil.rmtree(into, ignore_errors=True)
    os.makedirs(into)
    if program:
        add_program(program, into)
    with open(into + '/modules', 'w') as f:
        f.write('vmcensus.ko\n')
    with open(into + '/read', 'w') as f:
        f.writelines(f'/dev/{name}\n' for name in DEVICES)
    add_module(into)
    return into


def add_program(program, into):
    copy_program(program, into)
    with open(into + '/commands', 'w') as f:
        for name, words in COMMANDS.items():
            f.write(' '.join([name, '/lab/live/vmcensus'] + words) + '\n')


class Answers:
    """What the guest's vmcensus said, asked as if it ran here (see Vmcensus)."""

    def __init__(self, truth, prefix=''):
        self.dir = truth.folder + '/live/' + prefix

    @functools.cached_property
    def parts(self):
        return by_pid(self.read('smaps'))

    def has(self, name):
        return os.path.exists(self.dir + name)

    def read(self, name):
        try:
            with open(self.dir + name, 'rb') as f:
                return f.read()
        except FileNotFoundError:
            raise LabError(f'the guest left no live/{name}') from None

    def status(self, name):
        return int(self.read(name + '.status')), last_line(self.read(name + '.err'))

    def __call__(self, report, *options, front=()):
        return 0, self.parts.get(int(options[1]), b''), b''

    def rows(self, report, *options):
        try:
            return json.loads(self.read(report + '.json'))['rows'], ''
        except (ValueError, KeyError) as e:
            return None, f'{type(e).__name__} {e}: {self.status(report + ".json")}'

    def knows(self, fact):
        return True


def compare_module(tally, name, program, truth):
    """The module's files, read on this host, compared with the same."""
    answers = Answers(truth)
    status = answers.read('vmcensus.ko.status')
    tally.check(f'{name} module loads', [] if status == b'0' else [f'errno {status.decode()}'])
    binary, text = (Vmcensus(program, [answers.dir + device]) for device in DEVICES)
    frozen = truth.frozen()
    some = list(representatives(frozen))
    # the module does not record what the score needs beside memory
    tally.check(f'{name} module procs', compare_processes(binary, frozen, but={'oom_score'}),
                f'{len(frozen)} processes')
    tally.check(f'{name} module maps', compare_text(binary, some, 'maps'), f'{len(some)} processes')
    # That the CPU has protection keys is in no record, nor the settings of huge pages.
    unknown = (b'ProtectionKey', b'THPeligible')
    # Nor that processes share a table of hugetlb: what one maps there is private in a capture.
    known = [p for p in some if not p.comm.startswith(b'zoo-table')]
    tally.check(f'{name} module smaps', compare_text(binary, known, 'smaps', unknown),
                f'{len(known)} processes')
    # Whoever shares an mm is a thread to the text.
    own = [p for p in frozen if p.comm != b'zoo-mm-sharer']
    tally.check(f'{name} module text procs', compare_processes(text, own, only={'rss'}),
                f'{len(own)} processes')
    tally.check(f'{name} kernel log', kernel_complaints(answers.read('dmesg')))


SAME = {        # report -> what names a row, and what all sources must say of it alike
    'procs': (('pid',), ('rss', 'pss', 'uss', 'swap')),
    'vmas': (('pid', 'start', 'end'), ('rss', 'pss', 'uss', 'swap', 'name')),
}


# The census itself is a process that maps a page of the vdso, which all others map too.
SLACK = {'live': 1024}


def by_key(vmcensus, report, pids):
    """{key: values} of the rows of these processes."""
    key, values = SAME[report]
    rows, why = vmcensus.rows(report)
    if rows is None:
        raise LabError(why)
    return {tuple(row[c] for c in key): {c: row[c] for c in values}
            for row in rows if row['pid'] in pids}


def same(want, got, slack):
    """Are the values of a row the same, pss to within SLACK bytes?"""
    return want and got and all(abs(want[c] - got[c]) <= slack if c == 'pss' else want[c] == got[c]
                                for c in want)


def compare_sources(tally, name, program, truth, vmcore, types=None):
    """The module, /proc/kcore and a dump of one machine that stood still tell the same."""
    pids = {p.pid for p in truth.frozen()}
    answers = Answers(truth)
    sources = {'module': Vmcensus(program, [answers.dir + DEVICES[0]])}
    if answers.has('smaps'):
        sources['live'] = answers
    for report in SAME:
        want = by_key(Vmcensus(program, [vmcore], types), report, pids)
        for source, vmcensus in sources.items():
            got = by_key(vmcensus, report, pids)
            differences = [f'{key}: dump {want.get(key)}, {source} {got.get(key)}'
                           for key in sorted(want.keys() | got.keys())
                           if not same(want.get(key), got.get(key), SLACK.get(source, 0))]
            tally.check(f'{name} {report}: {source} = dump', differences, f'{len(want)} rows')
    if answers.has('census.json'):
        (rows, why), (known, _) = answers.rows('census'), Vmcensus(program, [vmcore], types).rows('census')
        if rows is None or known is None:
            raise LabError(why)
        compare_census_of(tally, name, rows, known)


# Classes of which the program that looks, and the recorder, take and give back much; and others.
# What they give back lies on the lists of CPUs first, 64 MiB of it on 7.3: one class with free memory.
# Pages that nobody holds in a way that is known come and go with the load: 116 to 464 in dumps of one guest.
CENSUS_SLACK = dict.fromkeys(('free', 'anonymous', 'file', 'file mapped'), 48 << 20) | {'unknown': 4 << 20}
CENSUS_SLACK_OF_OTHERS = 1 << 20


def compare_census_of(tally, name, source, want):
    """Rows of both: all of RAM, in classes of about the same size."""
    size, known = ({row['class']: row['size'] for row in rows} for rows in (source, want))
    for each in size, known:
        each['free'] += each.pop('free on CPUs', 0)
    all_of = sum(size.values()), sum(known.values())
    wrong = [] if all_of[0] == all_of[1] else [f'{all_of[0]} bytes in all, dump {all_of[1]}']
    wrong += [f'{what}: {size.get(what, 0)} bytes, dump {known.get(what, 0)}'
              for what in size.keys() | known.keys()
              if abs(size.get(what, 0) - known.get(what, 0)) >
              CENSUS_SLACK.get(what, CENSUS_SLACK_OF_OTHERS)]
    tally.check(f'{name} census: live = dump', wrong, f'{len(size)} classes')


def compare_stress(tally, name, truth, said, has_types):
    """The module was loaded, read and unloaded all the time: did the kernel mind?  SAID: Machine.said."""
    rounds, probed = said(r'LAB-STRESS (\d+) rounds'), said(r'LAB-PROBED (.*)')
    tally.check(f'{name} rounds', [] if rounds and int(rounds) else ['none was finished'],
                f'{rounds} times loaded, read and unloaded')
    tally.check(f'{name} random calls', [] if re.fullmatch(r'[1-9]\d* calls, 0 wrong, 0 died', probed) else [probed], probed)
    unplugged = said(r'LAB-UNPLUGGED (.*)')
    tally.check(f'{name} unplugged', [] if re.match(r'[1-9]\d* processors, [1-9]', unplugged) else [unplugged], unplugged)
    looks = said(r'LAB-STRESS .* live (\d+ whole of \d+)') if has_types else ''
    if looks:
        whole, asked = looks.split(' whole of ')
        tally.check(f'{name} live', [] if int(whole) == int(asked) > 0 else [looks], looks)
    else:
        tally.skip(f'{name} live', 'this kernel has no BTF')
    tally.check(f'{name} kernel log', kernel_complaints(truth.read('dmesg')))


def kernel_complaints(log):
    """Lines of the log that tell of trouble since the module was loaded: before, a starved host may
    make a guest complain of its boot."""
    _, loaded, after = log.partition(b'vmcensus: loading out-of-tree module')
    log = after if loaded else log
    return [line.decode(errors='replace') for line in log.splitlines() if COMPLAINTS.search(line)] + races(log)


def races(log):
    """What KCSAN reports of accesses by the module, or by what it called; of the kernel's own there are many.

    Code that an exception or interrupt entered was not called.
    """
    reports = re.findall(rb'BUG: KCSAN:.*?(?=={40})', log, re.S)
    return [report.decode(errors='replace') for report in reports
            if any(b'[vmcensus]' in re.split(rb' asm_', stack)[0] for stack in re.split(rb'\[[ \d.]+\] ?\n', report))]


def compare_live(tally, name, truth):
    """The census of the running machine against what its kernel said at that moment."""
    answers = Answers(truth)
    if not answers.has('smaps'):
        tally.skip(f'{name} live', 'vmcensus is not built for that machine')
        return
    frozen = truth.frozen()
    some = list(representatives(frozen))
    for command in COMMANDS:
        status, said = answers.status(command)
        tally.check(f'{name} live {command} exit status',
                    [] if status == 0 or (status == 2 and command in TORN) else [f'{status}: {said}'])
    tally.check(f'{name} live smaps', compare_text(answers, some, 'smaps'),
                f'{len(some)} processes')
    tally.check(f'{name} live procs', compare_processes(answers, frozen), f'{len(frozen)} processes')
