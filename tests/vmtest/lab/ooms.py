# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests that run out of memory for a known cause.

HOGS take their memory first and write down what they took.  Then the guest's script makes the
killer strike.  A guest goes on after a kill and is dumped with its truth; or, with PANIC, the truth is
recorded before the script, the killer's panic ends the guest, and nobody has been killed in the dump.
"""
from dataclasses import dataclass, field

# A small process that does nothing wrong, and one that asks for the memory that is not there.
INNOCENT = 'hog anon 40960 comm=server; sleep 2\n'
LAST = INNOCENT + 'hog anon 0 comm=client grow=512\nawait_oom\n'
# A client for which there is enough once the hog is gone.
BOUNDED = INNOCENT + 'hog anon 204800 comm=client\nawait_oom\n'
NODES = ('-object', 'memory-backend-ram,id=m0,size=512M', '-object', 'memory-backend-ram,id=m1,size=512M',
         '-numa', 'node,memdev=m0,cpus=0', '-numa', 'node,memdev=m1,cpus=1')
SMALL_NODE = ('-object', 'memory-backend-ram,id=m0,size=896M', '-object', 'memory-backend-ram,id=m1,size=128M',
              '-numa', 'node,memdev=m0,cpus=0', '-numa', 'node,memdev=m1,cpus=1')
PANIC = 'set_to /proc/sys/vm/panic_on_oom 2\n'
GROUPS = 'cd /sys/fs/cgroup; set_to cgroup.subtree_control "+memory +cpuset +pids"\n'


@dataclass
class Oom:
    cause: str              # regular expression of the verdict's first holder: its cause
    holder: str             # the same: in its sentence, the comm, module, file or group that has the memory
    text: str               # one sentence: what happened
    script: str = LAST      # of the guest's init
    hogs: dict = field(default_factory=dict)    # as in hogs.SETS
    memory: int = 768       # MiB
    devices: tuple = ()
    append: str = ''
    innocent: bool = True   # did the killed process not cause it? None: who is killed last is chance
    limit: str = 'memory of the machine'    # the verdict's limit
    more: str = ''          # a further cause that a row must have
    amount: bool = True     # is the holder's figure what the one hog took?
    crash: bool = False     # /proc cannot be read afterwards: the truth is recorded before the script, which ends in a panic
    timeout: int = 600


def one(kind, amount, cause, text, **kw):
    """A hog that holds most of memory, and processes that pay for it."""
    return Oom(cause, kw.pop('holder', 'hog-' + kind), text, hogs={kind: amount}, **kw)


OOMS = {
    'one': Oom('one process grew', 'leaker', 'leaker grew until memory was out; it was killed',
               INNOCENT + 'hog anon 0 comm=leaker grow=1024\nawait_oom\n', innocent=False),
    'many': Oom('processes of one name grew', 'worker', '12 processes "worker" grew alike',
                INNOCENT + 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do hog anon 1024 comm=worker grow=256 pause=20000; done\n'
                'await_oom\n', innocent=False),
    'forkbomb': Oom('fork bomb', 'bomb', 'a process and its children forked without end; each takes 1 MiB again and again',
                    PANIC + INNOCENT + '/lab/more/hogs --bomb bomb 1024 > /dev/console &\nawait_oom\n', innocent=False,
                    append='log_buf_len=16M loglevel=2', crash=True),
    'tmpfs': one('tmpfs', '480', 'tmpfs', 'a named file of a tmpfs, which nobody has open', holder='/run/hog-tmpfs/named'),
    'deleted': one('deleted', '480', 'deleted file of tmpfs', 'hog-deleted has a deleted file of a tmpfs open'),
    'memfd': one('memfd', '480', 'memfd', 'hog-memfd holds a memfd'),
    'shm': one('shm', '480', 'SysV segment, attached by nobody', 'a SysV segment without any attached process', holder='shmid'),
    'ramfs': one('ramfs', '480', 'ramfs', 'a file of a ramfs, which cannot be reclaimed', holder='/run/hog-ramfs/named'),
    'mlock': one('mlock', '420', 'mlock', 'hog-mlock locked its memory', innocent=False),
    'hugetlb': one('hugetlb', '480', 'hugetlb', 'a pool of huge pages, of which a quarter is used', holder='huge'),
    # it takes a while to end: others may be killed meanwhile
    'pagetables': Oom('page tables', 'hog-pagetables', 'hog-pagetables touched one page in each 2 MiB',
                      hogs={'pagetables': '420'}, innocent=None, amount=False),
    'threads': one('threads', '170', 'kernel stacks', 'hog-threads has 10880 threads', memory=640, innocent=None),
    'pipes': one('pipes', '480', 'pipes?|pages behind descriptors', 'hog-pipes has full pipes'),
    'pipes-killed': one('pipes', '450:adj=900', 'pages behind descriptors|pipes?', 'hog-pipes has full pipes, and is killed',
                        script=BOUNDED, innocent=False),
    'memfd-killed': one('memfd', '450:adj=900', 'shared memory|memfd', 'hog-memfd holds a memfd, and is killed',
                        script=BOUNDED, innocent=False),
    'unix': one('unix', '450', '.*sockets?|pages behind descriptors', 'hog-unix has data in unix sockets that nobody reads'),
    'tcp': one('tcp', '450', '.*sockets?|pages behind descriptors', 'hog-tcp has data in TCP sockets that nobody reads'),
    'packet': one('packet', '450', 'packet rings?|.*sockets?|pages behind descriptors', 'hog-packet has a receive ring'),
    'uring': one('uring', '440', 'io_uring.*|pages behind descriptors', 'hog-uring has rings'),
    'bpf': one('bpf', '420', '(?i)bpf maps?|pages behind descriptors|vmalloc', 'hog-bpf has preallocated maps'),
    'ftrace': one('ftrace', '480', '.*trac(e|ing) buffers?', 'the buffers of the tracer were made large', holder='trac'),
    'messages': one('messages', '450', 'unreclaimable slab', 'SysV messages that nobody receives', holder='kmalloc-cg-4k|kmalloc-4k|[Mm]essage'),
    'slab': one('silent', '450:how=slab', 'unreclaimable slab', 'the module silent fills its cache silent_objects',
                holder='silent_objects'),
    'vmalloc': one('silent', '450:how=vmalloc', 'vmalloc', 'the module silent takes areas of vmalloc', holder='silent'),
    'percpu': one('silent', '200:how=percpu', 'per-CPU memory', 'the module silent takes per-CPU memory', holder=''),
    'driver': one('silent', '450:order=0', 'driver or unknown', 'the module silent takes pages and tells nobody', holder='silent'),
    'balloon': one('balloon', '480', 'balloon', 'the host took memory with the balloon', holder='balloon'),
    'zram': Oom('compressed swap', 'zram', 'swap on zram, filled with data that does not compress',
                'echo 600M > /sys/block/zram0/disksize; mkswap /dev/zram0 > /dev/null; swapon /dev/zram0\n' + INNOCENT +
                'hog anon 0 comm=leaker grow=1024 noise=1\nawait_oom\n', innocent=False),
    'swapfull': Oom('one process grew', 'leaker', 'leaker filled memory and the swap area',
                    'mkswap /dev/vdc > /dev/null; swapon /dev/vdc\n' + INNOCENT +
                    'hog anon 0 comm=leaker grow=1024\nawait_oom\n', innocent=False, more='swap full'),
    'unkillable': Oom('one process grew', 'immortal', 'immortal, with oom_score_adj -1000, holds most of memory',
                      'hog anon 430080 comm=immortal adj=-1000\nsleep 4\n' + LAST, more='unkillable hog'),
    'dstate': Oom('one process grew', 'stuck', 'stuck was killed but holds its mmap_lock and cannot die; client was killed after it',
                  'insmod /lab/more/silent.ko kib=0\nhog anon 409600 comm=stuck hang=1; sleep 4\n' + LAST +
                  'sleep 10; echo c > /proc/sysrq-trigger\n', crash=True, more='victim in D state|victim not reaped'),
    'memcg2': Oom('one process grew', 'leaker', 'the limit of 100 MiB of the group /job; memory elsewhere was free',
                  GROUPS + 'mkdir job; echo 100M > job/memory.max\n' + INNOCENT +
                  'hog anon 0 comm=leaker grow=1024 cgroup=/sys/fs/cgroup/job\nawait_oom\n', innocent=False,
                limit='memory limit of a control group'),
    'memcg2-nested': Oom('one process grew', 'leaker', 'the limit of /top, reached by /top/a and /top/b together',
                         GROUPS + 'mkdir top; set_to top/cgroup.subtree_control "+memory"; mkdir top/a top/b\n'
                         'echo 120M > top/memory.max; echo 200M > top/b/memory.max\n' + INNOCENT +
                         'hog anon 51200 comm=steady cgroup=/sys/fs/cgroup/top/a; sleep 2\n'
                         'hog anon 0 comm=leaker grow=1024 cgroup=/sys/fs/cgroup/top/b\nawait_oom\n', innocent=False,
                       limit='memory limit of a control group'),
    'memcg2-group': Oom('one process grew', 'leaker', 'the limit of /job, which is killed as a whole (memory.oom.group)',
                        GROUPS + 'mkdir job; echo 100M > job/memory.max; echo 1 > job/memory.oom.group\n' + INNOCENT +
                        'hog anon 20480 comm=helper cgroup=/sys/fs/cgroup/job; sleep 2\n'
                        'hog anon 0 comm=leaker grow=1024 cgroup=/sys/fs/cgroup/job\nawait_oom\n', innocent=False,
                      limit='memory limit of a control group'),
    'memcg2-tmpfs': Oom('tmpfs', 'named', 'the limit of /job, reached by a file of a tmpfs that is charged to it',
                        GROUPS + 'mkdir job; echo 100M > job/memory.max\n' + INNOCENT +
                        'hog tmpfs 81920 cgroup=/sys/fs/cgroup/job; sleep 3\n'
                        'hog anon 0 comm=client grow=512 cgroup=/sys/fs/cgroup/job\nawait_oom\n',
                      limit='memory limit of a control group'),
    'memcg2-pipes': Oom('pages behind descriptors|pipes?', 'hog-pipes', 'the limit of /job, reached by pipes that are charged to it',
                        GROUPS + 'mkdir job; echo 100M > job/memory.max\n' + INNOCENT +
                        'hog pipes 81920 cgroup=/sys/fs/cgroup/job; sleep 3\n'
                        'hog anon 0 comm=client grow=512 cgroup=/sys/fs/cgroup/job\nawait_oom\n',
                        limit='memory limit of a control group'),
    'memcg1': Oom('one process grew', 'leaker', 'the limit of the group /job of version 1',
                  'cd /; umount /sys/fs/cgroup; mount -t cgroup -o memory memory /sys/fs/cgroup; cd /sys/fs/cgroup\n'
                  'mkdir job; echo 100M > job/memory.limit_in_bytes\n' + INNOCENT +
                  'hog anon 0 comm=leaker grow=1024 cgroup=/sys/fs/cgroup/job\nawait_oom\n', innocent=False,
                limit='memory limit of a control group'),
    'cpuset': Oom('one process grew', 'leaker', 'leaker may use node 1 alone; node 0 had free memory',
                  GROUPS + 'mkdir job; echo 1 > job/cpuset.mems\n' + INNOCENT +
                  'hog anon 0 comm=leaker grow=1024 cgroup=/sys/fs/cgroup/job\nawait_oom\n',
                  memory=1024, devices=NODES, innocent=False, limit='cpuset'),
    'cpuset-small': Oom('one process grew', 'leaker', 'leaker may use node 1 alone, which is small; server on node 0 is larger',
                        GROUPS + 'mkdir job; echo 1 > job/cpuset.mems\n' + PANIC +
                        'hog anon 307200 comm=server bind=0; sleep 3\n'
                        'hog anon 0 comm=leaker grow=1024 cgroup=/sys/fs/cgroup/job\nawait_oom\n',
                        memory=1024, devices=SMALL_NODE, innocent=False, limit='cpuset', crash=True),
    'mempolicy': Oom('one process grew', 'leaker', 'leaker bound itself to node 1; node 0 had free memory',
                     INNOCENT + 'hog anon 0 comm=leaker grow=1024 bind=1\nawait_oom\n', memory=1024, devices=NODES,
                     innocent=False, limit='memory policy'),
    'lowmem': Oom('driver or unknown', 'silent', 'the zones of the kernel were full, with the pages of the module silent; '
                  'ZONE_MOVABLE was free', INNOCENT + 'hog pipes 409600 comm=client\nawait_oom\n',
                  hogs={'silent': '380:order=0'}, memory=1024, append='movablecore=400M', limit='low zone', amount=False),
    'dying': Oom('one process grew', 'leaker', 'leaker grew; removed groups still had 200 MiB of files of a tmpfs',
                 GROUPS + 'for i in $(seq 100); do mkdir g$i; sh -c "echo \\$\\$ > g$i/cgroup.procs; '
                 'head -c 2M /dev/zero > /dev/shm/$i"; rmdir g$i; done\n' + INNOCENT +
                 'hog anon 0 comm=leaker grow=1024\nawait_oom\n', innocent=False, more='dying control groups'),
    'order3': Oom('', '', 'single pages of the module silent lie in each block of 8; it asks for order 3',
                  INNOCENT + 'hog silent 491520 how=pieces\nawait_oom\n', limit='fragmentation'),
}

# run_out_of_memory() of the guest's init, with the dump of the kdump kernel
HOARD = Oom('one process grew', 'python3', 'python3 hoarded')
PANICS = ('one', 'deleted', 'shm', 'pipes', 'bpf', 'slab', 'driver', 'memcg2', 'mempolicy')     # also with PANIC


def describe(name, oom):
    """cause.txt"""
    return (f'name {name}\ntext {oom.text}\nlimit {oom.limit}\ncause {oom.cause}\nholder {oom.holder}\n'
            f'innocent {"yes" if oom.innocent else "no" if oom.innocent is False else "-"}\nmore {oom.more}\n')
