#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# dmesg of util-linux 2.38.1 (Debian 12, util-linux 2.38.1-5+deb12u3), --json.
#
# The guess: "pri" is the number that the kernel's record begins with, facility * 8 + level, as -r prints it in
# <>; and each "msg" is the text of that record.
#
# Seen: "pri" is the facility or'ed with the level, without the shift: daemon.info, <30>, becomes 7, which reads as
# kern.debug; 3 (daemon) and 6 (info) are not to be had from it again. With -F each "msg" goes on to the end of
# the file: the first record holds the whole log, line feeds and priorities of the others included. -x and -r
# of the same file are right.
#
# Why it matters: --json is the form that programs ask for. One that filters by pri takes messages of daemons
# for debug lines of the kernel; and one that counts the records of a file in which a word occurs counts all
# records before it.
#
# Downloads the package, unpacks it in a temporary folder; needs python3. Exit status 0: dmesg behaves so; 1: it
# does not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root util-linux=2.38.1-5+deb12u3 > /dev/null
dpkg -x util-linux_*.deb root

printf '<30>[    1.000000] systemd[1]: first\n<4>[    2.500000] kernel: second\n' > log
root/bin/dmesg --version
root/bin/dmesg -F log --json > json
cat json
root/bin/dmesg -F log -x | grep -q '^daemon:info  : .*first$'
python3 - << 'END'
import json
first, second = json.load(open('json'))['dmesg']
assert first['pri'] == 7 and second['pri'] == 4, 'the priorities are others'
assert 'second' in first['msg'] and 'first' not in second['msg'], 'the texts are others'
END
