# SPDX-License-Identifier: GPL-3.0-or-later
"""The same dump under another release: what the dump itself tells must not change.

The release is altered wherever it stands in the file, to an older and to a newer one, as a
distribution keeps the number of an old kernel over newer code. Rules that a sign or the level of
the kernel decided must hold as before, and smaps must have the same lines and the same VmFlags.
"vmcensus layout" names the rules that the version decides: of those that other trees took, and
what changed after the newest release of facts/levels.def.
"""
import csv
import io
import mmap
import os
import re
import shutil

# of a kernel: an older one and a newer one whose text is as long
OTHERS = {
    b'2.6': (b'2.4', b'4.9'),
    b'3.10': (b'2.18', b'5.10'),
    b'4.18': (b'3.10', b'6.12'),
    b'5.14': (b'3.16', b'6.12'),
    b'5.10': (b'3.10', b'6.12'),
    b'6.1': (b'4.9', b'6.9'),
    b'6.12': (b'3.16', b'6.19'),
    b'7.2': (b'4.4', b'7.5'),
}
BY_VERSION = {
    'RULE_HWPOISON_IS_PAGE', 'RULE_NONPRESENT_CLEAN', 'RULE_NONPRESENT_SINGLE', 'RULE_RSS_EXACT',
    'RULE_HUGETLB_PMD_SHARED', 'RULE_HUGETLB_SHARE_SEEN', 'RULE_OOM_SIGNED',
    'RULE_MPOL_BALANCING', 'RULE_PAGEMAP_HUGE_ANY', 'RULE_PMD_PROTNONE_SKIPPED',
    'RULE_KPAGE_ONLINE', 'RULE_LOCKED_ASKED', 'RULE_OOM_ADMIN_PERCENT',
    # only of 2.6.32: RHEL 6, and stable releases of the tree that it left
    'RULE_HEAP_PART', 'RULE_OOM_PTES', 'RULE_OOM_ADMIN_30',
}


def mainline(data):
    """b'6.1' of OSRELEASE=6.1.0-56-amd64"""
    found = re.search(rb'OSRELEASE=(\d+\.\d+)', data)
    return found and found[1]


RELEASE_AFTER = (b'OSRELEASE=', b'Linux version ', b'Debian ', b'\0')


def places(data, old):
    """Where OLD begins a release or Debian's version, which has the stable number."""
    found, at = [], data.find(old + b'.')
    while at >= 0:
        end = at + len(old) + 1
        if data[max(0, at - 14):at].endswith(RELEASE_AFTER) and data[end:end + 1].isdigit():
            found.append(at)
        at = data.find(old + b'.', end)
    return found


def rules(vmcensus):
    """{rule: (does it hold, what decided)}"""
    text = vmcensus('layout', front=('-f', 'csv'))[1].decode()
    return {r['id']: (r['present'], r['source']) for r in csv.DictReader(io.StringIO(text))
            if r['kind'] == 'rule'}


def lines(vmcensus):
    """The lines of smaps: labels, and VmFlags whole."""
    return [line if line.startswith(b'VmFlags') else line.partition(b':')[0]
            for line in vmcensus('smaps')[1].splitlines()]


def compare_one(was, here, other):
    now = rules(other)
    problems = [f'{r}: {was[r]} became {now.get(r)}' for r in was
                if was[r][1] != 'version' and was[r][0] != now.get(r, ' ')[0]]
    if lines(other) != here:
        problems.append('smaps has other lines or VmFlags')
    return problems


class Altered:
    """A copy of the dump and of its layout file, whose release can be written over."""

    def __init__(self, fixture, folder):
        os.makedirs(folder, exist_ok=True)
        self.image = [copy_into(folder, path) for path in fixture.image()]
        self.types = fixture.types() and copy_into(folder, fixture.types())
        self.maps = [map_file(path) for path in self.image]
        self.old = next(filter(None, map(mainline, self.maps)))
        self.places = [(m, at) for m in self.maps for at in places(m, self.old)]
        if self.types:
            m = map_file(self.types)
            self.maps.append(m)
            self.places.append((m, m.find(b'\nrelease ' + self.old) + len('\nrelease ')))

    def write(self, new):
        for m, at in self.places:
            m[at:at + len(new)] = new

    def close(self):
        for m in self.maps:
            m.close()
        for path in self.image + ([self.types] if self.types else []):
            os.unlink(path)


def copy_into(folder, path):
    copy = os.path.join(folder, os.path.basename(path))
    with open(path, 'rb') as source, open(copy, 'wb') as target:
        shutil.copyfileobj(source, target, 1 << 20)
    return copy


def map_file(path):
    with open(path, 'r+b') as f:
        return mmap.mmap(f.fileno(), 0)


def compare_release(tally, name, fixture, make, work):
    """MAKE gives the program over an image and a layout file."""
    first = make(fixture.image(), fixture.types())
    was, here = rules(first), lines(first)
    tally.check(f'{name}: rules by version', sorted(
        r for r in was if was[r][1] == 'version' and r not in BY_VERSION))
    altered = Altered(fixture, os.path.join(work, fixture.name))
    for new in OTHERS[altered.old]:
        altered.write(new)
        other = make(altered.image, altered.types)
        problems = compare_one(was, here, other)
        if b'release ' + new not in other('layout')[1]:
            problems.append('the release is not altered')
        tally.check(f'{name}: release {altered.old.decode()} altered to {new.decode()}', problems)
    altered.close()
