#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# GNU make 4.3 (Debian 12, make 4.3-4.1), .SECONDARY: without prerequisites.
#
# The guess: of an archive that lists a.o and b.o, each by an explicit rule, an object that is missing
# is made when the archive is asked for, whichever of the two it is.
#
# Seen: the archive counts as up to date if it is newer than the sources, and a missing object is not
# made. If the objects also depend on a stamp that is always remade and seldom changes (the usual
# "rebuild when flags change"), the answer depends on the order in the list: without the first object
# the stamp was not looked at yet, counts as changed, and the object is made; without the second it was
# looked at for the first, is known to be the same, and the object is not made. A source that "git mv"
# moves keeps its old time, and so is never compiled: the link fails with undefined references.
#
# Downloads the package, unpacks it in a temporary folder. Exit status 0: make behaves so; 1: it does not.
set -eu
version=4.3-4.1
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq "make=$version" > /dev/null
dpkg -x make_*.deb root
make() { root/usr/bin/make -s -f lists "$@"; }
cat > lists <<'LISTS'
.SECONDARY:
lib.a: a.o b.o
	cat a.o b.o > $@
%.o: %.c $(STAMP)
	cp $< $@
flags: always
	@test -f $@ || echo flags > $@
.PHONY: always
always:
LISTS
echo a > a.c
echo b > b.c
touch -d 2020-01-01 a.c b.c

# missing OBJECT STAMP: is it made when the archive is asked for?
missing() {
	make "STAMP=$2" a.o b.o lib.a
	touch -d 2020-01-02 flags a.o b.o
	touch lib.a
	rm "$1"
	make "STAMP=$2" lib.a > /dev/null
	if [ -f "$1" ]; then echo made; else echo missing; fi
}

root/usr/bin/make --version | head -1
seen="$(missing a.o '') $(missing b.o '') $(missing a.o flags) $(missing b.o flags)"
echo "without a.o, without b.o; with the stamp without a.o, without b.o: $seen"
[ "$seen" = 'missing missing made missing' ]
