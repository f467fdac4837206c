# SPDX-License-Identifier: GPL-3.0-or-later
"""One line of damage in a machine described in text: it must show as the issue that it is, with what
is not in the dump (nodata), not mapped (fault) and not to be believed (corrupt) kept apart, and cost no
more than it must: exit status 2, and the other process as it was."""
import os
import re

# the line, the issue of vmas as a pattern (None: nothing that it needs is lost), and what it may
# cost of process 1: 0 nothing but sizes of what is shared, 1 its sizes, 2: what was resident is
# unknown, 3: it is gone; and the same of process 20, or the starts of its areas that are as they were
LOW = ('0x10000000', '0x10014000', '0x10020000')
LINES = (
    ('lose frame libc.0', None, 0, 0),
    # since 2.6 a node of the list is gone with it
    ('lose task 20', r'task(?: list)? \(nodata\)', 0, 3),
    ('lose mm two', r'mm \(nodata\)', 0, 3),
    # its other thread has the mm too
    ('poke task 20 M_TASK_MM 0x13', r'mm \(corrupt\)', 0, 0),
    ('poke task 20 M_TASK_MM unmapped', r'mm \(fault\)', 0, 0),
    ('lose pgd two', r'page table \(nodata\)', 0, 1),
    ('point mm two M_MM_PGD pgd two 8', r'pgd \(corrupt\)', 0, 1),
    ('point mm two M_MM_PGD pgd one 0', r'pgd \(corrupt\)', 1, 1),
    ('poke mm two M_MM_PGD unmapped', r'pgd \(fault\)', 0, 1),
    ('lose table two:0x10000000', r'page table \(nodata\)', 0, 1),
    ('loop two 0x10000000', r'page table \(corrupt\)', 0, 1),
    ('twin two 0x30000000 two 0x10000000', r'page table \(corrupt\)', 0, ('0x7fffe000',)),
    ('twin two 0x30000000 one 0x30000000', r'page table \(corrupt\)', 0, LOW + ('0x7fffe000',)),
    ('lose vma two:0x30000000', r'vma \(nodata\)', 0, LOW),
    ('poke vma two:0x30000000 M_VMA_END 0x2fff0000', r'vma \(corrupt\)', 0, LOW),
    ('poke vma two:0x30000000 M_VMA_MM 0x3000', r'vma \(corrupt\)', 0, LOW),
    ('point vma two:0x30000000 M_VMA_NEXT vma two:0x10000000 0', r'vma \(corrupt\)', 0, LOW),
    ('point vma two:0x30000000 M_VMA_NEXT vma two:0x30000000 0', r'vma \(corrupt\)', 0, LOW),
    ('poke mm two M_MM_MAP_COUNT 4', r'map_count \(corrupt\)', 0, 0),
    ('poke mm two M_MM_MAP_COUNT 0x7fffffff', r'map_count \(corrupt\)', 0, 0),
    ('poke vma two:0x10000000 M_VMA_FILE unmapped', r'file \(fault\)', 0, 0),
    ('lose dentry sh', r'paths? \(nodata\)', 0, 0),
    ('poke dentry sh M_DENTRY_NAME_LEN 0x70000000', r'paths? \(corrupt\)', 0, 0),
    ('poke dentry /bin M_DENTRY_PARENT 0x11', r'paths? \(corrupt\)', 0, 0),
    ('poke dentry /bin M_DENTRY_PARENT unmapped', r'paths? \(fault\)', 0, 0),
    ('lose page libc.0', r'struct pages? \(nodata\)', 1, 1),
    ('lose memmap 0x100', r'struct pages? \(nodata\)', 1, 1),
    # the kernel's counts are contradicted by the walk
    ('poke page sh.0 M_PAGE_MAPCOUNT 0x7ffffffe', r'page map count \(corrupt\)', 0, 0),
    ('poke mm one M_MM_TOTAL_VM 5', r'mm counter \(corrupt\)', 0, 0),
    # beyond memory is no page of RAM: a device's, which smaps does not count and the mm did
    ('mm three\narea 0x10000000 0x10004000 0x77\npage 0x10000000 far o\ntask 30 30 far three S 1',
     r'mm counter \(corrupt\)', 0, 0),
)
# by what links the tasks of that kernel
LOOPS = (
    ('M_TASK_NEXT', 'point task 20 M_TASK_NEXT task 1 0', r'task list \(corrupt\)', 0, 0),
    # the head leads to itself; its other link is sound
    ('M_TASK_TASKS', 'alone task 0 M_TASK_TASKS', r'task list \(corrupt\)', 3, 3),
    ('M_TASK_TASKS', 'point task 0 M_TASK_TASKS task 0 M_TASK_TASKS', r'task list \(corrupt\)', 0, 0),
    ('M_TASK_TASKS', 'point task 20 M_TASK_TASKS task 1 M_TASK_TASKS', r'task list \(corrupt\)', 0, 0),
)
# of kernels with SPARSEMEM_VMEMMAP: the sections; without them struct pages are where the kernel maps them
SECTIONS = (
    ('lose sections 0', r'page array \(nodata\)', 0, 0),
    ('poke sections 0 M_SECTION_MEM_MAP 0', r'page array \(corrupt\)', 0, 0),
    ('poke sections 0 M_SECTION_MEM_MAP 0x17', r'page array \(corrupt\)', 0, 0),
)
# of 64-bit PowerPC with hash tables: the list of what maps struct pages (v2.6.36)
VMEMMAP = ('lose symbol vmemmap_list', r'vmemmap \(nodata\)', 2, 2)
# of those without
FLAT = (
    ('lose memmap 0', r'struct pages? \(nodata\)', 2, 2),
)
# 3.14 and later: a process in no list
UNLINKED = ('unlink task 20 M_TASK_TASKS', r'task list \(corrupt\)', 0, 3)
# 6.1 and later have no list of areas: the root of the tree leads to itself, as a maple_arange_64
TREE = ('point maple two M_MN_A64_SLOT maple two 0x1c', r'maple node \(corrupt\)', 0, 3)
# what a kernel says of itself and is not so
WRONG_SIZES = ('vmcoreinfo PAGESIZE=65536', 'vmcoreinfo PAGESIZE=3', 'vmcoreinfo PAGESIZE=',
               'vmcoreinfo SIZE(list_head)=3', 'vmcoreinfo SYMBOL(_stext)=7',
               'vmcoreinfo OSRELEASE=')
# what is said of half a file: with status 1 what could not be found, with status 2 the issue
NO_ANSWER = re.compile(r"""^vmcensus:\ (?:cannot\ find\ the\ kernel's\ page\ tables:\ |
    cannot\ find\ where\ the\ kernel's\ memory\ starts:\ |
    \S+\.flat:\ not\ a\ memory\ dump\ that\ this\ program\ knows\ )""", re.X)
TRUNCATED = {'mcore1': 'mcore unit (corrupt)', 'mcore2': 'mcore unit (corrupt)',
             'raw': 'task list (fault)'}    # which tells no size


def first_six(row):
    return row.split(',')[:6]


def lines_for(release, sparse, hashed):
    """Of a kernel of that release (as account.number_of has it), memory model, and kind of MMU."""
    out = [row for row in LINES
           if (release < 6001 or 'M_VMA_NEXT' not in row[0]) and
           (release >= 2600 or 'M_PAGE_MAPCOUNT' not in row[0])]
    out += [row for member, *row in LOOPS if (member == 'M_TASK_NEXT') == (release < 2600)]
    if release >= 3014:
        out.append(UNLINKED)
    if release >= 6001:
        out.append(TREE)
    if sparse and hashed and release >= 2636:
        out.append(VMEMMAP)
    return out + list(SECTIONS if sparse else FLAT)


def unknown(mine, whole):
    """Resident memory is mapped to pages of which nothing is known."""
    return [f'not unknown: {row}' for row, good in zip(mine, whole)
            if row.split(',')[5] not in ('0', '', '-') or row.split(',')[-1] != good.split(',')[5]]


def of_process(pid, rows):
    return [row for row in rows if row.startswith(f'{pid},')]


def check_line(got, line, issue, costs, whole):
    """GOT is what vmas made of it, WHOLE its rows without damage; COSTS of process 1 and of 20."""
    wrong = []
    if got.returncode != (2 if issue else 0):
        wrong.append(f'exit {got.returncode}: {got.stderr}')
    if issue and not re.search(rf'\d {issue}', got.stderr):
        wrong.append(f'no issue of "{issue}": {got.stderr}')
    for pid, cost in zip((1, 20), costs):
        mine, good = (of_process(pid, rows) for rows in (got.stdout.splitlines(), whole))
        if isinstance(cost, tuple):     # the areas that it does not reach
            mine, good = ([r for r in rows if r.split(',')[2] in cost] for rows in (mine, good))
            cost = 0
        wrong += [f'process {pid}: {w}' for w in check_rows(mine, good, issue, cost)]
    return [f'{line}: {w}\n{got.stdout}' for w in wrong]


def check_rows(mine, good, issue, cost):
    """Of one process."""
    if cost == 3:
        return ['it is not gone'] if mine else []
    wrong = unknown(mine, good) if cost == 2 else []
    # a name may be gone where its path is what was damaged
    if not cost and 'path' not in (issue or '') and \
            [first_six(r) for r in mine] != [first_six(r) for r in good]:
        wrong.append('it changed')
    if [r.split(',')[:5] for r in mine] != [r.split(',')[:5] for r in good]:
        wrong.append('areas are gone')
    return wrong


def half_is_told(container, got):
    if got.returncode == 1:
        return NO_ANSWER.search(got.stderr) is not None and not got.stdout
    return got.returncode == 2 and \
        f' {TRUNCATED.get(container, "truncated image (nodata)")}' in got.stderr


def cut_in_half(paths):
    """Of the files of one dump the largest; raw memory is FILE@ADDRESS."""
    path = max((p.split('@')[0] for p in paths), key=os.path.getsize)
    os.truncate(path, os.path.getsize(path) // 2)
