# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian releases to run their crash in, each with vmcensus built there, and debug information."""
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests", "vmtest"))

from lab.cross import CrossTools  # noqa: E402
from lab.packages import OTHER_SUITES, SUITES, LabError, Suite, mirror, run  # noqa: E402
from lab.targets import target_of  # noqa: E402

SOURCE = "/vmcensus"        # where a root sees this tree


class Host:
    """A crash and where it runs: the release whose crash it is, and the root's release.

    Debian 11 has no libkdumpfile to build with: its crash runs in Debian 12.
    """

    def __init__(self, suite, root, arch="amd64"):
        self.suite, self.root, self.arch = suite, root, arch

    @property
    def name(self):
        return self.suite if self.arch == "amd64" else f"{self.suite}-{self.arch}"


HOSTS = [Host("bullseye", "bookworm"), Host("bookworm", "bookworm"), Host("trixie", "trixie"),
         Host("sid", "sid"), Host("bookworm", "bookworm", "i386"),
         Host("bookworm", "bookworm", "ppc64el")]


def build_packages():
    return run("sh", TOP + "/tests/setup.sh", "--list", "build").split()


class Root:
    """A chroot in the cache; mounts are made in a namespace that ends with the command."""

    def __init__(self, cache, host):
        self.cache, self.host = os.path.abspath(cache), host
        name = host.root if host.arch == "amd64" else f"{host.root}-{host.arch}"
        self.dir = os.path.join(self.cache, "crash", name)
        if not os.path.exists(self.dir + "/complete"):
            self._make()
        self.prefix = ""
        if host.suite != host.root:
            self.prefix = "/opt/" + host.suite
            if not os.path.exists(self.dir + self.prefix + "/usr/bin/crash"):
                Suite(host.suite, cache, host.arch).unpack(["crash"], self.dir + self.prefix)
        self.crash = [self.prefix + "/usr/bin/crash"]
        self.source, self.build, self.results = SOURCE, "/build/" + host.name, "/results"
        self.program = [self.build + "/vmcensus"]
        self.installed = not self.prefix    # vmcensus.so, where crash looks

    def _make(self):
        print(f"crash: making a root of {self.host.root} {self.host.arch}", flush=True)
        shutil.rmtree(self.dir, ignore_errors=True)
        packages = ["make", "python3", "procps", "crash", "libncurses6"] + build_packages()
        run("debootstrap", "--arch", self.host.arch, "--variant=minbase",
            "--include=" + ",".join(packages), self.host.root, self.dir, mirror(self.host.root),
            timeout=3600)
        with open(self.dir + "/complete", "w") as f:
            f.write("\n".join(packages) + "\n")

    def command(self, *words, show=()):
        """The words of a command that runs WORDS inside; SHOW: folders seen there by their names."""
        binds = [(TOP, SOURCE), *((f, f) for f in show)]
        script = ["set -e", "unset TMPDIR", f'mount -t proc proc "{self.dir}/proc"',
                  f'mount --rbind /dev "{self.dir}/dev"']
        for outside, inside in binds:
            script += [f'mkdir -p "{self.dir}{inside}"',
                       f'mount --bind "{outside}" "{self.dir}{inside}"']
        script.append(f'exec chroot "{self.dir}" "$@"')
        # the process would inherit a personality of 64 bits: make asks uname
        bits = ["setarch", "i686"] if self.host.arch == "i386" else []
        return ["unshare", "-m", *bits, "sh", "-c", "; ".join(script), "sh", *words]

    def make(self):
        """Build vmcensus and vmcensus.so there, and install them."""
        run(*self.command("make", "-C", SOURCE, "-j2", "B=" + self.build, "CC=gcc",
                          f"CRASH_INCLUDE={self.prefix}/usr/include", "crashext"))
        if not self.prefix:
            run(*self.command("make", "-C", SOURCE, "B=" + self.build, "CC=gcc", "PREFIX=/usr",
                              "install"))

    def version(self):
        text = subprocess.run(self.command(*self.crash, "--version"), stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout
        found = re.search(r"^crash (\S+)", text, re.M)
        if not found:
            raise LabError(f"{self.crash[-1]} of {self.host.name} does not say its version")
        return found[1]


class EmulatedRoot(Root):
    """Of a CPU that this host has not: packages unpacked, vmcensus.so cross-built, crash under
    qemu-user. The program that it is compared with is this host's."""
    TRIPLET, QEMU = "powerpc64le-linux-gnu", "qemu-ppc64le-static"
    UNUSED = re.compile(r"gcc|cpp|binutils|perl|python3|libpython|fontconfig|fonts|dpkg|xz-utils")

    def __init__(self, cache, host):
        self.cache, self.host = os.path.abspath(cache), host
        self.dir = os.path.join(self.cache, "crash", host.name)
        self.tools = CrossTools(cache, self.TRIPLET, host.arch)
        if not os.path.exists(self.dir + "/complete"):
            self._make()
        self.crash = [self.QEMU, "-L", self.dir, self.dir + "/usr/bin/crash"]
        self.source, self.build, self.results = TOP, self.dir + "/build", self.dir + "/results"
        self.program = [self.dir + "/native/vmcensus"]
        self.installed = False

    def _make(self):
        print(f"crash: unpacking a root of {self.host.root} {self.host.arch}", flush=True)
        shutil.rmtree(self.dir, ignore_errors=True)
        suite = Suite(self.host.root, self.cache, self.host.arch)
        names = suite.closure(["crash", "libncurses6", "libstdc++-12-dev"] +
                              [p for p in build_packages() if not self.UNUSED.match(p)])
        suite.unpack([n for n in names if not self.UNUSED.match(n)], self.dir)
        for folder in (f"{self.dir}/usr/lib/{self.TRIPLET}", self.dir + "/lib64"):
            for path in filter(os.path.islink, glob.glob(folder + "/*")):
                if os.readlink(path).startswith("/"):       # of that root, not of this host
                    target = self.dir + os.readlink(path)
                    os.unlink(path)
                    os.symlink(target, path)
        os.makedirs(self.dir + "/tools")
        os.symlink(self.tools.prefix + "ar", self.dir + "/tools/ar")
        with open(self.dir + "/complete", "w") as f:
            f.write("\n".join(names) + "\n")

    def command(self, *words, show=()):
        return list(words)

    def cross(self, target):
        """Make TARGET for that CPU, in the folder build."""
        libs = f"{self.dir}/usr/lib/{self.TRIPLET}/pkgconfig:{self.dir}/usr/share/pkgconfig"
        env = dict(self.tools.env, PKG_CONFIG_SYSROOT_DIR=self.dir, PKG_CONFIG_LIBDIR=libs,
                   PATH=f"{self.dir}/tools:{os.environ['PATH']}")
        run("make", "-C", TOP, "-j2", "B=" + self.build,
            f"CC={self.tools.gcc} --sysroot={self.dir}", f"CRASH_INCLUDE={self.dir}/usr/include",
            f"LDFLAGS=-L{self.dir}/usr/lib/gcc/{self.TRIPLET}/12", target, env=env)

    def make(self):
        if not shutil.which(self.QEMU):
            raise LabError(f"no {self.QEMU}: install qemu-user-static")
        run("make", "-C", TOP, "-j2", f"B={self.dir}/native", "CC=gcc", "all")
        self.cross("crashext")


def root_of(cache, host):
    return (EmulatedRoot if host.arch == "ppc64el" else Root)(cache, host)


class DebugPackages:
    """vmlinux with debug information, by uname -r: this host's, else Debian's in the cache."""

    def __init__(self, cache):
        self.cache = os.path.abspath(cache)

    def vmlinux(self, release):
        """Path, or LabError."""
        into = os.path.join(self.cache, "debug", release)
        name = f"usr/lib/debug/boot/vmlinux-{release}"
        for folder in ("/", into):
            if os.path.exists(os.path.join(folder, name)):
                return os.path.join(folder, name)
        arch = target_of(release).arch
        package = f"linux-image-{release}-dbg"
        for suite in SUITES if arch == "amd64" else OTHER_SUITES[arch]:
            source = Suite(suite, self.cache, arch)
            source.update()
            known = run("apt-cache", "pkgnames", package, env=source.env).split()
            if package in known:
                print(f"crash: fetching {package} of {suite}", flush=True)
                os.makedirs(into, exist_ok=True)
                source.unpack([package], into, "./usr/lib/debug/boot")
                if not os.path.exists(os.path.join(into, name)):    # a link, since 7.2
                    source.unpack([package], into, f"./usr/lib/debug/lib/modules/{release}/vmlinux")
                return os.path.join(into, name)
        raise LabError(f"no release of Debian has {package} any more")
