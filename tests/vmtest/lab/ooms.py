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

# systemd is process 1 from here on: systemd-oomd kills by pressure below hog.slice, then the machine is dumped.
SYSTEMD = """mkdir -p /run/systemd/system /run/systemd/oomd.conf.d; cd /run/systemd/system
printf '[OOM]\\nDefaultMemoryPressureDurationSec=2s\\n' > ../oomd.conf.d/lab.conf
printf '[Unit]\\nWants=systemd-journald.service systemd-oomd.service job.service end.service\\n' > lab.target
printf '[Slice]\\nMemoryHigh=80M\\nManagedOOMMemoryPressure=kill\\nManagedOOMMemoryPressureLimit=1%%\\n' > hog.slice
printf '[Service]\\nSlice=hog.slice\\nExecStart=/lab/more/hogs /tmp/hogs anon 0 comm=leaker grow=1024 quick=1\\n' > job.service
printf '[Unit]\\nAfter=job.service systemd-oomd.service\\n[Service]\\nExecStart=/run/end\\n' > end.service
cat > /run/end <<'END'
#!/bin/sh
while systemctl -q is-active job; do sleep 1; done
sleep 3
journalctl -b -o short-monotonic | grep -i oom > /dev/console
sleep 1
echo c > /proc/sysrq-trigger
END
chmod +x /run/end
exec /lib/systemd/systemd --unit=lab.target
"""


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
    event: str = 'OOM kill'
    amount: bool = True     # is the holder's figure what the one hog took?
    crash: bool = False     # /proc cannot be read afterwards: the truth is recorded before the script, which ends in a panic
    timeout: int = 600


def one(kind, size, cause, text, **kw):
    """A hog that holds most of memory, and processes that pay for it."""
    return Oom(cause, kw.pop('holder', 'hog-' + kind), text, hogs={kind: size}, **kw)


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
    'story': Oom('deleted file of tmpfs', 'logger', 'logger has a log on a tmpfs open, which was deleted',
                 'set_to /proc/self/oom_score_adj -1000; mount -o remount,size=100% /dev/shm; cp /bin/sleep /run/logger\n'
                 "sh -c 'exec 3> /dev/shm/app.log; rm /dev/shm/app.log; head -c 160M /dev/zero >&3; exec /run/logger 9999' &\n"
                 'sleep 20; hog anon 20480 comm=database adj=0; sleep 4\n'
                 'hog anon 0 comm=webserver adj=0 grow=256 pause=20000\nawait_oom\n', memory=320),
    'memfd': one('memfd', '480', 'memfd', 'hog-memfd holds a memfd'),
    'shm': one('shm', '480', 'SysV segment, attached by nobody', 'a SysV segment without any attached process', holder='shmid'),
    'ramfs': one('ramfs', '480', 'ramfs', 'a file of a ramfs, which cannot be reclaimed', holder='/run/hog-ramfs/named'),
    'mlock': one('mlock', '420', 'mlock', 'hog-mlock locked its memory', innocent=False),
    'hugetlb': one('hugetlb', '480', 'hugetlb', 'a pool of huge pages, of which a quarter is used', holder='huge'),
    # it takes a while to end: others may be killed meanwhile
    'pagetables': Oom('page tables', 'hog-pagetables', 'hog-pagetables touched one page in each 2 MiB',
                      hogs={'pagetables': '420'}, innocent=None, amount=False),
    'threads': one('threads', '130:adj=-1000', 'kernel stacks', 'hog-threads has 8320 threads', memory=640, innocent=None),
    'pipes': one('pipes', '480', 'pipes?|pages behind descriptors', 'hog-pipes has full pipes'),
    'pipes-killed': one('pipes', '450:adj=900', 'pages behind descriptors|pipes?', 'hog-pipes has full pipes, and is killed',
                        script=BOUNDED, innocent=False),
    'memfd-killed': one('memfd', '450:adj=900', 'shared memory|memfd', 'hog-memfd holds a memfd, and is killed',
                        script=BOUNDED, innocent=None),     # client may ask again before all is free
    'unix': one('unix', '450', '.*sockets?|pages behind descriptors', 'hog-unix has data in unix sockets that nobody reads'),
    'tcp': one('tcp', '450', '.*sockets?|pages behind descriptors', 'hog-tcp has data in TCP sockets that nobody reads'),
    'packet': one('packet', '450', 'packet rings?|.*sockets?|pages behind descriptors', 'hog-packet has a receive ring'),
    # not to be killed: it has pinned memory of its own, too
    'uring': one('uring', '440:adj=-1000', 'io_uring.*|pages behind descriptors', 'hog-uring has rings', amount=False),
    'bpf': one('bpf', '420', '(?i)bpf maps?|pages behind descriptors|vmalloc', 'hog-bpf has preallocated maps'),
    'ftrace': one('ftrace', '480', '.*trac(e|ing) buffers?', 'the buffers of the tracer were made large', holder='trac'),
    'messages': one('messages', '450', 'unreclaimable slab', 'SysV messages that nobody receives', holder='kmalloc-cg-4k|kmalloc-4k|[Mm]essage'),
    'slab': one('silent', '450:how=slab', 'unreclaimable slab', 'the module silent fills its cache silent_objects',
                holder='silent_objects'),
    'vmalloc': one('silent', '450:how=vmalloc', 'vmalloc', 'the module silent takes areas of vmalloc', holder='silent'),
    'percpu': one('silent', '200:how=percpu', 'per-CPU memory', 'the module silent takes per-CPU memory', holder=''),
    'ramdisk': one('ramdisk', '430', 'ram disks', 'a disk in memory was filled', holder='ram0'),
    'afalg': one('afalg', '430', '.*sockets?|pages behind descriptors', 'hog-afalg sent data to sockets of AF_ALG, whose ciphers wait for the end'),
    'netem': one('netem', '430', 'queues of network devices', 'packets wait in netem', holder='lo: netem'),
    'tun': one('tun', '430', 'queues of network devices', 'hog-tun does not read the packets of its tun'),
    'arena': one('arena', '430', 'bpf maps|pages behind descriptors', 'hog-arena has an arena of BPF'),
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
    # two at once: the larger is the cause, the other has a row
    'two': Oom('deleted file of tmpfs', 'hog-deleted', 'a deleted file and full pipes; the file is the larger',
               hogs={'deleted': '270', 'pipes': '180'}, more='pipes|pages behind descriptors', amount=False),
    'two-kernel': Oom('unreclaimable slab', 'silent_objects', 'the module silent fills a cache, a memfd is smaller',
                      hogs={'silent': '260:how=slab', 'memfd': '190'}, more='memfd', amount=False),
    'forked': Oom('processes of one name grew|one process grew', 'parent', '40 children share what their parent took before the fork',
                  'hog anon 430080 comm=parent children=40; sleep 4\n' + BOUNDED, innocent=None),
    'huge': Oom('one process grew', 'java', 'java has a heap in huge pages, of which it touched a byte each',
                'hog anon 450560 comm=java sparse=1; sleep 4\n' + LAST, innocent=None),
    'cpuset-nested': Oom('one process grew', 'leaker', 'leaker is in a group below that with the cpuset; node 0 had free memory',
                         GROUPS + 'mkdir top; set_to top/cgroup.subtree_control "+memory +pids"\n'
                         'set_to top/cpuset.mems 1; mkdir top/job\n' + INNOCENT +
                         'hog anon 0 comm=leaker grow=1024 cgroup=/sys/fs/cgroup/top/job\nawait_oom\n',
                         memory=1024, devices=NODES, innocent=False, limit='cpuset'),
    'kmalloc': one('silent', '450:how=kmalloc', 'unreclaimable slab', 'the module silent has blocks of kmalloc()', holder='kmalloc-1k'),
    # in the log it is a process of that size; without the kill it is a file
    'lockedfile': one('lockedfile', '420', 'mlock|locked page cache', 'hog-lockedfile maps and locks a deleted file of a disk',
                      innocent=False),
    'zram-full': Oom('one process grew', 'leaker', 'a small swap on zram is full of data that compresses well',
                     'echo 200M > /sys/block/zram0/disksize; mkswap /dev/zram0 > /dev/null; swapon /dev/zram0\n' + INNOCENT +
                     'hog anon 0 comm=leaker grow=1024\nawait_oom\n', innocent=False, more='swap full'),
    'surplus': one('surplus', '460:touch=1', 'hugetlb', 'hog-surplus has surplus huge pages (nr_overcommit_hugepages)'),
    'reserved': one('surplus', '460', 'hugetlb', 'surplus huge pages are reserved for hog-surplus, which uses none'),
    'inflight': one('inflight', '440', 'pipes?|pages behind descriptors', 'pipes in messages of unix sockets that nobody received'),
    'perf': one('perf', '400', 'perf rings?|pages behind descriptors', 'hog-perf has large buffers of perf'),
    'oomd': Oom('', '', 'systemd-oomd killed the group of job, and the kernel nobody',
                'hog anon 102400 comm=job; sleep 3; kill -9 $(pgrep -x job)\n'
                'echo "<6>systemd-oomd[412]: Killed /system.slice/job.service due to memory used (90%) / total '
                '(100%) and swap used (95%) / total (100%) being more than 90.00%" > /dev/kmsg; sleep 2\n',
                innocent=None, limit='', amount=False, event='killed by a program'),
    'earlyoom': Oom('', '', 'earlyoom killed job, and the kernel nobody',
                    'hog anon 102400 comm=job; sleep 3; pid=$(pgrep -x job); kill -9 $pid\n'
                    'echo "<4>earlyoom[311]: sending SIGTERM to process $pid uid 0 \\"job\\": badness 800, VmRSS 101 MiB" '
                    '> /dev/kmsg; sleep 2\n', innocent=None, limit='', amount=False, event='killed by a program'),
    'commit': Oom('', '', 'vm.overcommit_memory=2: greedy is refused memory at CommitLimit; the kernel kills nobody',
                  'echo 2 > /proc/sys/vm/overcommit_memory; { sleep 30; echo c > /proc/sysrq-trigger; } &\nsleep 1\n'
                  'hog anon 0 comm=greedy grow=8192 refused=1\nwait\n',
                  innocent=None, limit='commit limit', crash=True, event='no OOM'),
    'order5': Oom('', '', 'single pages of the module silent lie in each block of 8; it asks for order 5, for which nobody is killed',
                  'hog silent 491520 how=pieces order=5; sleep 20\n', limit='fragmentation', innocent=None,
                  event='failed allocation'),
    'allocating': Oom('one process grew', 'hoard', 'the kernel kills who asks (vm.oom_kill_allocating_task): client, while hoard has most',
                      'set_to /proc/sys/vm/oom_kill_allocating_task 1; hog anon 419840 comm=hoard; sleep 4\n' + LAST,
                      more='kills who asks'),
    'panic-memcg2': Oom('one process grew', 'leaker', 'panic_on_oom=2: the limit of the group /job ends the machine',
                        PANIC + GROUPS + 'mkdir job; echo 100M > job/memory.max\n' + INNOCENT +
                        'hog anon 0 comm=leaker grow=1024 cgroup=/sys/fs/cgroup/job\nawait_oom\n', innocent=None,
                        limit='memory limit of a control group', crash=True),
    'large': Oom('memfd', 'hog-memfd', 'a machine of 2 GiB, most of it in a memfd', hogs={'memfd': '1500'}, memory=2048),
    'small': Oom('pipes?|pages behind descriptors', 'hog-pipes', 'a machine of 384 MiB, most of what is left in pipes',
                 'hog anon 0 comm=client grow=256\nawait_oom\n', hogs={'pipes': '150'}, memory=384, innocent=None),
    'zswap': Oom('one process grew', 'leaker', 'leaker filled memory, zswap and the swap area behind it',
                 'set_to /sys/module/zswap/parameters/max_pool_percent 60; set_to /sys/module/zswap/parameters/enabled Y\n'
                 'mkswap /dev/vdc > /dev/null; swapon /dev/vdc\n' + INNOCENT +
                 'hog anon 0 comm=leaker grow=1024\nawait_oom\n', innocent=False, more='swap full'),
    'unmerged': Oom('processes of one name grew', 'clone', 'pages that KSM had merged were made private again',
                    'cd /sys/kernel/mm/ksm; set_to pages_to_scan 20000; set_to sleep_millisecs 1; set_to run 1\n' + INNOCENT +
                    'for i in 1 2 3 4 5 6; do hog anon 143360 comm=clone-$i merge=1; for t in $(seq 90); do sleep 1; '
                    '[ $(cat pages_sharing) -gt $((i * 33000)) ] && break; done; done\n'
                    'echo 2 > run &\nawait_oom\n', innocent=None),
    'containers': Oom('many processes grew', '', 'a process in each of 24 control groups grew alike',
                      GROUPS + INNOCENT + 'for i in a b c d e f g h i j k l m n o p q r s t u v w x; do mkdir pod-$i; '
                      'hog anon 1024 comm=svc$i grow=256 pause=20000 cgroup=/sys/fs/cgroup/pod-$i; done\nawait_oom\n',
                      innocent=False),
    'high': Oom('', '', 'leaker is slowed down at memory.high of /job; the kernel kills nobody',
                GROUPS + 'mkdir job; echo 60M > job/memory.high\n'
                'hog anon 0 comm=leaker grow=1024 cgroup=/sys/fs/cgroup/job\nsleep 30; echo c > /proc/sysrq-trigger\n',
                innocent=None, limit='memory.high of a control group', crash=True, event='no OOM'),
    'mlockall': Oom('mlock', 'locker', 'locker locks all that it maps; a swap on zram is nearly empty',
                    'echo 300M > /sys/block/zram0/disksize; mkswap /dev/zram0 > /dev/null; swapon /dev/zram0\n' + INNOCENT +
                    'hog anon 1024 comm=locker lockall=1 grow=1024\nawait_oom\n', innocent=False, amount=False),
    'namespace': Oom('tmpfs', 'store', 'a file of a tmpfs that only the mount namespace of one process has',
                     "unshare -m sh -c 'mkdir -p /mnt/vault; mount -t tmpfs -o size=100% vault /mnt/vault; "
                     "head -c 480M /dev/zero > /mnt/vault/store; exec sleep 9999' &\nsleep 25\n" + LAST),
    'bound-memfd': Oom('memfd', 'hog-memfd', 'a memfd fills node 1; client may use that node alone',
                       'hog anon 20480 comm=server; sleep 2\nhog anon 0 comm=client grow=512 bind=1\nawait_oom\n',
                       hogs={'memfd': '360:bind=1'}, memory=1024, devices=NODES, limit='memory policy'),
    'bound-killed': Oom('memfd|shared memory', 'hog-memfd', 'a memfd is to be larger than node 1, the only one that hog-memfd may use',
                        hogs={'memfd': '480:bind=1'}, script='await_oom\n', memory=1024, devices=NODES, innocent=False,
                        limit='memory policy', amount=False),
    'atomic': Oom('driver or unknown', 'silent', 'the module silent takes pages by GFP_ATOMIC until a request fails; nobody is killed',
                  'hog silent 0 how=atomic; sleep 20\n', innocent=None, event='failed allocation', amount=False),
    'memcg1-pipes': Oom('pages behind descriptors|pipes?', 'hog-pipes', 'the limit of /job of version 1, reached by pipes',
                        'cd /; umount /sys/fs/cgroup; mount -t cgroup -o memory memory /sys/fs/cgroup; cd /sys/fs/cgroup\n'
                        'mkdir job; echo 100M > job/memory.limit_in_bytes\n' + INNOCENT +
                        'hog pipes 81920 cgroup=/sys/fs/cgroup/job; sleep 3\n'
                        'hog anon 0 comm=client grow=512 cgroup=/sys/fs/cgroup/job\nawait_oom\n',
                        innocent=None, limit='memory limit of a control group'),
    'idle': one('idle', '430', 'unreclaimable slab|sockets|pages behind descriptors', 'hog-idle has sockets without data',
                holder='UNIX|sock|hog-idle', amount=False),
    'vmas': one('vmas', '150', 'unreclaimable slab', 'hog-vmas has 780,000 mappings of a page', holder='vm_area_struct', amount=False,
                innocent=None, memory=384),
    'groups': Oom('unreclaimable slab|per-CPU memory|control groups', '', 'thousands of control groups, all empty',
                  GROUPS + 'mkdir $(seq -f g%g 12000) 2> /dev/null\n' + LAST + 'sleep 2; echo c > /proc/sysrq-trigger\n', memory=640,
                  more='many control groups', crash=True),      # the truth has files of each group: before there are so many
    # the programs themselves, not their messages: nothing of them is in the kernel's log
    'earlyoom-runs': Oom('', '', 'earlyoom killed leaker, and the kernel nobody',
                         'earlyoom -m 12 -r 0 > /run/earlyoom.log 2>&1 &\n' + INNOCENT +
                         'hog anon 0 comm=leaker grow=1024 pause=20000\n'
                         'for t in $(seq 200); do sleep 1; grep "sending SIG.* to process" /run/earlyoom.log > /dev/console && break; done\n'
                         'sleep 3\n', innocent=None, limit='', amount=False, event='no OOM', more='user-space killer'),
    'oomd-runs': Oom('', '', 'systemd-oomd killed the group of job.service, and the kernel nobody', SYSTEMD, innocent=None, limit='',
                     amount=False, crash=True, append='psi=1', event='no OOM', more='user-space killer', timeout=1200),
    'asked': Oom('one process grew', 'big', 'somebody asked for a kill (sysrq f) though memory was free',
                 'hog anon 307200 comm=big; sleep 5; echo f > /proc/sysrq-trigger\nawait_oom\n', innocent=False, limit=''),
}

# Mixtures that were made up when the rules stood.
MIXTURES = {
    'rivals': Oom('many processes grew|two processes grew', 'ingest.*indexer|indexer.*ingest',
                  'two processes in two control groups grew alike',
                  GROUPS + 'mkdir red blue\n' + INNOCENT +
                  'hog anon 286720 comm=ingest grow=128 pause=20000 cgroup=/sys/fs/cgroup/red\n'
                  'hog anon 286720 comm=indexer grow=128 pause=20000 cgroup=/sys/fs/cgroup/blue\nawait_oom\n',
                  memory=900, innocent=False),
    'half-tmpfs': Oom('tmpfs', '/run/hog-tmpfs/named', 'more than half of memory is a file of a tmpfs; drip grows slowly beside it',
                      INNOCENT + 'hog anon 0 comm=drip grow=256 pause=10000\nawait_oom\n', hogs={'tmpfs': '540'}, memory=1000,
                      innocent=None, more='one process grew'),
    'caged-bomb': Oom('fork bomb', 'spawn', 'a fork bomb inside a control group of 150 MiB; memory elsewhere was free',
                      GROUPS + 'mkdir cage; echo 150M > cage/memory.max\n' + INNOCENT +
                      "sh -c 'echo $$ > cage/cgroup.procs; exec /lab/more/hogs --bomb spawn 128' > /dev/console &\nawait_oom\n"
                      'echo c > /proc/sysrq-trigger\n', memory=900, append='log_buf_len=8M loglevel=2', innocent=False, crash=True,
                      limit='memory limit of a control group'),
    'node-pool': Oom('hugetlb', 'huge', 'a pool of huge pages has most of node 1; client may use that node alone',
                     'set_to /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages 190\n' +
                     GROUPS + 'mkdir job; echo 1 > job/cpuset.mems\n' + INNOCENT +
                     'hog anon 0 comm=client grow=512 cgroup=/sys/fs/cgroup/job\nawait_oom\n',
                     memory=1024, devices=NODES, limit='cpuset'),
    'empty-files': Oom('unreclaimable slab|tmpfs', 'shmem_inode_cache|session', '180,000 empty files of a tmpfs',
                       'mount -o remount,nr_inodes=0 /dev/shm; mkdir /dev/shm/session\n'
                       "python3 -c 'import os\nfor i in range(180000): os.close(os.open(f\"/dev/shm/session/{i}\", 65))'\n" + LAST,
                       memory=400),
    'beside-vmalloc': Oom('one process grew', 'etl', 'etl meets the limit of its group; a driver has 300 MiB of vmalloc meanwhile',
                          GROUPS + 'mkdir batch; echo 90M > batch/memory.max\n' + INNOCENT +
                          'hog anon 0 comm=etl grow=512 cgroup=/sys/fs/cgroup/batch\nawait_oom\n',
                          hogs={'silent': '300:how=vmalloc'}, memory=900, innocent=False, amount=False,
                          limit='memory limit of a control group'),
    'spared': Oom('one process grew', 'hoard', 'hoard has most, and oom_score_adj -600; browser has 400 and dies for it',
                  'hog anon 430080 comm=hoard adj=-600; sleep 4; hog anon 92160 comm=browser adj=400; sleep 2\n'
                  'hog anon 153600 comm=client\nawait_oom\n'),
    'locked-deleted': Oom('deleted file of tmpfs', 'hog-deleted', 'a deleted file, beside locked memory of another process',
                          hogs={'deleted': '430', 'mlock': '300:adj=-1000'}, memory=1200, innocent=None, more='mlock', amount=False),
    'deep-memfd': Oom('memfd', 'hog-memfd', 'a memfd in one group fills the limit of the group above; client in another pays for it',
                      GROUPS + 'mkdir -p top/mid/leaf top/mid/other; set_to top/cgroup.subtree_control +memory\n'
                      'set_to top/mid/cgroup.subtree_control +memory; echo 130M > top/mid/memory.max\n' + INNOCENT +
                      'hog memfd 92160 cgroup=/sys/fs/cgroup/top/mid/leaf; sleep 3\n'
                      'hog anon 0 comm=client grow=256 cgroup=/sys/fs/cgroup/top/mid/other\nawait_oom\n',
                      limit='memory limit of a control group'),
    'caged-threads': Oom('kernel stacks', 'hog-threads', '2560 threads fill a control group of 110 MiB',
                         GROUPS + 'mkdir job; echo 110M > job/memory.max\n' + INNOCENT +
                         'hog threads 40960 adj=-1000 cgroup=/sys/fs/cgroup/job; sleep 8\n'
                         'hog anon 0 comm=client grow=256 cgroup=/sys/fs/cgroup/job\nawait_oom\n', memory=900, innocent=None,
                         limit='memory limit of a control group'),
    'numbered': Oom('processes of one name grew', 'php-fpm', '24 workers with a number in the name grew alike',
                    INNOCENT + 'for i in $(seq 24); do hog anon 30720 comm=php-fpm-$i grow=128 pause=60000; done\nawait_oom\n',
                    memory=1500, innocent=False),
    'pool-leaker': Oom('one process grew', 'render', 'render grew; a pool of huge pages that nobody uses has 200 MiB',
                       'set_to /proc/sys/vm/nr_hugepages 100\n' + INNOCENT + 'hog anon 0 comm=render grow=512\nawait_oom\n',
                       memory=900, innocent=False, more='unused huge pages'),
    'locked-shm': Oom('one process grew', 'leaker', 'leaker grew beside a SysV segment that is locked (SHM_LOCK)',
                      INNOCENT + 'hog anon 0 comm=leaker grow=8192\nawait_oom\n', hogs={'shm': '240:lock=1'}, innocent=False,
                      more='SysV segment, attached by nobody', amount=False),
    'zram-cache': Oom('one process grew', 'cruncher', 'cruncher grew; swap on zram is full, and a mapped program is read again and again',
                      'echo 200M > /sys/block/zram0/disksize; mkswap /dev/zram0 > /dev/null; swapon /dev/zram0\n' + INNOCENT +
                      'hog program 122880 comm=reader again=1; sleep 3\nhog anon 0 comm=cruncher grow=512\nawait_oom\n',
                      memory=700, innocent=False, more='swap full', timeout=900),
}
# Made up later, again with what they should be judged as before they were booted.
LATER = {
    'tail': Oom('one process grew', 'tail', 'a child of a shell keeps all that it reads: tail /dev/zero',
                INNOCENT + "sh -c 'tail /dev/zero > /dev/null; sleep 9999' &\nawait_oom\n", innocent=False),
    'caged-swap': Oom('one process grew', 'etl', 'etl meets memory.max and memory.swap.max of its group; swap elsewhere is free',
                      'mkswap /dev/vdc > /dev/null; swapon /dev/vdc\n' +
                      GROUPS + 'mkdir batch; echo 80M > batch/memory.max; echo 60M > batch/memory.swap.max\n' + INNOCENT +
                      'hog anon 0 comm=etl grow=512 cgroup=/sys/fs/cgroup/batch\nawait_oom\n', innocent=False,
                      limit='memory limit of a control group'),
    'pod-tmpfs': Oom('tmpfs', 'part.0', "a file of a tmpfs in a container's own mount namespace fills its control group; api pays",
                     GROUPS + 'mkdir pod; echo 120M > pod/memory.max\n' + INNOCENT +
                     "sh -c 'echo $$ > pod/cgroup.procs; exec unshare -m sh -c \"mkdir -p /mnt/scratch; mount -t tmpfs -o size=100% "
                     "scratch /mnt/scratch; head -c 96M /dev/zero > /mnt/scratch/part.0; exec sleep 9999\"' &\nsleep 12\n"
                     'hog anon 0 comm=api grow=256 cgroup=/sys/fs/cgroup/pod\nawait_oom\n',
                     limit='memory limit of a control group'),
    'headless': Oom('one process grew', 'pool-|python3', 'a process of 60 threads that all take memory; its first thread has ended',
                    INNOCENT + """cat > /tmp/many.py <<'END'
import ctypes, threading, time
libc = ctypes.CDLL(None)
libc.mlockall(1)
def grow(i):
    libc.prctl(15, b'pool-%d' % i, 0, 0, 0)
    while True:
        kept.append(bytearray(b'x' * (256 << 10)))
        time.sleep(0.05)
kept = []
for i in range(60):
    threading.Thread(target=grow, args=(i,)).start()
libc.syscall(60, 0)
END
python3 /tmp/many.py &
await_oom
""", innocent=False),
    'staggered': Oom('many processes grew', '', 'five services of 70 to 130 MiB, each a little larger every moment; none has most',
                     INNOCENT + 'kib=71680; for name in postgres redis gitlab jenkins elastic; do\n'
                     'hog anon $kib comm=$name grow=128 pause=90000; kib=$((kib + 15360)); sleep 2; done\nawait_oom\n',
                     memory=768, innocent=False),
    'cpuset-kernel': Oom('pipes?|pages behind descriptors', 'client', 'the kernel part of node 1 is full of the pipes of client, which '
                         'may use that node alone; its ZONE_MOVABLE and node 0 are free',
                         GROUPS + 'mkdir job; echo 1 > job/cpuset.mems\n' + INNOCENT +
                         'hog pipes 409600 comm=client cgroup=/sys/fs/cgroup/job\nawait_oom\n',
                         memory=1024, devices=NODES, append='movablecore=500M', innocent=None, limit='cpuset', amount=False),
    'tmpfs-swapped': Oom('tmpfs', '/run/hog-tmpfs/named', 'a named file of a tmpfs fills memory and most of the swap area; client asks',
                         'mkswap /dev/vdc > /dev/null; swapon /dev/vdc\nhog tmpfs 614400; sleep 60\n' + LAST,
                         innocent=None, more='swap full'),
    'min-ttl': Oom('one process grew', 'leaker', 'lru_gen/min_ttl_ms is set: kswapd has leaker killed before memory is out',
                   'set_to /sys/kernel/mm/lru_gen/enabled 7; set_to /sys/kernel/mm/lru_gen/min_ttl_ms 20000\n' + INNOCENT +
                   'hog anon 0 comm=leaker grow=1024\nawait_oom\n', innocent=False, more='thrashing prevention'),
    'caches': one('silent', '420:how=slabs', 'unreclaimable slab', 'the module silent fills 40 caches of its own alike',
                  holder='silent_'),
}
OOMS |= MIXTURES | LATER

# run_out_of_memory() of the guest's init, with the dump of the kdump kernel
HOARD = Oom('one process grew', 'python3', 'python3 hoarded')
PANICS = ('one', 'lockedfile', 'deleted', 'shm', 'pipes', 'bpf', 'slab', 'driver', 'memcg2', 'mempolicy')     # also with PANIC


def describe(name, oom):
    """cause.txt"""
    return (f'name {name}\ntext {oom.text}\nlimit {oom.limit}\ncause {oom.cause}\nholder {oom.holder}\n'
            f'innocent {"yes" if oom.innocent else "no" if oom.innocent is False else "-"}\nmore {oom.more}\n')
