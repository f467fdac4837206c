# SPDX-License-Identifier: GPL-3.0-or-later
"""One real dump, compared with everything that its own kernel recorded."""
from exact.bounds import compare_bounds
from exact.census import compare_census
from exact.export import compare_export
from exact.firstwords import compare_first_words, compare_width
from exact.groups import compare_groups
from exact.missingtexts import compare_missing_texts
from exact.objects import compare_shm, compare_slabs, compare_swap
from exact.oom import compare_kills, compare_oom, compare_oom_zones
from exact.otherrelease import compare_release
from exact.pageflags import compare_pageflags
from exact.sizes import compare_sizes
from exact.system import compare_machine
from exact.tasks import compare_tasks
from exact.thrash import compare_thrash
from exact.unreached import compare_unreached
from exact.views import compare_views
from lib.compare import compare_all, compare_dmesg
from lib.program import SINGLY, AtOnce, Opened
from lib.scratch import scratch_of


# Guests of 64 to 512 MiB: tables of fixed size weigh more there
UNKNOWN_MOST = 2.5


def compare_fixture(tally, program, build, f, truth, thorough, formats):
    """THOROUGH: each process is asked for by --pid, else the first ones are. FORMATS: those of other tools, and
    the files of an export, which hold what other reports have, are compared too."""
    name, tool = f'fixture {f.name}', build + '/tools/machine'

    vmcensus = Opened(program, f.image(), f.types())
    compare_all(tally, name, vmcensus if thorough else AtOnce(vmcensus, SINGLY), truth)
    if f.types():
        # the kernel's log is described by VMCOREINFO, which every dump has
        bare = Opened(program, f.image())
        differ = compare_dmesg(bare, truth)
        if not differ and bare('dmesg', front=('-f', 'csv')) != \
                vmcensus('dmesg', front=('-f', 'csv')):
            differ = ['columns differ from those with types']
        tally.check(f'{name} dmesg without types', differ)
    compare_reports(tally, vmcensus, build, f, truth)
    if not formats:
        return
    compare_views(tally, name, vmcensus, truth, tool)
    compare_export(tally, name, program, f.image(), f.types(), truth,
                   scratch_of(build, 'export', f.name))


def compare_reports(tally, vmcensus, build, f, truth):
    name = f'fixture {f.name}'

    def make(image, types):
        return Opened(vmcensus.program, image, types)

    compare_machine(tally, name, build + '/tools/machine', f.image(), f.types(), truth)
    compare_pageflags(tally, name, vmcensus, truth)
    compare_census(tally, name, vmcensus, truth, UNKNOWN_MOST)
    compare_sizes(tally, name, vmcensus, truth)
    compare_bounds(tally, name, vmcensus, truth)
    compare_release(tally, name, f, make, scratch_of(build, 'release'))
    compare_missing_texts(tally, name, f, make, scratch_of(build, 'missing'))
    compare_groups(tally, name, vmcensus, truth)
    compare_shm(tally, name, vmcensus, truth)
    compare_swap(tally, name, vmcensus, truth)
    compare_slabs(tally, name, vmcensus, truth)
    compare_unreached(tally, name, vmcensus)
    compare_first_words(tally, name, vmcensus)
    compare_width(tally, name, vmcensus)
    compare_oom(tally, name, vmcensus, truth)
    compare_thrash(tally, name, vmcensus, truth)
    compare_kills(tally, name, vmcensus, truth)
    compare_tasks(tally, name, vmcensus, truth)
    compare_oom_zones(tally, name, lambda image: make(image, f.types()), f.image(), truth,
                      scratch_of(build, 'oom'))


def compare_field(tally, program, build, f, truth):
    """A kernel of a distribution that Debian does not have: all but the forms of other tools and the
    files of an export, whose formats are those of 5.10 and later.
    """
    vmcensus = Opened(program, f.image(), f.types())
    compare_all(tally, f'fixture {f.name}', AtOnce(vmcensus, SINGLY), truth)
    compare_reports(tally, vmcensus, build, f, truth)
