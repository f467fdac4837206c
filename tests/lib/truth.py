# SPDX-License-Identifier: GPL-3.0-or-later
"""The truth: files of the guest's kernel, as guest/truth.py recorded them."""
import os
import re
import struct


class Process:
    def __init__(self, folder, pid):
        self.folder, self.pid = folder, pid
        text = self.read('stat')
        self.comm = text[text.index(b'(') + 1:text.rindex(b')')]
        self.stat = text[text.rindex(b')') + 2:].split()    # from the state on
        self.state = self.stat[0].decode()
        self.asleep = False

    def read(self, name):
        try:
            with open(os.path.join(self.folder, name), 'rb') as f:
                return f.read()
        except FileNotFoundError:
            return b''

    def has(self, name):
        return os.path.exists(os.path.join(self.folder, name))

    def status(self, name):
        """The words after "NAME:" in status."""
        match = re.search(rb'^%s:\s*(.*)$' % name.encode(), self.read('status'), re.M)
        return match[1].split() if match else []

    def smaps_sum(self, *names):
        """Bytes: the sum of these fields over all mappings."""
        fields = b'|'.join(n.encode() for n in names)
        return 1024 * sum(int(n) for n in
                          re.findall(rb'^(?:%s): +(\d+) kB$' % fields, self.read('smaps'), re.M))

    @property
    def leader_gone(self):
        return self.state == 'Z' and len(os.listdir(self.folder + '/task')) > 1

    @property
    def frozen(self):
        """Memory cannot have changed since: stopped, waiting in vfork for a stopped child, or in
        pause() where the fixture says so.
        """
        return self.asleep or self.state in 'Tt' or \
            (self.state == 'D' and bool(self.read('smaps')))


class Truth:
    def __init__(self, folder):
        self.folder = folder
        pids = sorted(int(n) for n in os.listdir(folder) if n.isdigit())
        self.all = [Process(os.path.join(folder, str(p)), p) for p in pids
                    if os.path.exists(os.path.join(folder, str(p), 'stat'))]
        if os.path.exists(os.path.join(folder, 'asleep')):
            asleep = set(self.read('asleep').split())
            for process in self.all:
                process.asleep = b'%d' % process.pid in asleep

    def read(self, name):
        with open(os.path.join(self.folder, name), 'rb') as f:
            return f.read()

    def has(self, name):
        return os.path.exists(os.path.join(self.folder, name))

    @property
    def release(self):
        """(6, 1); (2, 6) of any 2.6."""
        found = re.match(rb'Linux version (\d+)\.(\d+)', self.read('version'))
        return tuple(int(n) for n in found.groups())

    @property
    def page_size(self):
        """From any pagemap.bin: start and end of a mapping, number of its pages."""
        for process in self.all:
            start, end, count = struct.unpack('<QQQ', process.read('pagemap.bin')[:24].ljust(24, b'\0'))
            if count:
                return (end - start) // count
        return 4096

    def frozen(self):
        return [p for p in self.all if p.frozen and p.pid != 1]
