# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs made of the kernel's formats, with values that are known, through the parser.

Names of tasks and control groups hold what the parser looks for. Each release prints an OOM kill of
the machine, one of a control group, failed allocations and the rest, in whole lines, then in pieces
between those of another CPU.
"""
import json
import random
import re
import subprocess

from oom.formats import RELEASES, formats, number

CONVERSION = re.compile(r'%([-#0]*)(\d*)(?:pGg|\*pbl|(?:hd|lu|llu|ld|li|d|u|i|x|s))')

COMMS = ('bash', 'kworker/u8:2', 'a,pid=1,uid=0', 'x) total-vm:9kB', 'oom-kill:', ' cpuset=/', ',task=b', ' lead',
         'Mem-Info:', '[ 1] 2 3 4 5', '(sd-pam)', 'order=3', 'a (b)', '\xff\x01"\\', ': Killed proce', 'free:1kB', '%s%n')
PATHS = ('/', '/system.slice/a.service', '/a,task_memcg=/b', '/x: cache:1KB', '/x killed as a result of',
         '/kubepods/burstable/pod1,2/c', '/a,task=b,pid=1,uid=2', '/a b', '/cpuset=1,mems_allowed=0', '/\xe4:')
NAMES = ('/', 'a.service', 'c,d', ',mems_allowed=1', 'a mems_allowed=', 'x,global_oom')

GFP = (     # release from, number, name: include/linux/gfp.h
    ('2.4', 0xd0, 'GFP_KERNEL'), ('2.4', 0x20, 'GFP_ATOMIC'), ('2.4', 0x1d2, 'GFP_KERNEL|__GFP_HIGHMEM|__GFP_COLD'),
    ('2.6.31', 0x201da, 'GFP_HIGHUSER_MOVABLE|__GFP_COLD'), ('2.6.31', 0x280da, 'GFP_HIGHUSER_MOVABLE|__GFP_ZERO'),
    ('2.6.31', 0x40d0, 'GFP_KERNEL|__GFP_COMP'), ('2.6.31', 0x80050, 'GFP_NOFS|__GFP_RECLAIMABLE'),
    ('4.4', 0x24201ca, 'GFP_HIGHUSER_MOVABLE|__GFP_COLD'), ('4.4', 0x24040c0, 'GFP_KERNEL|__GFP_COMP'),
    ('4.4', 0x2400050, 'GFP_NOFS|__GFP_RECLAIMABLE'), ('4.4', 0x2080020, 'GFP_ATOMIC'),
    ('4.6', 0x140cca, 'GFP_HIGHUSER_MOVABLE|__GFP_COMP'), ('4.6', 0xcc0, 'GFP_KERNEL'), ('4.6', 0, 'none'),
)


def gfps(release):
    """Numbers and names of the last table that the release is in."""
    known = [g for g in GFP if number(g[0]) <= number(release)]
    return [g[1:] for g in known if g[0] == known[-1][0]]


def fill(text, values):
    """TEXT of printk with the values in their order."""
    values = iter(values)

    def one(m):
        v, spec = next(values), m[0]
        if spec.endswith('pbl'):
            return '(null)' if v is None else v
        if spec.endswith('x'):
            return (hex(v) if v else '0') if '#' in m[1] else f'{v:x}'
        if isinstance(v, bool):
            v = 'yes' if v else 'no'
        return str(v).ljust(int(m[2] or 0)) if '-' in m[1] else str(v).rjust(int(m[2] or 0))
    return CONVERSION.sub(one, text)


class Task:
    """A task that runs into the OOM killer: its records, in pieces, and what they say."""

    def __init__(self, release, rand):
        self.release, self.rand, self.records = release, rand, []
        self.gfp = rand.choice(gfps(release))

    def since(self, release):
        return number(self.release) >= number(release)

    def values(self):
        r = self.rand
        mask = r.choice([None, '0', '0-1', '0,2-3'])
        return {'comm': r.choice(COMMS), 'gfp': self.gfp[0], 'gfp_names': self.gfp[1], 'order': r.choice([-1, 0, 3, 9]),
                'oom_score_adj': r.choice([-1000, 0, 500]), 'oom_adj': r.choice([-17, 0, 15]), 'nodemask': mask,
                'cpuset': r.choice(NAMES), 'mems_allowed': r.choice(['0', '0-3,5']), 'pid': r.randrange(2, 4 << 20),
                'cpu': 1, 'uid': r.randrange(1 << 16), 'flag': 0, 'time': 10, 'x': 7}

    def say(self, name, values, row=None):
        """Prints the lines NAME of this release; returns the names of values that were said."""
        said = []
        for form in [row] if row else formats(self.release, name):
            names = form[4].split()
            for n in names:
                if n[1:2] in '.?' and len(n) > 2 and n not in values:
                    values[n] = bool(self.rand.getrandbits(1)) if '?' in n else self.rand.randrange(1 << 40)
            pieces, left = [], iter([values[n] for n in names])
            for piece in form[3].split('|'):
                count = len(CONVERSION.findall(piece))
                pieces.append(fill(piece, [next(left) for _ in range(count)]))
            self.records.append(pieces)
            said += names
        return said

    # ---- blocks ----

    def request(self, want, name, more=()):
        v = self.values()
        v.update(more)
        said = self.say(name, v)
        if not said and name != 'invoked':
            return False
        if name == 'invoked':
            said += self.say('cpuset', v) + self.say('who', v)
        elif not self.since('2.6.12'):
            pass
        for key in ('comm', 'gfp', 'order', 'nodemask', 'cpuset', 'mems_allowed', 'pid', 'oom_score_adj'):
            if key in said:
                want[key] = v[key]
        if 'gfp' in said:
            want['gfp_names'] = v['gfp_names']
        if 'oom_adj' in said and 'oom_score_adj' not in said:
            want['oom_score_adj'] = v['oom_adj']
        if want.get('nodemask') is None:
            want.pop('nodemask', None)
        self.pid = v['pid']
        return True

    def pairs(self, said, values, letter):
        """What was said with names LETTER.name: number and whether in kB."""
        out = {}
        for n in said:
            if n[0] == letter and n[1] in '.?':
                out[n[2:].replace('_', ' ') if letter in 'ck' and n[2:] in SPOKEN else n[2:]] = int(values[n])
        return out

    def memory(self, want):
        v = {'node': 0, 'on': 'off', 'slab': 'kmalloc-64', 'used': 12, 'total': 34, 'size': '1.50 MiB', 'calls': 99,
             'where': 'mm/a.c:1 [mod] func:f', 'huge': 3, 'huge_free': 1, 'surp': 0, 'all': 99, 'x': 1}
        self.say('meminfo', v)
        said = self.say('counts', v)
        want['nodes'] = []
        node = self.say('node', v)
        if node:
            want['nodes'] = [{'node': 0, 'pairs': self.pairs(node, v, 'n')}]
        want['zones'] = []
        for zone in ('DMA', 'DMA32', 'Normal'):
            z = {k: x for k, x in v.items() if k[0] not in 'zrb'}
            z.update(zone=zone, **{f'r{i}': self.rand.randrange(1 << 30) for i in range(4)})
            z_said = self.say('zone', z)
            self.say('reserve', z)
            if z_said:
                want['zones'].append({'name': zone, 'pairs': self.pairs(z_said, z, 'z'),
                                      'reserve': [z[f'r{i}'] for i in range(4)]})
            if 'node' in z_said:
                want['zones'][-1]['node'] = 0
        for z in want['zones']:
            b = {'node': 0, 'zone': z['name'], 'all': 5, **{f'b{i}': self.rand.randrange(1 << 20) for i in range(3)}}
            self.say('buddy', b)
            z['blocks'] = [b[f'b{i}'] for i in range(3)]
        huge = self.say('huge', v)
        said += self.say('total', v)
        want['counts'] = {**self.pairs(said, v, 'c'), **self.pairs(said, v, 'k')}
        if huge:
            want['counts'].update(hugepages_total=3 * 2048, hugepages_free=2048)
        self.say('slabs', v)
        want['slabs'] = [{'name': 'kmalloc-64', 'used': 12, 'total': 34}] if self.say('slab', v) else []
        self.say('sites', v)
        want['sites'] = [{'bytes': 3 << 19, 'calls': 99, 'where': v['where']}] if self.say('site', v) else []

    def table(self, want):
        self.say('columns', {})
        want['tasks'] = []
        for _ in range(5):
            v = {**self.values(), **{n: self.rand.randrange(1 << 30) for n in (
                'total_vm', 'rss', 'rss_anon', 'rss_file', 'rss_shmem', 'swapents')},
                'tables_bytes': self.rand.randrange(1 << 20) << 12, 'ptes': 3, 'pmds': 2, 'tgid': 77}
            said = self.say('task', v)
            row = {k: v[k] for k in said if k not in ('ptes', 'pmds', 'cpu', 'oom_adj')}
            if 'ptes' in said:
                row['tables_bytes'] = (3 + 2 * ('pmds' in said)) << 12
            if said:
                want['tasks'].append(row)

    def end(self, want, prefix, first=True):
        v = {**self.values(), **{n: self.rand.randrange(1 << 40) for n in (
            'total_vm', 'anon_rss', 'file_rss', 'shmem_rss', 'tables')}, 'prefix': prefix}
        v.update(self.victim)
        chosen = {'prefix': prefix, 'chosen_pid': 4711, 'chosen_comm': self.rand.choice(COMMS), 'chosen_score': 900}
        for key in self.say('chosen', chosen) if first else ():
            want[key] = chosen[key]
        said = self.say('killed', v)
        if 'prefix' in said:
            want['prefix'] = prefix
        return {k: v[k] for k in said if k not in ('prefix', 'x')}

    # ---- events ----

    def kill(self, memcg=False, group=False):
        want = {'kind': 'oom kill', 'global': int(not memcg and self.since('5.0'))}
        self.request(want, 'invoked')
        self.victim = {'pid': self.rand.randrange(2, 1 << 22), 'comm': self.rand.choice(COMMS), 'uid': 7}
        task = self.rand.choice(PATHS)
        limit = self.rand.choice([p for p in (task, '/') if p])
        v = {'oom_memcg': limit, 'task_memcg': task, 'stats_of': limit, 'usage': 100, 'limit': 90, 'failcnt': 5}
        if memcg:
            for key in self.say('task_in', v):
                want[key] = v[key]
            usages = [w for n, w in (('usage', 'memory'), ('usage_swap', 'memory+swap'), ('usage_kmem', 'kmem'),
                                     ('usage_v2', 'swap')) if self.say(n, v)]
            want['usages'] = [{'what': w, 'usage': 100, 'limit': 90, 'failcnt': 5} for w in usages]
            said = self.say('stats', v) + self.say('stat', v) + self.say('protection', v)
            want['stats'] = self.pairs(said, v, 's')
            if 'stats_of' in said:
                want['stats_of'] = limit
        else:
            self.memory(want)
        self.table(want)
        v = {'CONSTRAINT': 'CONSTRAINT_MEMCG' if memcg else self.rand.choice(list(CONSTRAINTS)),
             'nodemask': self.rand.choice([None, '0-1']), 'cpuset': self.rand.choice(NAMES), 'mems_allowed': '0,2',
             'oom_memcg': limit, 'task_memcg': task, 'victim_comm': self.victim['comm'],
             'victim_pid': self.victim['pid'], 'victim_uid': 7}
        said = self.say('summary_memcg' if memcg else 'summary', v)
        if said:
            want['constraint'] = CONSTRAINTS.get(v['CONSTRAINT'], 'memcg')
            for key in ('nodemask', 'cpuset', 'mems_allowed', 'oom_memcg', 'task_memcg'):
                if key in said and v[key] is not None:
                    want[key] = v[key]
            want['inferred'] = 0
        else:
            want['constraint'] = 'memcg' if memcg else 'none'
            want['inferred'] = 1
            if not want.get('comm'):
                want.pop('constraint')      # 2.4 .. 2.6.18 do not say who asked
                want['inferred'] = 0
        prefix = 'Memory cgroup out of memory' if memcg else 'Out of memory'
        if group and self.since('4.19'):
            # one is killed first, then all of the group
            want['victims'] = [self.end(want, prefix)]
            self.say('group', {'group': limit})
            want['group'] = limit
            for pid in (5, 6):
                self.victim.update(pid=pid, comm=self.rand.choice(COMMS))
                want['victims'].append(self.end({}, prefix, False))
        else:
            want['victims'] = [self.end(want, prefix)]
        if not want['victims'][0]:
            want['victims'] = []
        return want

    def failure(self, name):
        want = {'kind': {'failure': 'allocation failure', 'stall': 'allocation stall'}[name]}
        if not self.request(want, name):
            return None
        self.memory(want)
        return want

    def panic(self):
        want = {'kind': 'oom kill', 'victims': []}
        if not self.request(want, 'invoked'):
            return None
        want['no_task'] = int(bool(formats(self.release, 'no_task')))
        self.say('no_task', {})
        row = self.rand.choice(formats(self.release, 'panic'))
        self.say('panic', {'kind': 'compulsory'}, row)
        want['panic'] = fill(row[3], ['compulsory']).split(': ', 1)[1]
        return want


CONSTRAINTS = {'CONSTRAINT_NONE': 'none', 'CONSTRAINT_CPUSET': 'cpuset', 'CONSTRAINT_MEMORY_POLICY': 'mempolicy'}
SPOKEN = {'total_pagecache_pages', 'pages_in_swap_cache', 'Free_swap', 'Total_swap', 'pages_RAM',
          'pages_HighMem/MovableOnly', 'pages_reserved', 'pages_cma_reserved', 'pages_hwpoisoned'}


def compare(want, got, where=''):
    """What differs: all of WANT must be in GOT, and no list be longer."""
    if isinstance(want, dict):
        if where.endswith(('.counts', '.stats', '.pairs')):
            got = {k: v[0] for k, v in got.items()}
        out = []
        for key, value in want.items():
            out += compare(value, got.get(key), f'{where}.{key}') if isinstance(got, dict) else [f'{where}: {got!r}']
        return out
    if isinstance(want, list):
        if not isinstance(got, list) or len(want) != len(got):
            return [f'{where}: {want!r} is {got!r}']
        return [d for i, w in enumerate(want) for d in compare(w, got[i], f'{where}[{i}]')]
    return [] if want == got else [f'{where}: {want!r} is {got!r}']


def parse(tool, release, logs, callers):
    """The events of each log of records (caller, facility, text)."""
    text = ''.join(f'{c} {f} {t}\n' for log in logs for c, f, t in [*log, ENDS]).replace('--  \n', '--\n')
    done = subprocess.run([tool, release, 'callers' if callers else 'plain'], input=text.encode('latin-1'),
                          capture_output=True, timeout=60, check=False)
    out = [[]]
    for line in done.stdout.splitlines():
        if line == b'--':
            out.append([])
        else:
            out[-1].append(json.loads(line))
    if done.returncode or len(out) != len(logs) + 1:
        raise AssertionError(f'exit {done.returncode}: {done.stderr.decode(errors="replace")}')
    return out[:-1]


def whole(task, caller=1):
    return [(caller, 0, ''.join(pieces)) for pieces in task.records]


def interleaved(tasks, rand):
    """Each piece a record of its own, of two callers by turns."""
    queues = {caller: [p for pieces in t.records for p in pieces] for caller, t in tasks.items()}
    out = []
    while any(queues.values()):
        caller = rand.choice([c for c, q in queues.items() if q])
        out.append((caller, 0, queues[caller].pop(0)))
    return out


ENDS = ('--', '', '')      # a log
EVENTS = {'kill': Task.kill, 'memcg kill': lambda t: t.kill(memcg=True), 'group kill': lambda t: t.kill(True, True),
          'failure': lambda t: t.failure('failure'), 'stall': lambda t: t.failure('stall'), 'panic': Task.panic}


def check_release(tally, tool, release, rounds):
    wants = []
    for seed in range(rounds):
        rand = random.Random(f'{release} {seed}')
        for name, make in EVENTS.items():
            if name in ('memcg kill', 'group kill') and number(release) < (3, 0, 0):
                continue        # its lines did not say whose they were
            task = Task(release, rand)
            want = make(task)
            if want is not None:
                wants.append((name, seed, want, whole(task)))
    differences = {name: [] for name, *_ in wants}
    for (name, seed, want, _), got in zip(wants, parse(tool, release, [w[3] for w in wants], False)):
        differences[name] += compare([want], got, f'seed {seed}')
    for name, found in differences.items():
        tally.check(f'oom log {release}: {name}', found, f'{rounds} logs')


def check_interleaved(tally, tool, release, rounds):
    """Two CPUs at once, one with an OOM kill, the other with a failed allocation."""
    differences, wants, logs = [], [], []
    for seed in range(rounds):
        rand = random.Random(f'both {release} {seed}')
        a, b = Task(release, rand), Task(release, rand)
        wants.append({11: a.kill(memcg=seed % 2 == 1), 12: b.failure('failure')})
        for caller, want in wants[-1].items():
            want['pid'] = caller
        logs.append(interleaved({11: a, 12: b}, rand))
    for seed, events in enumerate(parse(tool, release, logs, True)):
        got = {e.get('pid'): e for e in events}
        if sorted(got, key=str) != [11, 12]:
            differences.append(f'events of {sorted(got, key=str)}')
            continue
        for caller, want in wants[seed].items():
            differences += compare(want, got[caller], f'seed {seed}, caller {caller}')
    tally.check(f'oom log {release}: two CPUs', differences, f'{rounds} logs')


def check_rest(tally, tool):
    """Lines without an event of their own."""
    def one(what, release, records, want):
        found = compare(want, parse(tool, release, [records], True)[0])
        tally.check(f'oom log: {what}', found)

    killed = 'Out of memory: Killed process 7 (a) total-vm:1kB, anon-rss:2kB, file-rss:3kB, shmem-rss:4kB, UID:5 ' \
             'pgtables:6kB oom_score_adj:7'
    for release, tables in (('5.4.8', 1), ('5.4.9', 1500), ('5.5', 1500)):
        one(f'page tables of the victim in {release}', release, [(1, 0, killed.replace(':6kB', ':1500kB'))],
            [{'victims': [{'pid': 7, 'tables': tables}]}])
    rows = [(1, 0, '[     99]     0    99    90000    70000   577536        5             0 hog, 1'),
            (1, 0, '[    100]    10   100       90       70     4096        0          -500 9 lives')]
    one('begins in the table of tasks', '5.10', [*rows, (1, 0, killed)],
        [{'kind': 'oom kill', 'victims': [{'pid': 7}], 'tasks': [
            {'pid': 99, 'rss': 70000, 'tables_bytes': 577536, 'swapents': 5, 'oom_score_adj': 0, 'comm': 'hog, 1'},
            {'pid': 100, 'oom_score_adj': -500, 'comm': '9 lives'}]}])
    one('begins in the table of 4.4', '4.4', [(1, 0, '[   99]     0    99    90000    70000      90      91        5             0 hog')],
        [{'tasks': [{'pid': 99, 'rss': 70000, 'tables_bytes': 181 << 12, 'swapents': 5, 'comm': 'hog'}]}])
    one('begins in the table of 6.12', '6.12', [
        (1, 0, '[     99]     0    99    90000    70000    60000     9000     1000   577536        5           -17 a 1')],
        [{'tasks': [{'pid': 99, 'rss_file': 9000, 'swapents': 5, 'oom_score_adj': -17, 'comm': 'a 1'}]}])
    one('a line of a trace is no row', '6.1', [(1, 0, '[   99] 1 2 3 words of a driver')], [])
    one('reaped later, by another', '6.1', [
        (1, 0, killed), (30, 0, 'oom_reaper: reaped process 7 (a), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB')],
        [{'victims': [{'pid': 7, 'reaped': 1, 'anon_rss': 2, 'tables': 6}]}])
    one('not reaped', '6.1', [(1, 0, killed), (30, 0, 'oom_reaper: unable to reap pid:7 (a)')],
        [{'victims': [{'pid': 7, 'reaped': 2}]}])
    one('kills without a header are events', '6.1', [(1, 0, killed), (1, 0, killed)],
        [{'kind': 'oom kill'}, {'kind': 'oom kill'}])
    one('exiting', '6.1', [(1, 0, 'Out of memory: OOM victim 9 (a) b) is already exiting. Skip killing the task')],
        [{'exiting': 1, 'victims': [{'pid': 9, 'comm': 'a) b'}]}])
    one('programs may not speak for the kernel', '6.1', [(1, 1, killed), (1, 3, 'a invoked oom-killer: order=0')], [])
    pieces = ('a invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0',
              'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null)', ',cpuset=', 'a', ',mems_allowed=0', ',oom_memcg=', '/',
              ',task_memcg=', '/a,task=b,pid=1,uid=2', ',task= cpuset=/,pid=7,uid=5')
    one('a name that looks like a line', '5.8', [(1, 0, text) for text in pieces],
        [{'task_memcg': '/a,task=b,pid=1,uid=2', 'cpuset': 'a'}])
    one('systemd-oomd', '6.1', [(1, 3, 'systemd-oomd[612]: Killed /user.slice/a due to memory pressure for /user.slice '
                                 'being 51.23% > 50.00% for > 20s with reclaim activity')],
        [{'kind': 'killed by a program', 'comm': 'systemd-oomd', 'group': '/user.slice/a'}])
    one('earlyoom', '6.1', [(1, 1, 'earlyoom[1]: sending SIGTERM to process 1234 uid 1000 "a": b": badness 786, '
                                   'VmRSS 45 MiB')],
        [{'kind': 'killed by a program', 'comm': 'earlyoom', 'victims': [{'pid': 1234, 'comm': 'a": b'}]}])
    one('lmkd', '5.10', [(1, 1, "lowmemorykiller: Kill 'com.foo' (2), uid 10001, oom_score_adj 900 to free 12345kB rss")],
        [{'comm': 'lmkd', 'victims': [{'pid': 2, 'comm': 'com.foo'}]}])
    one('lowmemorykiller', '3.10', [(1, 0, "lowmemorykiller: Killing 'a' (2) (tgid 3), adj 900,")],
        [{'kind': 'lowmemorykiller', 'victims': [{'pid': 2, 'comm': 'a'}]}])
    one('a fault that leaked', '6.1', [(1, 0, 'Huh VM_FAULT_OOM leaked out to the #PF handler. Retrying PF')],
        [{'kind': 'page fault'}])
    one('a fault of 2.4', '2.4.27', [(1, 0, 'VM: killing process a')], [{'kind': 'page fault',
                                                                        'victims': [{'comm': 'a'}]}])
    one('Mem-Info that somebody asks for', '6.1', [(1, 0, 'Mem-Info:'), (1, 0, 'Node 0 DMA free:1kB min:2kB')], [])
    one('Red Hat 6', '2.6.32', [(1, 0, 'Killed process 9682, UID 27, (my (sql) total-vm:4kB, anon-rss:3kB, file-rss:8kB')],
        [{'victims': [{'pid': 9682, 'uid': 27, 'comm': 'my (sql', 'total_vm': 4, 'file_rss': 8}]}])
    one('Red Hat 7', '3.10', [(1, 0, 'Killed process 9 (a), UID 27, total-vm:4kB, anon-rss:3kB, file-rss:8kB')],
        [{'victims': [{'pid': 9, 'uid': 27, 'comm': 'a', 'total_vm': 4, 'file_rss': 8}]}])


def check_oom(tally, tool, thorough):
    rounds = 40 if thorough else 6
    for release in RELEASES:
        check_release(tally, tool, release, rounds)
        if number(release) >= (5, 2, 0):
            check_interleaved(tally, tool, release, rounds)
    check_rest(tally, tool)
