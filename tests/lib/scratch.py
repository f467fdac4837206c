# SPDX-License-Identifier: GPL-3.0-or-later
"""Where tests write: BUILD/scratch, which is in memory if there is room.

A file system on a disk takes a quarter of the time of "make check": thousands of files are made and
removed, and ext4 looks long for the number of a new file where many were just removed.
"""
import hashlib
import os
import shutil
import tempfile

MEMORY = '/dev/shm'
NEEDED = 3 << 30        # bytes; "make check" has about 1 GiB there at most


def available():
    """Bytes that can be taken without swapping."""
    with open('/proc/meminfo', encoding='ascii') as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith('MemAvailable:'))


def roomy():
    try:
        there = os.statvfs(MEMORY)
        return min(there.f_bavail * there.f_frsize, available() // 2) >= NEEDED
    except (OSError, StopIteration):
        return False


def scratch_of(build, *names):
    """The path NAMES below the place where tests write."""
    return os.path.join(build, 'scratch', *names)


def begin(build):
    """An empty BUILD/scratch; temporary files are in it, too."""
    end(build)
    link = scratch_of(build)
    if roomy():
        name = hashlib.sha1(os.path.abspath(build).encode()).hexdigest()[:12]
        place = os.path.join(MEMORY, f'vmcensus-{os.getuid()}-{name}')
        shutil.rmtree(place, ignore_errors=True)
        os.mkdir(place, 0o755)     # the program reads as nobody
        os.symlink(place, link)
    os.makedirs(scratch_of(build, 'tmp'))
    os.environ['TMPDIR'] = tempfile.tempdir = os.path.abspath(scratch_of(build, 'tmp'))


def end(build, keep=False):
    """Removes it; KEEP: what is in memory is moved to the disk, to be looked at, without temporary files."""
    link = scratch_of(build)
    place = os.path.realpath(link)
    if os.path.islink(link):
        os.unlink(link)
        if keep:
            shutil.rmtree(os.path.join(place, 'tmp'), ignore_errors=True)
            shutil.copytree(place, link, symlinks=True)
    if not keep or place != os.path.abspath(link):
        shutil.rmtree(place, ignore_errors=True)
