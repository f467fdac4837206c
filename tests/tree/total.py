# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables that forget nothing: each report, class, owner, claim, cause, option and fact is named in all
places where it must be: its row, its test, its line of the documents.

First the check is tried: of each kind an entry is planted in a copy of its list, and a real one is taken
out of a copy of each place. Each must be named, or the check is no check."""
import glob
import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


# No test names these: a debt. One that has got a test must leave.
UNTESTED = {'report': ('costs',),
            'class': ('block device', 'crash kernel', 'device', 'hash tables', 'memmap', 'shmem mapped',
                      'swap cache'),
            'owner': ('block requests', 'dma pool', 'file system', 'packet fragments', 'swap areas'),
            'cause of the verdict': ('SysV segment', 'bpf maps', 'io_uring rings', 'shared anonymous memory', 'trace buffers')}


class Place:
    """Where an entry must be: FINDS finds its id or its name in FILES."""

    def __init__(self, what, files, finds):
        self.what, self.finds = what, re.compile(finds, re.M)
        paths = sorted(p for pattern in files.split() for p in glob.glob(os.path.join(TOP, pattern), recursive=True))
        self.text = '\n'.join(read(p) for p in paths)

        self.words = self.found(self.text)

    def found(self, text):
        return {word for m in self.finds.finditer(text) for word in m.groups() if word}

    def without(self, entry):
        """The words of the text without what finds ENTRY."""
        return self.found(self.finds.sub(lambda m: '' if set(m.groups()) & set(entry) else m[0], self.text))


class Kind:
    """What FILES list: LISTED finds (id, name), or an id that is the name as well. PLANT: a line of it."""

    def __init__(self, name, files, listed, plant, *places):
        self.name, self.listed, self.plant, self.places = name, re.compile(listed, re.M), plant, places
        self.text = Place(name, files, listed).text

    def entries(self, text):
        return [m.groups() for m in self.listed.finditer(text)]

    def lacks(self, entries, words):
        """What of ENTRIES a place, which has WORDS[i], does not have."""
        return {f'{self.name} {e[-1]}: no {place.what}'
                for place, there in zip(self.places, words) for e in entries if not there & set(e)}


def read(path):
    with open(path, encoding='utf-8', errors='replace') as f:
        return f.read()


QUOTED = r'(?<=[\'"])([^\'"\n]+)(?=[\'"])'
TESTS = 'tests/unit/*.[ch] tests/exact/*.py tests/vmtest/lab/*.py tests/vmtest/hogs/*.c tests/oom/*.py tests/fuzz/*.c'


CLASS = r'^C\((CLASS_\w+), "(\w+)", "([^"]+)"'


# now[] is what no rule alone asks for; classes are those of a dump
FIGURE = r'(?<=[ *])(?!(?:now|classes)\b)(\w+)(?:\[\w+\])?[,;]'


def figures():
    """The members of the evidence of a verdict."""
    kind = Kind('figure of the verdict', 'model/cause/verdict/evidence.h', FIGURE, '\tuint64_t xyzzy;',
                Place('field in fuzz_verdict.c', 'tests/fuzz/fuzz_verdict.c', r'\be\.(\w+)(?:\.(\w+))?'))
    body = re.search(r'^struct oom_evidence \{(.*?)^\};', kind.text, re.M | re.S)[1]
    kind.text = re.sub(r'/\*.*?\*/', '', body, flags=re.S)
    return kind


def kinds():
    return [
        Kind('report', 'reports/core/reports.def', r'^R\((\w+), \w+\)', 'R(xyzzy, kernel)',
             Place('row in README.md', 'README.md', r'`([a-z]+)(?: [^`]*)?`(?=[^\n|]*\|)'),
             Place('example in docs', 'docs/*.md README.md', r'vmcensus (?:-\S+ )*([a-z]+)'),
             Place('line in TAKES', 'tests/cli/options', r"(?:^    |, )'([a-z]+)': \("),
             Place('test', 'tests/unit/test_*.c tests/exact/*.py tests/lib/compare.py tests/fleet/run',
                   r'[\'"]([a-z]+)(?:[\'"]| --| -c)')),
        Kind('struct of a report', 'reports/**/*.c', r'^const struct report report_([a-z]+) = \{',
             'const struct report report_xyzzy = {',
             Place('line in reports.def', 'reports/core/reports.def', r'^R\((\w+),')),
        Kind('class', 'model/memory/frames/classes.def', CLASS, 'C(CLASS_XYZZY, "xyzzy", "xyzzy", "", 0, USES, 0)',
             Place('text', 'model/memory/frames/classes.def', r'^C\((\w+), "\w+", "[^"]+", "[^"]+"'),
             Place('test', TESTS, rf'\b(CLASS_\w+)|{QUOTED}')),
        Kind('claim', 'model/memory/frames/classes.def', CLASS + '.* CF_CLAIMED',
             'C(CLASS_XYZZY, "xyzzy", "xyzzy", "", 0, USES, CF_CLAIMED)',
             Place('claimer', 'model/memory/census/*.c model/memory/owners/*.c', r'\b(CLASS_\w+)')),
        Kind('held machine', 'tests/unit/held_*.h', r'\*(hm_\w+)\(void\)', 'struct held_machine *hm_xyzzy(void);',
             Place('line in fuzz_held.c', 'tests/fuzz/fuzz_held.c', r'\b(hm_\w+)')),
        Kind('owner', 'model/memory/owners/kinds.def', r'^K\((OWNER_\w+), "([^"]+)"', 'K(OWNER_XYZZY, "xyzzy")',
             Place('walker', 'model/memory/owners/*.c', r'\b(OWNER_\w+)'),
             Place('test', TESTS, rf'\b(OWNER_\w+)|{QUOTED}')),
        Kind('cause', 'dumpread/base/causes.h', r'^\t(CAUSE_\w+),', '\tCAUSE_XYZZY,',
             Place('row', 'reports/core/damage.c', r'\[(CAUSE_\w+)\] = \{'),
             Place('test of its words', 'tests/unit/test_damage.c', r'words\((CAUSE_\w+),')),
        Kind('cause of the verdict', 'model/cause/verdict/causes.def', r'^CAUSE\((VC_\w+), "(\w+)", "([^"]+)"',
             'CAUSE(VC_XYZZY, "xyzzy", "xyzzy", VC_NONE, 0)',
             Place('rule', 'model/cause/verdict/*.c model/cause/verdict/rules.def model/memory/owners/kinds.def', r'\b(VC_\w+)'),
             Place('test', TESTS, rf'\b(VC_\w+)|{QUOTED}')),
        figures(),
        Kind('option', 'app/options.c', r'^\t\{ (ID_\w+), (?:0|\'.\'), "([\w-]+)"', '\t{ ID_XYZZY, 0, "xyzzy"',
             Place('text', 'app/options.c', r'^\t\{ (ID_\w+), [^{}]*"[^"]+",?\s+\w+ \}|^\t\{ (ID_\w+),[^}]*"", 0 \}'),
             Place('case, nor part of a report', 'app/options.c reports/**/*.c', r'\bcase (ID_\w+):|\{ OPT_\w+, "(\w+)"'),
             Place('test', 'tests/cli/* docs/pages.sh', rf'--([a-z][a-z-]*)|{QUOTED}')),
        Kind('fact', 'facts/layout/[!a]*.def', r'^[MSEY]\((\w+),', 'M(M_XYZZY, OPT, "xyzzy.xyzzy")',
             Place('row in tests/damage/lies.txt', 'tests/damage/lies.txt', r'^(\w+)')),
    ]


def teeth(kind):
    """What the check lets pass of KIND."""
    planted, real = kind.entries(kind.plant), kind.entries(kind.text)
    words = [p.words for p in kind.places]
    told = kind.lacks(planted, words)
    for i, place in enumerate(kind.places):
        if len(planted) != 1 or f'{kind.name} {planted[0][-1]}: no {place.what}' not in told:
            yield f'{kind.name}: {kind.plant} passes without {place.what}'
        entry = next((e for e in real if place.words & set(e)), ('',))
        without = [*words[:i], place.without(entry), *words[i + 1:]]
        if f'{kind.name} {entry[-1]}: no {place.what}' not in kind.lacks(real, without):
            yield f'{kind.name}: {entry[-1]} is taken out of {place.what}, and passes'


def unseeded(machines, numbers):
    """Which of the MACHINES of fuzz_held.c, whose NUMBERS are the first bytes of its seeds, no seed runs."""
    return [f'held machine {name}: no seed in tests/fuzz/corpus/held' for i, name in enumerate(machines, 1)
            if i not in numbers]


def seeds(tally):
    machines = re.findall(r'MACHINE\((\w+), [A-Z]', read(os.path.join(TOP, 'tests', 'fuzz', 'fuzz_held.c')))
    numbers = set()
    for path in glob.glob(os.path.join(TOP, 'tests', 'fuzz', 'corpus', 'held', '*')):
        with open(path, 'rb') as f:
            numbers |= set(f.read(1))
    planted, last = unseeded([*machines, 'hm_xyzzy'], numbers), unseeded(machines, numbers - {len(machines)})
    tally.check('total: a held machine without a seed is found', [] if machines and planted and last else ['it passes'])
    tally.check(f'total: {len(machines)} held machines have seeds', unseeded(machines, numbers))


def total(tally):
    seeds(tally)
    for kind in kinds():
        tally.check(f'total: what a {kind.name} lacks is found', list(teeth(kind)))
        entries = kind.entries(kind.text)
        debt = {f'{kind.name} {name}: no test' for name in UNTESTED.get(kind.name, ())}
        lacks = kind.lacks(entries, [p.words for p in kind.places])
        tally.check(f'total: {len(entries)} of kind {kind.name}',
                    sorted(lacks - debt) + [f'{d[:-9]} has a test: UNTESTED in tests/tree/total.py' for d in sorted(debt - lacks)])
