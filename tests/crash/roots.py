# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian releases to run their crash in, each with vmcensus built there, and debug information."""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests", "vmtest"))

from lab.packages import OTHER_SUITES, SUITES, LabError, Suite, mirror, run  # noqa: E402

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
         Host("sid", "sid"), Host("bookworm", "bookworm", "i386")]


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
        self.crash = self.prefix + "/usr/bin/crash"
        self.build = "/build/" + host.name

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
        text = subprocess.run(self.command(self.crash, "--version"), stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout
        found = re.search(r"^crash (\S+)", text, re.M)
        if not found:
            raise LabError(f"{self.crash} of {self.host.name} does not say its version")
        return found[1]


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
        arch = "i386" if re.search("-686(-pae)?$", release) else "amd64"
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
