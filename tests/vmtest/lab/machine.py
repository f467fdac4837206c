# SPDX-License-Identifier: GPL-3.0-or-later
"""A guest: its disks, its start, the truth it tells and the dump that is taken of it."""
import glob
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tarfile
import time
from dataclasses import dataclass, replace

from .cross import compiler_of
from .packages import PREPARING, LabError, Suite, mirror, run, version_key
from .targets import ONE_THREAD, PARALLEL, PERSISTENT, TARGETS, target_of

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ZOO = ('zoo', 'memory', 'huge', 'files', 'process', 'task')
MODULES = ('virtio_pci', 'virtio_blk', 'crc32c_generic', 'crc32c_intel', 'libcrc32c', 'ext4',
           'qemu_fw_cfg', 'overlay', 'nd_e820', 'nd_pmem')
TRUTH_MB, DUMP_MB = 400, 3000
# Kernels before 3.6 mount no other.
EXT4 = ('mkfs.ext4', '-q', '-F', '-O', '^metadata_csum,^64bit')


@dataclass
class Plan:
    """What to boot.  PANIC is "", "sysrq" or "oom"; with it the dump is the kdump kernel's."""
    kernel: str             # folder of an unpacked kernel package
    out: str                # where console.log, vmcore and truth/ go
    labs: str = 'zoo'
    memory: int = 0         # MiB; 0: what is usual for the machine
    cpu: str = ''           # "": the machine's usual one
    panic: str = ''
    append: str = ''
    timeout: int = 600
    live: str = ''          # folder whose files become /lab/live
    disk: str = ''          # folder that becomes a disk, /mnt in the guest; not with PANIC
    more: str = ''          # folder whose files become /lab/more
    devices: tuple = ()     # more for QEMU's command
    processors: int = 2
    parallel: bool = False  # a thread of QEMU for each processor (see targets.ONE_THREAD)
    elsewhere: bool = False     # the kernel is of --kernel-dir
    crash: int = 256        # MiB for the kdump kernel
    collect: str = ''       # folder that the kdump kernel has as /crashkernel; its census and bad are kept too


def unmount(tree):
    """What debootstrap may leave mounted, above all when it was stopped."""
    for mount in ('proc', 'sys'):
        if os.path.ismount(f'{tree}/{mount}'):
            run('umount', f'{tree}/{mount}')


def bootstrap(target, tree):
    run('debootstrap', '--arch', target.arch, '--variant=minbase',
        '--include=' + ','.join(target.root_packages), target.suite, tree, mirror(target.suite), timeout=1800)
    unmount(tree)
    shutil.rmtree(tree + '/var/cache/apt', ignore_errors=True)


def unpack_root(target, tree, cache):
    """Packages whose scripts this host cannot run: their files, and what the guest needs beyond."""
    os.makedirs(tree + '/usr')
    for name in ('bin', 'sbin', 'lib', 'lib64'):
        os.mkdir(f'{tree}/usr/{name}')
        os.symlink('usr/' + name, f'{tree}/{name}')
    suite = Suite(target.suite, cache, target.arch)
    suite.unpack(suite.closure(target.root_packages), tree)
    for name in ('dev', 'proc', 'sys', 'run', 'tmp', 'mnt'):
        os.makedirs(f'{tree}/{name}', exist_ok=True)
    if not os.path.exists(tree + '/bin/sh'):
        os.symlink('dash', tree + '/bin/sh')


def root_image(cache, target):
    """The guests' root file system, made once; guests write to an overlay on it."""
    image = os.path.join(cache, 'root.img' if target.native else f'root-{target.arch}.img')
    if os.path.exists(image):
        return image
    print(f'vmtest: making a {target.suite} root image for {target.arch}', flush=True)
    tree = os.path.join(cache, 'root-' + target.arch)
    unmount(tree)
    shutil.rmtree(tree, ignore_errors=True)
    if target.runs_here:
        bootstrap(target, tree)
    else:
        unpack_root(target, tree, cache)
    if not target.native:
        shutil.copy(tree + '/bin/busybox', image + '.busybox')
    os.makedirs(tree + '/lab', exist_ok=True)
    run(*EXT4, '-d', tree, '-L', 'root', image + '.new', '1800M')
    os.rename(image + '.new', image)
    shutil.rmtree(tree)
    return image


def build_zoo(into, target, cache):
    """Compile what runs in the guest.  A host that cannot build for i386 goes without zoo32."""
    source = HERE + '/zoo'
    common, env = compiler_of(target, cache)
    run(*common, '-pthread', '-o', into + '/zoo',
        *[f'{source}/{name}.c' for name in ZOO], env=env)
    run(*common, '-o', into + '/swarm', source + '/swarm.c', env=env)
    for name in 'churn', 'prober':
        run(*common, '-pthread', '-o', f'{into}/{name}', f'{source}/{name}.c', env=env)
    if target.triplet:
        return
    try:
        run(*common, '-m32', '-ffreestanding', '-fno-stack-protector', '-fno-pie', '-static',
            '-nostdlib', '-o', into + '/zoo32', source + '/zoo32.c')
    except LabError:
        print('vmtest: this gcc cannot build for i386: the zoo goes without that kind')


class Kernel:
    """An unpacked Debian kernel package."""

    def __init__(self, folder):
        self.base = folder + '/usr' if glob.glob(folder + '/usr/lib/modules/*') else folder
        self.modules, = glob.glob(self.base + '/lib/modules/*')
        self.release = os.path.basename(self.modules)
        self.image = (glob.glob(folder + '/boot/vmlinu[zx]-*') + glob.glob(self.modules + '/vmlinuz*'))[0]
        # With debug information, of kernels without BTF.
        self.vmlinux = next(iter(glob.glob(folder + '/usr/lib/debug/boot/vmlinux-*')), None)
        if not os.path.exists(self.modules + '/modules.dep.bin'):
            run('depmod', '-b', self.base, self.release)

    @property
    def target(self):
        return target_of(self.release)

    @property
    def dump_level(self):
        """makedumpfile's -d.  Up to 1.7.8 at least it takes tail pages of the newest kernels' slabs
        for user pages (bit 3, value 8) and drops them, and with them tasks and files: so not there.
        That of Debian 12 finds no struct page of 6.12 on POWER9: there it filters nothing.
        """
        if self.target.triplet:
            return 0
        return 31 if version_key(self.release)[:2] < (7, 0) else 23

    @property
    def guest_dump_level(self):
        """The same in the kdump kernel: that of Debian 12 (1.7.2) takes slabs for user pages since 6.10,
        where they are told by page_type (46df8e73a4a3).  Of ppc64le it knows kernels before that.
        """
        if self.target.triplet and version_key(self.release)[:2] < (6, 10):
            return 31
        return 23 if self.dump_level == 31 and version_key(self.release)[:2] >= (6, 10) else self.dump_level

    def needed_modules(self, names=MODULES):
        """Paths of these modules and what they depend on, in the order to load them."""
        depends = {}
        with open(self.modules + '/modules.dep') as f:
            for line in f:
                path, after = line.split(':')
                depends[path] = after.split()
        by_name = {re.sub(r'\.ko.*', '', os.path.basename(p)).replace('-', '_'): p for p in depends}
        order = []
        for path in (by_name[m] for m in names if m in by_name):   # others are built in
            order += [p for p in reversed(depends[path]) if p not in order]
            order += [path] if path not in order else []
        return [os.path.join(self.modules, p) for p in order]


class BuiltKernel:
    """A kernel with all its drivers built in: FOLDER has its vmlinuz and vmlinux (DWARF)."""

    ARCHES = {(62, 1): 'amd64', (3, 1): 'i386', (21, 1): 'ppc64el', (183, 1): 'arm64', (243, 1): 'riscv64'}  # e_machine, EI_DATA

    def __init__(self, folder):
        self.image, self.vmlinux = folder + '/vmlinuz', folder + '/vmlinux'
        with open(self.vmlinux, 'rb') as f:
            text = f.read()
        banner = re.search(rb'Linux version (\d[^ ]*) ', text)
        key = struct.unpack_from('<H', text, 18)[0], text[5]
        if text[:4] != b'\x7fELF' or not banner or key not in self.ARCHES:
            raise LabError(f'{self.vmlinux} is no kernel of {", ".join(self.ARCHES.values())}')
        self.release = banner[1].decode()
        self.target = TARGETS[self.ARCHES[key]]

    def needed_modules(self, _names=MODULES):
        return []


def target_elsewhere(kernel, folder):
    """The machine for a kernel that is not Debian's, of any age, whose configuration FOLDER has."""
    target = kernel.target
    with open(folder + '/config') as f:
        # Kernels without it take such an option for the size of all memory.
        persistent = 'CONFIG_X86_PMEM_LEGACY=y\n' in f.read()
    append = target.append if persistent else target.append.replace(PERSISTENT, '')
    return replace(target, append=append + ' printk.time=1', swap=512, cpu=cpu_for(target, version_key(kernel.release)))


def cpu_for(target, version):
    """What a kernel of VERSION knows, of the machine's CPUs."""
    # 3.10.4 starts no program where XSAVE has the state of AVX-512.
    if target.native and version < (4, 4):
        return 'Nehalem'
    # A guest has radix tables since 4.11 (cc3d2940133d).
    if target.kernel_arch == 'powerpc' and version < (4, 11):
        return 'POWER8'
    return target.cpu


def kernel_in(folder):
    return BuiltKernel(folder) if os.path.exists(folder + '/vmlinuz') else Kernel(folder)


def unpack_module(path, into):
    tools = {'.xz': ['xz', '-dc'], '.zst': ['zstd', '-dqc'], '.gz': ['gzip', '-dc']}
    name, ending = os.path.splitext(os.path.basename(path))
    if ending not in tools:
        shutil.copy(path, into)
        return os.path.basename(path)
    with open(os.path.join(into, name), 'wb') as out:
        subprocess.run(tools[ending] + [path], stdout=out, check=True)
    return name


def make_initramfs(kernel, busybox, path, collect=''):
    tree = path + '.tree'
    shutil.rmtree(tree, ignore_errors=True)
    for sub in ('bin', 'modules', 'proc', 'dev', 'new'):
        os.makedirs(f'{tree}/{sub}')
    shutil.copy(busybox, tree + '/bin/busybox')
    shutil.copy(HERE + '/guest/early', tree + '/init')
    os.chmod(tree + '/init', 0o755)
    if collect:
        shutil.copytree(collect, tree + '/crashkernel')
    names = [unpack_module(p, tree + '/modules') for p in kernel.needed_modules()]
    with open(tree + '/modules/order', 'w') as f:
        f.write('\n'.join(names) + '\n')
    run('sh', '-c', f'cd "{tree}" && find . | cpio -o -H newc --quiet | gzip -1 > "{path}"')
    shutil.rmtree(tree)


def empty_file(path, megabytes):
    with open(path, 'wb') as f:
        f.truncate(megabytes << 20)
    return path


def lab_disk(kernel, initramfs, path, cache, plan):
    """A small read-only disk, /lab in the guest: the zoo, the guest's scripts, the kdump kernel."""
    tree = path + '.tree'
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(tree)
    if plan.labs != 'hogs':
        build_zoo(tree, kernel.target, cache)
    for name in ('init', 'truth.py'):
        shutil.copy(f'{HERE}/guest/{name}', tree)
        os.chmod(f'{tree}/{name}', 0o755)
    shutil.copy(kernel.image, tree + '/vmlinuz')
    shutil.copy(initramfs, tree + '/initrd')
    for folder, name in (plan.live, 'live'), (plan.more, 'more'):
        if folder:
            shutil.copytree(folder, f'{tree}/{name}')
    run(*EXT4, '-d', tree, path, f'{kernel.target.lab_disk}M')
    shutil.rmtree(tree)
    return path


class Monitor:
    """QEMU's control socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(300)
        self.socket.connect(path)
        self.file = self.socket.makefile('rw')
        self.file.readline()
        self.ask('qmp_capabilities')

    def close(self):
        self.file.close()
        self.socket.close()

    def ask(self, command, **arguments):
        self.file.write(json.dumps({'execute': command, 'arguments': arguments}) + '\n')
        self.file.flush()
        while True:
            answer = json.loads(self.file.readline())
            if 'error' in answer:
                raise LabError(f'QEMU: {command}: {answer["error"]["desc"]}')
            if 'return' in answer:
                return answer['return']


def busybox_of(target, root):
    """For the initramfs: it must be of the kernel's CPU."""
    return shutil.which('busybox') if target.native else root + '.busybox'


class Machine:
    """One run of one guest.  After take_dump(), OUT has vmcore, truth/ and console.log."""

    def __init__(self, plan, cache):
        self.plan, self.cache = plan, cache
        self.out = os.path.abspath(plan.out)
        self.kernel = kernel_in(plan.kernel)
        self.target = target_elsewhere(self.kernel, plan.kernel) if plan.elsewhere else self.kernel.target
        plan.memory = plan.memory or self.target.memory
        plan.cpu = plan.cpu or self.target.cpu
        self.root = os.path.abspath(root_image(cache, self.target))
        self.log = self.out + '/console.log'
        self.process = None

    @property
    def filtered(self):
        """Does makedumpfile filter QEMU's dump? Of its own CPU only, and not before 4.17: no VMCOREINFO."""
        return self.target.native and not self.plan.elsewhere

    def dumped(self):
        """Has an earlier run left its dump and truth?"""
        return os.path.exists(self._path('truth/dmesg')) and os.path.exists(self._path('vmcore'))

    def _path(self, name):
        return os.path.join(self.out, name)

    def _disks(self):
        initramfs = self._path('initrd.gz')
        make_initramfs(self.kernel, busybox_of(self.target, self.root), initramfs, self.plan.collect)
        overlay = self._path('disk.qcow2')
        run('qemu-img', 'create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', self.root, overlay)
        disks = [f'file={overlay},format=qcow2']
        for path in (empty_file(self._path('truth.raw'), TRUTH_MB),
                     empty_file(self._path('swap.raw'), self.target.swap),
                     lab_disk(self.kernel, initramfs, self._path('lab.img'), self.cache,
                              self.plan)):
            disks.append(f'file={path},format=raw')
        if self.plan.disk:
            path = self._path('more.img')
            run(*EXT4, '-d', self.plan.disk, path, '1500M')
            disks.append(f'file={path},format=raw')
        if self.plan.panic:
            dump = empty_file(self._path('dump.raw'), DUMP_MB)
            run(*EXT4, dump)
            disks.append(f'file={dump},format=raw')
        return disks

    def _command(self):
        plan = self.plan
        # On a busy host the timer's check fails, and the tests of ciphers are called lockups.
        append = (f'console={self.target.console} panic=0 no_timer_check cryptomgr.notests'
                  f' secretmem.enable=1 lab={plan.labs} {self.target.append} {plan.append}')
        if plan.disk:
            append += ' disk=/dev/vde'
        if plan.panic:
            append += (f' crashkernel={plan.crash}M panicby={plan.panic}'
                       f' dumplevel={self.kernel.guest_dump_level}')
        qemu = [PARALLEL if plan.parallel and word == ONE_THREAD else word for word in self.target.qemu]
        command = [*qemu, '-cpu', plan.cpu,
                   '-m', str(plan.memory),
                   # sockets: firmware's table for kernels without ACPI lists no more
                   '-smp', f'{plan.processors},sockets={plan.processors}', '-nodefaults', '-no-reboot',
                   '-display', 'none', '-serial', 'file:' + self.log,
                   '-qmp', f'unix:{self._path("qmp")},server=on,wait=off',
                   '-kernel', self.kernel.image, '-initrd', self._path('initrd.gz'),
                   '-append', append, *plan.devices]
        for disk in self._disks():
            command += ['-drive', disk + ',if=virtio,cache=unsafe,werror=report']
        return command

    def boot(self):
        """Start and wait until the guest is ready, or dumped if it is to panic.

        A kernel that dies by itself before that has told nothing that could differ. It is
        started again, three times in all, and each time is printed.
        """
        for left in (2, 1, 0):
            why = self._boot_once()
            if not why:
                return
            tail = '\n'.join(self.console().splitlines()[-15:])
            died = self._died()
            self.stop()
            if not (died and left):
                raise LabError(f'{self.kernel.release}: {why}\n{tail}')
            print(f'vmtest: {self.kernel.release}: the kernel died before it was ready; started again')

    def _arrived(self):
        """Is the guest where it can be dumped? Asked until it is."""
        return ('LAB-DUMPED' if self.plan.panic else 'LAB-READY') in self.console()

    def _died(self):
        """Has the kernel panicked where neither the plan nor our module can be the reason?"""
        text = self.console()
        if (self.plan.panic or self.plan.live) and re.search('Run /init|LAB-', text):
            return False
        return 'Kernel panic - not syncing' in text

    def _boot_once(self):
        """Why the guest did not come to what is awaited, or ''."""
        shutil.rmtree(self.out, ignore_errors=True)
        os.makedirs(self.out)
        with PREPARING:
            command = self._command()
        with open(self._path('qemu.err'), 'w') as err:
            self.process = subprocess.Popen(command, stderr=err)
        patience = self.plan.timeout * self.target.patience
        end = time.time() + patience
        while not self._arrived():
            failed = re.search(r'LAB-FAILED.*', self.console())
            if failed:
                return failed[0]
            if self.process.poll() is not None:
                return 'QEMU ended'
            if self._died():
                return 'the kernel died before it was ready'
            if time.time() > end:
                return f'not ready in {patience} s'
            time.sleep(0.5)
        return ''

    def console(self):
        """What the guest printed so far."""
        try:
            with open(self.log, errors='replace') as f:
                return f.read()
        except OSError:
            return ''

    def said(self, pattern):
        """What the console says first of the pattern's group, or ''."""
        found = re.search(pattern, self.console())
        return found[1] if found else ''

    def lacking(self):
        """What the zoo said this kernel lacks."""
        return re.findall(r'^zoo: .*lacks.*$', self.console(), re.M)

    def take_dump(self):
        if self.plan.panic:
            self.process.wait(60)
            run('debugfs', '-R', f'dump /vmcore {self._path("vmcore")}', self._path('dump.raw'))
            if self.plan.collect:
                run('debugfs', '-R', f'rdump /bad /census {self.out}', self._path('dump.raw'))
        else:
            time.sleep(1)
            monitor = Monitor(self._path('qmp'))
            monitor.ask('stop')
            monitor.ask('dump-guest-memory', paging=False, protocol=f'file:{self._path("vmcore")}')
            if not self.filtered:
                # makedumpfile makes nothing of the dump: QEMU's own forms
                monitor.ask('dump-guest-memory', paging=False, format='kdump-zlib',
                            protocol=f'file:{self._path("vmcore.kdump-zlib")}')
                monitor.ask('pmemsave', val=self.target.ram, size=self.plan.memory << 20,
                            filename=self._path('vmcore.raw'))
            self._after_dump(monitor)
            monitor.ask('quit')
        self.stop()
        for path in glob.glob(self._path('vmcore*')):
            os.chmod(path, 0o644)
        with tarfile.open(self._path('truth.raw')) as tar:
            tar.extractall(self._path('truth'))
        for name in ('truth.raw', 'swap.raw', 'root.raw', 'disk.qcow2', 'lab.img', 'more.img',
                     'dump.raw', 'initrd.gz', 'qmp'):
            if os.path.exists(self._path(name)):
                os.unlink(self._path(name))

    def _after_dump(self, monitor):
        """The guest stands still; QEMU ends next."""

    def stop(self):
        if self.process is None:
            return
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
