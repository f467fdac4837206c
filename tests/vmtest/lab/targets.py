# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines that guests are, by the name that Debian gives their CPU."""
import functools
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass

ROOT_PACKAGES = ('python3', 'busybox-static', 'procps', 'kmod', 'util-linux', 'iproute2',
                 'kexec-tools', 'makedumpfile')
SERVERS = ('redis-server', 'postgresql', 'nginx-light', 'systemd', 'systemd-oomd', 'earlyoom')
# What debootstrap brings, where its packages cannot be configured on this host.
BASE = ('base-files', 'bash', 'coreutils', 'dash', 'grep', 'libc-bin', 'mount', 'netbase',
        'sed')


@dataclass(frozen=True)
class Target:
    arch: str
    qemu: tuple             # QEMU's command up to -cpu
    cpu: str
    console: str
    packages: tuple         # of the root image
    triplet: str = ''       # of the cross compiler; "": this host's compiler does
    kernel_arch: str = ''   # as the kernel's build calls it
    flags: tuple = ()       # of the compiler
    types_since: tuple = (0, 0)     # the first kernel whose image has BTF
    memory: int = 1024      # MiB, usually
    patience: int = 1       # times as slow as this host emulates itself
    lab_disk: int = 192     # MiB
    swap: int = 128         # MiB
    append: str = ''        # more for the kernel's command line
    ram: int = 0            # where memory begins
    suite: str = 'bookworm'     # of the root image

    @property
    def native(self):
        return self.arch == 'amd64'

    @property
    def runs_here(self):
        """Can this host run its programs?"""
        return not self.triplet and (self.native or runs(self.flags))

    @property
    def root_packages(self):
        """Of the root image. What cannot be configured here needs what debootstrap brings, and servers would
        not start."""
        if self.runs_here or self.triplet:
            return self.packages
        return BASE + tuple(p for p in self.packages if p not in SERVERS)


@functools.cache
def runs(flags):
    """Does the kernel of this host run what its compiler makes with FLAGS? One may be built, or started, without
    32-bit programs."""
    with tempfile.TemporaryDirectory() as d:
        program = os.path.join(d, 'a')
        made = subprocess.run(['gcc', *flags, '-nostdlib', '-static', '-o', program, '-xc', '-'],
                              input=b'void _start(void) { for (;;) __asm__("int $0x80" : : "a"(1), "b"(0)); }',
                              capture_output=True, check=False)
        try:
            return not made.returncode and not subprocess.run([program], check=False).returncode
        except OSError:
            return False


# One thread emulates all processors in turn: QEMU's emulation with a thread per processor loses
# against a kernel that patches its own text ("Oops: int3"), about once in thirty boots.
ONE_THREAD = 'tcg,thread=single'
# For a kernel that does not, and whose races are looked for.
PARALLEL = 'tcg,thread=multi'

PC = ('qemu-system-x86_64', '-accel', ONE_THREAD,
      '-device', 'vmcoreinfo')      # with qemu_fw_cfg, QEMU's dump gets that note
# What firmware says of speculation QEMU cannot emulate; large pages for the hash MMU.
PSERIES = ('qemu-system-ppc64', '-accel', ONE_THREAD, '-M',
           'pseries,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off,'
           'cap-hpt-max-page-size=16M')

# That of 7.2 has no vmcoreinfo device ("requires fw_cfg with DMA").
RISCV_VIRT = ('qemu-system-riscv64', '-accel', ONE_THREAD, '-M', 'virt')
VIRT = ('qemu-system-aarch64', '-accel', ONE_THREAD, '-M', 'virt', '-device', 'vmcoreinfo')

# Memory that the kernel takes for persistent, for DAX.  Both sections of its page array, of
# 128 MiB, are shared with RAM.
PERSISTENT = 'memmap=32M!0x27000000'

TARGETS = {t.arch: t for t in (
    Target('amd64', PC, 'Skylake-Server', 'ttyS0', ROOT_PACKAGES + SERVERS, append=PERSISTENT),
    Target('i386', PC, 'Skylake-Server', 'ttyS0', ROOT_PACKAGES + SERVERS, flags=('-m32',),
           types_since=(99, 0)),
    # The zoo counts in pages, which are of 64 KiB for most of its kernels.
    Target('ppc64el', PSERIES, 'POWER9', 'hvc0', BASE + ROOT_PACKAGES,
           triplet='powerpc64le-linux-gnu', kernel_arch='powerpc', types_since=(6, 12),
           memory=2048, patience=3, lab_disk=192, swap=256),
    # 52 bits of addresses in 5 levels of 4 KiB, in 4 of 16 KiB; neoverse-n1 has 48 and 47.
    Target('arm64', VIRT, 'max', 'ttyAMA0', BASE + ROOT_PACKAGES, triplet='aarch64-linux-gnu', kernel_arch='arm64',
           types_since=(6, 12), memory=2048, patience=3, lab_disk=256, ram=0x40000000),
    # 57 bits of addresses; with no5lvl 48, with no4lvl 39.
    Target('riscv64', RISCV_VIRT, 'rv64,svnapot=on,svpbmt=on', 'ttyS0', BASE + tuple(p for p in ROOT_PACKAGES if p != 'kexec-tools'),
           triplet='riscv64-linux-gnu', kernel_arch='riscv', types_since=(6, 12), patience=3, lab_disk=256, ram=0x80000000,
           suite='trixie'),
)}


def target_of(release):
    """The machine of a kernel, by its flavour or what ends in it."""
    if re.search('(^|-)powerpc64le(-64k)?$', release):
        return TARGETS['ppc64el']
    if re.search('(^|-)arm64(-16k)?$', release):
        return TARGETS['arm64']
    if re.search('(^|-)riscv64$', release):
        return TARGETS['riscv64']
    return TARGETS['i386' if re.search('(^|-)686(-pae)?$', release) else 'amd64']
