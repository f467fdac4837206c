# SPDX-License-Identifier: GPL-3.0-or-later
"""A guest: its disks, its start, the truth it tells and the dump that is taken of it."""
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import tarfile
import time
from dataclasses import dataclass

from .packages import LabError, mirror, run, version_key

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT_PACKAGES = ('python3,busybox-static,procps,kmod,util-linux,iproute2,kexec-tools,makedumpfile,'
                 'redis-server,postgresql,nginx-light')
ROOT_SUITE = 'bookworm'
MODULES = ('virtio_pci', 'virtio_blk', 'crc32c_generic', 'crc32c_intel', 'libcrc32c', 'ext4',
           'qemu_fw_cfg', 'overlay')
TRUTH_MB, SWAP_MB, DUMP_MB = 400, 128, 3000


@dataclass
class Plan:
    """What to boot.  PANIC is "", "sysrq" or "oom"; with it the dump is the kdump kernel's."""
    kernel: str             # folder of an unpacked kernel package
    out: str                # where console.log, vmcore and truth/ go
    labs: str = 'zoo'
    memory: int = 1024      # MiB
    cpu: str = 'Skylake-Server'
    panic: str = ''
    append: str = ''
    timeout: int = 600
    processors: int = 2
    crash: int = 256        # MiB for the kdump kernel


def root_image(cache, arch='amd64'):
    """The guests' root file system, made once; guests write to an overlay on it."""
    image = os.path.join(cache, 'root.img' if arch == 'amd64' else f'root-{arch}.img')
    if os.path.exists(image):
        return image
    print(f'vmtest: making a {ROOT_SUITE} root image for {arch}', flush=True)
    tree = os.path.join(cache, 'root-' + arch)
    shutil.rmtree(tree, ignore_errors=True)
    run('debootstrap', '--arch', arch, '--variant=minbase', '--include=' + ROOT_PACKAGES,
        ROOT_SUITE, tree, mirror(ROOT_SUITE), timeout=1800)
    if arch != 'amd64':
        shutil.copy(tree + '/bin/busybox', image + '.busybox')
    for mount in ('proc', 'sys'):       # debootstrap may leave them
        if os.path.ismount(f'{tree}/{mount}'):
            run('umount', f'{tree}/{mount}')
    shutil.rmtree(tree + '/var/cache/apt', ignore_errors=True)
    os.makedirs(tree + '/lab', exist_ok=True)
    run('mkfs.ext4', '-q', '-F', '-d', tree, '-L', 'root', image + '.new', '1800M')
    os.rename(image + '.new', image)
    shutil.rmtree(tree)
    return image


def build_zoo(into, arch):
    """Compile what runs in the guest.  A host that cannot build for i386 goes without zoo32."""
    source = HERE + '/zoo'
    common = ['gcc', '-O1', '-std=gnu11', '-D_GNU_SOURCE', '-D_FILE_OFFSET_BITS=64', '-Wall']
    if arch == 'i386':
        common.append('-m32')
    run(*common, '-pthread', '-o', into + '/zoo',
        *[f'{source}/{name}.c' for name in ('zoo', 'memory', 'files', 'process')])
    run(*common, '-o', into + '/swarm', source + '/swarm.c')
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
        self.image = (glob.glob(folder + '/boot/vmlinuz-*') + glob.glob(self.modules + '/vmlinuz*'))[0]
        # With debug information, of kernels without BTF.
        self.vmlinux = next(iter(glob.glob(folder + '/usr/lib/debug/boot/vmlinux-*')), None)
        if not os.path.exists(self.modules + '/modules.dep.bin'):
            run('depmod', '-b', self.base, self.release)

    @property
    def arch(self):
        """As Debian calls it."""
        return 'i386' if re.search('-686(-pae)?$', self.release) else 'amd64'

    @property
    def dump_level(self):
        """makedumpfile's -d.  Up to 1.7.8 at least it takes tail pages of the newest kernels' slabs
        for user pages (bit 3, value 8) and drops them, and with them tasks and files: so not there.
        """
        return 31 if version_key(self.release)[:2] < (7, 0) else 23

    def needed_modules(self):
        """Paths of MODULES and what they depend on, in the order to load them."""
        depends = {}
        with open(self.modules + '/modules.dep') as f:
            for line in f:
                path, after = line.split(':')
                depends[path] = after.split()
        by_name = {re.sub(r'\.ko.*', '', os.path.basename(p)).replace('-', '_'): p for p in depends}
        order = []
        for path in (by_name[m] for m in MODULES if m in by_name):   # others are built in
            order += [p for p in reversed(depends[path]) if p not in order]
            order += [path] if path not in order else []
        return [os.path.join(self.modules, p) for p in order]


def unpack_module(path, into):
    tools = {'.xz': ['xz', '-dc'], '.zst': ['zstd', '-dqc'], '.gz': ['gzip', '-dc']}
    name, ending = os.path.splitext(os.path.basename(path))
    if ending not in tools:
        shutil.copy(path, into)
        return os.path.basename(path)
    with open(os.path.join(into, name), 'wb') as out:
        subprocess.run(tools[ending] + [path], stdout=out, check=True)
    return name


def make_initramfs(kernel, busybox, path):
    tree = path + '.tree'
    shutil.rmtree(tree, ignore_errors=True)
    for sub in ('bin', 'modules', 'proc', 'dev', 'new'):
        os.makedirs(f'{tree}/{sub}')
    shutil.copy(busybox, tree + '/bin/busybox')
    shutil.copy(HERE + '/guest/early', tree + '/init')
    os.chmod(tree + '/init', 0o755)
    names = [unpack_module(p, tree + '/modules') for p in kernel.needed_modules()]
    with open(tree + '/modules/order', 'w') as f:
        f.write('\n'.join(names) + '\n')
    run('sh', '-c', f'cd "{tree}" && find . | cpio -o -H newc --quiet | gzip -1 > "{path}"')
    shutil.rmtree(tree)


def empty_file(path, megabytes):
    with open(path, 'wb') as f:
        f.truncate(megabytes << 20)
    return path


def lab_disk(kernel, initramfs, path):
    """A small read-only disk, /lab in the guest: the zoo, the guest's scripts, the kdump kernel."""
    tree = path + '.tree'
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(tree)
    build_zoo(tree, kernel.arch)
    for name in ('init', 'truth.py'):
        shutil.copy(f'{HERE}/guest/{name}', tree)
        os.chmod(f'{tree}/{name}', 0o755)
    shutil.copy(kernel.image, tree + '/vmlinuz')
    shutil.copy(initramfs, tree + '/initrd')
    run('mkfs.ext4', '-q', '-F', '-d', tree, path, '64M')
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

    def ask(self, command, **arguments):
        self.file.write(json.dumps({'execute': command, 'arguments': arguments}) + '\n')
        self.file.flush()
        while True:
            answer = json.loads(self.file.readline())
            if 'error' in answer:
                raise LabError(f'QEMU: {command}: {answer["error"]["desc"]}')
            if 'return' in answer:
                return answer['return']


class Machine:
    """One run of one guest.  After take_dump(), OUT has vmcore, truth/ and console.log."""

    def __init__(self, plan, cache):
        self.plan = plan
        self.out = os.path.abspath(plan.out)
        self.kernel = Kernel(plan.kernel)
        self.root = os.path.abspath(root_image(cache, self.kernel.arch))
        self.log = self.out + '/console.log'
        self.process = None

    def dumped(self):
        """Has an earlier run left its dump and truth?"""
        return os.path.exists(self._path('truth/dmesg')) and os.path.exists(self._path('vmcore'))

    def _path(self, name):
        return os.path.join(self.out, name)

    def _busybox(self):
        """For the initramfs: it must be of the kernel's CPU."""
        return shutil.which('busybox') if self.kernel.arch == 'amd64' else self.root + '.busybox'

    def _disks(self):
        initramfs = self._path('initrd.gz')
        make_initramfs(self.kernel, self._busybox(), initramfs)
        overlay = self._path('disk.qcow2')
        run('qemu-img', 'create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', self.root, overlay)
        disks = [f'file={overlay},format=qcow2']
        for path in (empty_file(self._path('truth.raw'), TRUTH_MB),
                     empty_file(self._path('swap.raw'), SWAP_MB),
                     lab_disk(self.kernel, initramfs, self._path('lab.img'))):
            disks.append(f'file={path},format=raw')
        if self.plan.panic:
            dump = empty_file(self._path('dump.raw'), DUMP_MB)
            run('mkfs.ext4', '-q', '-F', dump)
            disks.append(f'file={dump},format=raw')
        return disks

    def _command(self):
        plan = self.plan
        append = f'console=ttyS0 panic=0 secretmem.enable=1 lab={plan.labs} {plan.append}'
        if plan.panic:
            append += (f' crashkernel={plan.crash}M panicby={plan.panic}'
                       f' dumplevel={self.kernel.dump_level}')
        command = ['qemu-system-x86_64', '-accel', 'tcg,thread=multi', '-cpu', plan.cpu,
                   '-m', str(plan.memory), '-smp', str(plan.processors), '-nodefaults', '-no-reboot',
                   '-display', 'none', '-serial', 'file:' + self.log,
                   '-qmp', f'unix:{self._path("qmp")},server=on,wait=off',
                   '-device', 'vmcoreinfo',     # with qemu_fw_cfg, QEMU's dump gets that note
                   '-kernel', self.kernel.image, '-initrd', self._path('initrd.gz'),
                   '-append', append]
        for disk in self._disks():
            command += ['-drive', disk + ',if=virtio,cache=unsafe']
        return command

    def boot(self):
        """Start and wait until the guest is ready, or dumped if it is to panic."""
        shutil.rmtree(self.out, ignore_errors=True)
        os.makedirs(self.out)
        with open(self._path('qemu.err'), 'w') as err:
            self.process = subprocess.Popen(self._command(), stderr=err)
        awaited = 'LAB-DUMPED' if self.plan.panic else 'LAB-READY'
        end = time.time() + self.plan.timeout
        while awaited not in self._console():
            failed = re.search(r'LAB-FAILED.*', self._console())
            if failed or self.process.poll() is not None or time.time() > end:
                why = failed[0] if failed else 'QEMU ended' if self.process.poll() is not None \
                    else f'no {awaited} in {self.plan.timeout} s'
                tail = '\n'.join(self._console().splitlines()[-15:])
                self.stop()
                raise LabError(f'{self.kernel.release}: {why}\n{tail}')
            time.sleep(0.5)

    def _console(self):
        try:
            with open(self.log, errors='replace') as f:
                return f.read()
        except OSError:
            return ''

    def lacking(self):
        """What the zoo said this kernel lacks."""
        return re.findall(r'^zoo: .*lacks.*$', self._console(), re.M)

    def take_dump(self):
        if self.plan.panic:
            self.process.wait(60)
            run('debugfs', '-R', f'dump /vmcore {self._path("vmcore")}', self._path('dump.raw'))
        else:
            time.sleep(1)
            monitor = Monitor(self._path('qmp'))
            monitor.ask('stop')
            monitor.ask('dump-guest-memory', paging=False, protocol=f'file:{self._path("vmcore")}')
            monitor.ask('quit')
        self.stop()
        os.chmod(self._path('vmcore'), 0o644)
        with tarfile.open(self._path('truth.raw')) as tar:
            tar.extractall(self._path('truth'))
        for name in ('truth.raw', 'swap.raw', 'disk.qcow2', 'lab.img', 'dump.raw', 'initrd.gz', 'qmp'):
            if os.path.exists(self._path(name)):
                os.unlink(self._path(name))

    def stop(self):
        if self.process is None:
            return
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
