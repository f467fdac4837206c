# SPDX-License-Identifier: GPL-3.0-or-later
"""What one more fact builds again: the objects of the program that have the ids of its subject. The lists of what each
object was made from say it, which the compiler wrote.

First the check is tried: a header that everything includes must be told, and so must a subject that nothing has."""
import glob
import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOMS = ('dumpread', 'facts', 'arch', 'model', 'reports', 'app', 'cli')
MOST = 60


def subjects():
    """Names of the lists of facts."""
    with open(os.path.join(TOP, 'facts', 'subjects.def')) as f:
        return re.findall(r'^SUBJECT\((\w+), \d', f.read(), re.M)


def made_from(build):
    """For each object of the program: subjects whose list, or ids, it was made from."""
    found = []
    for room in ROOMS:
        for path in glob.glob(os.path.join(build, room, '**', '*.d'), recursive=True):
            with open(path) as f:
                found.append(set(re.findall(r'\bfacts/(?:layout/)?(\w+)\.def\b|\bgen/facts/layout/(\w+)\.h\b', f.read())))
    return [{a or b for a, b in pairs} for pairs in found]


def wide(objects, names):
    """What is wrong: subjects that too many objects are made from, or none."""
    for name in names:
        n = sum(name in has for has in objects)
        if not 0 < n <= MOST:
            yield f'facts about {name}: {n} of {len(objects)} objects are made from them, at most {MOST} may'


def reach(tally, build):
    names, objects = subjects(), made_from(build)
    everywhere = list(wide([has | {names[0]} for has in objects], names))
    nowhere = list(wide([has - {names[-1]} for has in objects], names))
    tally.check('reach: a subject that all objects have, or none, is found',
                [] if len(objects) > MOST and everywhere and nowhere else [f'it passes, of {len(objects)} objects'])
    tally.check(f'reach: a fact more builds at most {MOST} objects', list(wide(objects, names)))
