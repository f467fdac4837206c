#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# setup.sh --verify KIND    say what is missing, and its Debian package; exit 1 if anything is
# setup.sh --install KIND   install it (apt-get, as root or through sudo), after saying so;
#                           does nothing at all when nothing is missing
# setup.sh --list KIND      the Debian packages of KIND, for a container recipe
#
# KIND is "build" (to build and to run "make demo"), "test" (also "make check") or "fleet" (to build, and
# "make fleettest").
# This is the one place that knows which package brings what. POSIX sh and
# nothing else: it runs before anything is installed.

set -u
mode=${1:-} kind=${2:-}
case "$mode:$kind" in
--verify:build | --install:build | --list:build | --verify:test | --install:test | --list:test) ;;
--verify:fleet | --install:fleet | --list:fleet) ;;
*)
	echo "usage: setup.sh --verify|--install|--list build|test|fleet" >&2
	exit 64
	;;
esac

CC=${CC:-gcc}
PKG_CONFIG=${PKG_CONFIG:-pkg-config}

# KIND  NEED  PROBE  WHAT  PACKAGE.  NEED: "must", or "may": its absence is lived with.
table() {
	cat <<-END
		build must cmd make make
		build must cmd ${CC%% *} $(cc_package)
		build must header stdio.h libc6-dev
		build must cmd $PKG_CONFIG pkg-config
		build must lib libkdumpfile libkdumpfile-dev
		build must lib libelf libelf-dev
		build must lib libdw libdw-dev
		build must lib libbpf libbpf-dev
		build must lib zlib zlib1g-dev
		build must lib lzo2 liblzo2-dev
		build must lib snappy libsnappy-dev
		build must lib libzstd libzstd-dev
		build must lib cairo-pdf libcairo2-dev
		build must lib liblzma liblzma-dev
		build must lib sqlite3 libsqlite3-dev
		build must lib libarchive libarchive-dev
		build must lib nettle nettle-dev
		build must lib libseccomp libseccomp-dev
		build may lib libdebuginfod libdebuginfod-dev
		build may lib libdeflate libdeflate-dev
		build must cmd xz xz-utils
		test must cmd python3 python3
		test must cmd zstd zstd
		test may cmd clang clang
		test may cmd ld.lld lld
		test may sanitizer clang libclang-rt-dev
		test may cmd clang-format clang-format
		test may cmd clang-tidy clang-tidy
		test may cmd cppcheck cppcheck
		test may cmd less less
		test may cmd smem smem
		test may cmd slabtop procps
		test may cmd numastat numactl
		test may cmd abidiff abigail-tools
		test may cmd crash crash
		test may cmd chromium chromium
		test may cmd chromium-headless-shell chromium-headless-shell
		test may cmd chromedriver chromium-driver
		test may cmd pdftotext poppler-utils
		test may cmd sqlite3 sqlite3
		test may cmd nbdkit nbdkit
		test may lib libnbd libnbd-dev
		test may lib python3 libpython3-dev
		test may module yaml python3-yaml
		test may module jsonschema python3-jsonschema
		test may module pandas python3-pandas
		fleet must cmd python3 python3
		fleet must cmd slurmctld slurmctld
		fleet must cmd slurmd slurmd
		fleet must cmd sbatch slurm-client
		fleet must cmd munged munge
	END
}

cc_package() {
	case "$(basename "${CC%% *}")" in
	*clang*) echo clang ;;
	*) echo gcc ;;
	esac
}

compiles() {	# COMPILER FLAGS: the program on stdin
	dir=$(mktemp -d) || return 1
	cat > "$dir/t.c"
	"$@" -o "$dir/t" "$dir/t.c" > /dev/null 2>&1
	rc=$?
	rm -rf "$dir"
	return $rc
}

present() {	# PROBE WHAT
	case $1 in
	cmd) command -v "$2" > /dev/null 2>&1 ;;
	lib) command -v "$PKG_CONFIG" > /dev/null 2>&1 && "$PKG_CONFIG" --exists "$2" ;;
	header)
		[ -e "/usr/include/$2" ] ||
			echo "#include <$2>
int main(void) { return 0; }" | compiles ${CC%% *}
		;;
	module) python3 -c "import $2" > /dev/null 2>&1 ;;
	sanitizer)
		echo 'int main(void) { return 0; }' | compiles "$2" -fsanitize=address,undefined
		;;
	esac
}

wanted_kind() {
	[ "$1" = build ] || [ "$kind" = "$1" ]
}

must='' may='' what_missing='' all=''
while read -r k need probe what package; do
	wanted_kind "$k" || continue
	all="$all $package"
	[ "$mode" = --list ] && continue
	# A build has no use for what it can live without.
	[ "$mode:$need" = --verify:may ] && continue
	present "$probe" "$what" && continue
	[ "$probe" = sanitizer ] && what="sanitizers of $what"
	[ "$probe" = module ] && what="module $what of Python"
	what_missing="$what_missing
  $what (Debian package $package)"
	if [ "$need" = must ]; then
		must="$must $package"
	else
		may="$may $package"
	fi
done <<END
$(table)
END

if [ "$mode" = --list ]; then
	echo "${all# }"
	exit 0
fi
[ -z "$must$may" ] && exit 0

if [ "$mode" = --verify ]; then
	echo "vmcensus: cannot build, missing:$what_missing" >&2
	echo "\"make demo\" installs them, or: apt-get install$must" >&2
	exit 1
fi

echo "vmcensus: this machine lacks:$what_missing"
if ! command -v apt-get > /dev/null 2>&1; then
	[ -z "$must" ] && { echo "There is no apt-get here: going on without."; exit 0; }
	echo "vmcensus: there is no apt-get here: please install these by hand" >&2
	exit 1
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo > /dev/null 2>&1; then
		[ -z "$must" ] && { echo "Neither root nor sudo: going on without."; exit 0; }
		echo "vmcensus: neither root nor sudo: please run: apt-get install$must$may" >&2
		exit 1
	fi
	as_root=sudo
fi

apt() {
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
		-o Dpkg::Options::=--force-confold "$@" < /dev/null
}

echo "Installing with${as_root:+ sudo} apt-get:$must$may"
apt update || echo "vmcensus: apt-get update failed; trying with the lists that are here" >&2
if [ -n "$must" ] && ! apt install --no-install-recommends $must; then
	echo "vmcensus: could not install:$must" >&2
	exit 1
fi
if [ -n "$may" ] && ! apt install --no-install-recommends $may; then
	echo "vmcensus: could not install$may: going on without" >&2
fi
exit 0
