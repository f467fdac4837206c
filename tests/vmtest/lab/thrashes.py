# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests that thrash, and one that does not, without an OOM.

The truth is recorded before; the guest is dumped in the middle of it, by a panic.
"""
from dataclasses import dataclass

# A disk of the host's memory is too fast to wait for.
SLOW = ('cd /sys/fs/cgroup; set_to cgroup.subtree_control "+io +memory"; mkdir slow\n'
        'for d in vda vdc; do echo "$(cat /sys/block/$d/dev) riops=50" > slow/io.max; done\n')
PANIC = 'sleep 40; echo c > /proc/sysrq-trigger\n'


@dataclass
class Thrash:
    answer: str             # of the report thrash
    of: str                 # of what: regular expression
    script: str
    who: str = ''           # the process with most major faults
    memory: int = 384       # MiB


THRASHES = {
    'anon': Thrash('yes', 'anonymous memory', SLOW + 'mkswap /dev/vdc > /dev/null; swapon /dev/vdc\n'
                   'hog anon 276480 comm=rereader again=1 procs=4 cgroup=/sys/fs/cgroup/slow\n' + PANIC, 'rereader'),
    'programs': Thrash('yes', 'files', SLOW + 'hog anon 143360 comm=resting; sleep 8\n'
                       'hog program 143360 comm=rereader procs=4 cgroup=/sys/fs/cgroup/slow\n' + PANIC, 'rereader'),
    # reclaim alone is no thrashing: a file larger than memory is read once
    'stream': Thrash('no', '.*', 'hog anon 102400 comm=resting; sleep 8\n'
                     'head -c 400M /dev/zero > /var/tmp/stream; sync; cat /var/tmp/stream > /dev/null; sleep 20\n' + PANIC),
}
