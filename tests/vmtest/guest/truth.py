#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""truth.py DEVICE [PANIC]: stop user space, then write what the kernel itself says of memory, as
a tar, to DEVICE.

It stays alive until the dump and nothing runs after it: with every process that starts or ends, the
others' share of the pages of libc changes.  PANIC "sysrq" brings the machine down from here;
with "oom", "later" and "then" it ends, because memory is to change.
"""
import ctypes
import glob
import io
import mmap
import os
import re
import signal
import struct
import sys
import tarfile
import time

PF_KTHREAD = 0x00200000
SYS_move_pages = {'x86_64': 279, 'ppc64le': 301}.get(os.uname().machine)
SYS_finit_module = {'x86_64': 313, 'ppc64le': 353}.get(os.uname().machine)
PAGE = os.sysconf('SC_PAGESIZE')
# The count of switches, in status, comes first: if it is the same in the dump, so is all that follows.
OF_ANY = ('status', 'stat', 'comm', 'cmdline', 'cgroup', 'oom_score', 'oom_score_adj', 'io', 'stack',
          'wchan')
OF_USER = ('maps', 'smaps', 'smaps_rollup', 'statm', 'numa_maps', 'mountinfo')
MANY = 100000       # mappings: what /proc says of more takes the memory that a small guest has left
PAGEMAP_SPLITS = (3, 4)     # until this release reading pagemap splits huge pages (5aaabe831eb5; read: RHEL 6)
OF_SYSTEM = ('meminfo', 'vmstat', 'zoneinfo', 'buddyinfo', 'pagetypeinfo', 'slabinfo', 'swaps',
             'iomem', 'version', 'cmdline', 'mounts', 'vmallocinfo', 'kallsyms', 'uptime', 'loadavg',
             'pressure/memory', 'pressure/cpu', 'pressure/io', 'sysvipc/shm', 'sysvipc/msg', 'modules',
             'net/sockstat', 'net/packet', 'net/unix', 'filesystems', 'self/mountinfo', 'allocinfo')
OF_SYSFS = ('kernel/mm/ksm/pages_shared', 'kernel/mm/ksm/pages_sharing',
            'kernel/mm/transparent_hugepage/enabled')


def read(path):
    try:
        with open(path, 'rb') as f:
            return f.read()
    except OSError:
        return None


def stat_fields(pid):
    """The fields of stat from the state on: the name may hold anything."""
    text = read(f'/proc/{pid}/stat')
    return text.rsplit(b')', 1)[1].split() if text else []


def is_kernel_thread(pid):
    fields = stat_fields(pid)
    return not fields or bool(int(fields[6]) & PF_KTHREAD)


def everyone():
    """All processes, and those of them that are no kernel threads."""
    pids = sorted(int(p) for p in os.listdir('/proc') if p.isdigit())
    return pids, {p for p in pids if not is_kernel_thread(p)}


def freeze():
    """SIGSTOP to all but process 1, this one and its shell, and to what they started
    meanwhile; then let the kernel settle.
    """
    stopped = {1, os.getpid(), os.getppid()}
    for _ in range(10):
        more = everyone()[1] - stopped
        if not more:
            break
        for pid in more:
            try:
                os.kill(pid, signal.SIGSTOP)
            except OSError:
                pass
        stopped |= more
        time.sleep(1)
    os.sync()
    time.sleep(1)


def settle(pids):
    """Do beforehand what looking at memory does to memory."""
    # Map all of this program's own pages, or the first use of one would change others' Pss.
    libc = ctypes.CDLL(None)
    libc.mlockall(1)        # MCL_CURRENT
    libc.munlockall()
    # Reading a command line marks its page as referenced, then as active, then as both, which
    # lasts; the page may be shared with other processes.
    for _ in range(5):
        for pid in pids:
            read(f'/proc/{pid}/cmdline')
        time.sleep(0.2)
    # Pages on their way to a list of the kernel's get there: moving no pages waits for all of them.
    if SYS_move_pages:
        libc.syscall(SYS_move_pages, 0, 0, bytes(8), bytes(8), bytes(8), 2)     # MPOL_MF_MOVE


def release():
    """Of the kernel, as a pair: what uname() says may be another, for the sake of the C library."""
    return tuple(int(n) for n in re.findall(rb'\d+', read('/proc/version'))[:2])


def pagemap(pid, maps):
    """For each mapping: start, end, count as u64, then the pagemap entries."""
    out = io.BytesIO()
    fd = os.open(f'/proc/{pid}/pagemap', os.O_RDONLY)
    for line in maps.splitlines():
        start, end = (int(x, 16) for x in line.split()[0].split(b'-'))
        if start >= 1 << 63:            # vsyscall
            continue
        data = os.pread(fd, (end - start) // PAGE * 8, start // PAGE * 8)
        out.write(struct.pack('<QQQ', start, end, len(data) // 8) + data)
    os.close(fd)
    return out.getvalue()


def mappings(pid):
    try:
        with open(f'/proc/{pid}/maps', 'rb') as f:
            return sum(block.count(b'\n') for block in iter(lambda: f.read(1 << 16), b''))
    except OSError:
        return 0


def process(pid, user):
    base = f'/proc/{pid}'
    user = user and mappings(pid) <= MANY
    for name in OF_ANY + (OF_USER if user else ()):
        yield f'{pid}/{name}', read(f'{base}/{name}')
    threads = glob.glob(f'{base}/task/*')
    leader_gone = stat_fields(pid)[:1] == [b'Z'] and len(threads) > 1
    for path in threads:
        tid = os.path.basename(path)
        yield f'{pid}/task/{tid}', read(path + '/stat')
        # The memory of a process without its leader shows through the other threads alone.
        if leader_gone and int(tid) != pid:
            yield f'{pid}/thread_smaps/{tid}', read(path + '/smaps')
            yield f'{pid}/thread_maps/{tid}', read(path + '/maps')
    if user:
        try:
            yield f'{pid}/exe', os.fsencode(os.readlink(f'{base}/exe'))
            if release() >= PAGEMAP_SPLITS:
                yield f'{pid}/pagemap.bin', pagemap(pid, read(f'{base}/maps') or b'')
        except OSError:
            pass


def frame_table(name, path=''):
    """kpagecount and its like want reads of whole 8-byte words; page_owner, of one record."""
    parts = []
    try:
        fd = os.open(path or '/proc/' + name, os.O_RDONLY)
        while part := os.read(fd, 1 << 16):
            parts.append(part)
        os.close(fd)
    except OSError as e:
        return name + '.error', str(e).encode()
    return name, b''.join(parts)


def control_groups():
    root = '/sys/fs/cgroup'
    for directory, _, files in os.walk(root):
        for name in files:
            if name.startswith('memory.') or name == 'cgroup.procs':
                path = os.path.join(directory, name)
                yield 'cgroup' + path[len(root):], read(path)


def trim():
    """For small dumps: drop unused inodes and directory entries.

    Done before as well as after looking through /proc, which leaves thousands: the same knob also
    has huge pages split and their untouched parts freed, which must not happen after the truth.
    """
    if b' trim' not in (read('/proc/cmdline') or b''):
        return
    for _ in range(3):
        with open('/proc/sys/vm/drop_caches', 'w') as f:
            f.write('2')
        time.sleep(1)


def kernel_log():
    """As syslog(2) gives it, less the priorities: dmesg(1) has ideas of its own on indentation."""
    text = ctypes.create_string_buffer(4 << 20)
    size = ctypes.CDLL(None).klogctl(3, text, len(text))    # SYSLOG_ACTION_READ_ALL
    return re.sub(rb'^<\d+>', b'', text.raw[:max(size, 0)], flags=re.M)


def everything(pids, users, loaded):
    trim()
    for pid in pids:
        yield from process(pid, pid in users)
    trim()
    for name in ('kpagecount', 'kpageflags', 'kpagecgroup'):
        yield frame_table(name)
    for name in OF_SYSTEM:
        yield name.replace('/', '_'), read('/proc/' + name)
    for name in OF_SYSFS:
        yield os.path.basename(name), read('/sys/' + name)
    for path in glob.glob('/sys/devices/system/node/node*'):
        for name in 'meminfo', 'numastat', 'distance':
            yield f'node/{os.path.basename(path)}/{name}', read(f'{path}/{name}')
    if os.path.exists('/sys/kernel/debug/page_owner'):
        yield frame_table('page_owner', '/sys/kernel/debug/page_owner')
    yield from control_groups()
    for path in glob.glob('/tmp/hogs/*'):
        yield path[len('/tmp/'):], read(path)
    yield 'dmesg', kernel_log()
    yield from live(users, loaded)


LIVE = '/lab/live/'
LIVE_OUT = '/tmp/live/'


def run_to_files(name, command):
    """Run it; stdout and stderr go to files, so that none is waited for."""
    opened = [(os.POSIX_SPAWN_OPEN, n, LIVE_OUT + name + end, os.O_WRONLY | os.O_CREAT, 0o600)
              for n, end in ((1, ''), (2, '.err'))]
    pid = os.posix_spawn(command[0], command, {}, file_actions=opened)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def load_modules():
    """Before the truth: loading one may start modprobe, which marks pages of libc as referenced."""
    for line in (read(LIVE + 'modules') or b'').decode().splitlines():
        fd = os.open(LIVE + line, os.O_RDONLY)
        status = ctypes.CDLL(None, use_errno=True).syscall(SYS_finit_module, fd, b'', 0)
        yield line, status and ctypes.get_errno()
        os.close(fd)


def words_of(line, users):
    """Of a command: "@5" is the fifth of the processes that stand still, or the last."""
    still = sorted(users - {1, os.getpid(), os.getppid()})
    return [str(still[min(int(w[1:]), len(still) - 1)]) if re.fullmatch('@[0-9]+', w) else w
            for w in line.split(' ')]


def live(users, loaded):
    """What the programs of /lab/live say while all else stands still.

    They bring their own C library, or they would share pages with those that are frozen.  What
    /lab/live/read names is read here: another process would be one more to share.
    """
    if not os.path.isdir(LIVE):
        return
    os.makedirs(LIVE_OUT)
    for name, status in loaded:
        yield 'live/' + name + '.status', b'%d' % status
    for line in (read(LIVE + 'read') or b'').decode().splitlines():
        yield 'live/' + os.path.basename(line), read(line)
    for line in (read(LIVE + 'commands') or b'').decode().splitlines():
        name, *words = words_of(line, users)
        yield f'live/{name}.words', ' '.join(words).encode()
        status = run_to_files(name, [LIVE + 'ld.so', '--library-path', LIVE] + words)
        yield f'live/{name}.status', b'%d' % status
    for name in sorted(os.listdir(LIVE_OUT)):       # also what they wrote themselves
        yield f'live/{name}', read(LIVE_OUT + name)
    yield 'live/dmesg', kernel_log()


def archive(items):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as tar:
        for name, data in items:
            if data is not None:
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def write_raw(device, data):
    """Past the page cache, which would otherwise grow while the truth is told."""
    size = -(-len(data) // 4096) * 4096
    memory = mmap.mmap(-1, size)        # aligned, as O_DIRECT wants
    memory.write(data)
    view = memoryview(memory)
    fd = os.open(device, os.O_WRONLY | os.O_DIRECT)
    done = 0
    while done < size:
        done += os.pwrite(fd, view[done:done + (1 << 20)], done)
    os.close(fd)


def main():
    device, panic = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ''
    loaded = list(load_modules())
    freeze()
    pids, users = everyone()
    settle(users)
    data = archive(everything(pids, users, loaded))
    write_raw(device, data)
    print(f'LAB-TRUTH {len(data)} bytes, {len(users)} user processes\nLAB-READY', flush=True)
    if panic in ('oom', 'later', 'then'):       # memory must change for that: the caller brings it about
        return
    if panic == 'sysrq':
        with open('/proc/sysrq-trigger', 'w') as f:
            f.write('c')
    signal.pause()


main()
