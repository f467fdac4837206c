# SPDX-License-Identifier: GPL-3.0-or-later
#
# One non-recursive Makefile. Nothing here may fail while it is parsed: on a
# bare machine without compiler or pkg-config, "make demo" and "make check"
# must still reach tests/setup.sh, which installs what is missing.
#
#? make              build/vmcensus (make -j: on all processors)
#? make demo         first run: installs what the build needs where it is missing,
#?                   builds, analyses the dump of a machine that ran out of memory
#? make check        the same set-up, then every test that needs no virtual machine
#? make vmtest       boots real kernels under QEMU and compares (tests/vmtest/)
#? make nightly      what make check and make vmtest leave out, in parts by turns (tests/nightly)
#? make htmltest     the page of report html in headless Chromium (part of check)
#? make oracle       N cuts and N bit flips of dumps in all containers (N=10000): none is silent
#? make blast        every page of two dumps is lost by itself (FIXTURES=, DRAWS=200 of twenty pages)
#? make batchtest    a batch of N inputs (N=1000), killed ten times (tests/batch/)
#? make fleettest    installs Slurm where it is missing, starts a cluster of it on this machine, kills
#?                   a node, and compares with a single run; needs root
#? make fuzz         every fuzz target for T seconds (T=60; FUZZ=NAME for one)
#? make bench        speed against the floor and against drgn (tests/bench/)
#? make crashext     vmcensus.so for the crash utility (needs its header: Debian
#?                   package crash); make install then installs it too
#? make python       the module vmcensus for Python, in build/python (needs Python's headers: Debian
#?                   package libpython3-dev); make install then installs it too
#? make crashtest    crash's command against the program; tests/crash/versions does it
#?                   in each crash that Debian has
#? make mcoretest    our mcore files in crash's own reader, whose source is fetched
#? make crashkernel  vmcensus-static, one file without libraries for the crash kernel
#?                   (docs/crashkernel.md)
#? make kmod         vmcensus.ko for the running kernel, whose headers it needs (docs/live.md)
#? make lint         clang-format, clang-tidy and cppcheck, where installed; lint-quick leaves
#?                   out what takes long
#? make format       clang-format over functions, in place
#? make layers       the direction of includes
#? make docs         manual pages, tables of capsules and completion, which the program writes, in build/docs/
#? make dist         build/vmcensus-VERSION.tar.xz: the sources of HEAD, and these pages
#? make install      to PREFIX=/usr/local under DESTDIR=; make uninstall takes it back
#? make dkms         the module's source to /usr/src, for "dkms install"; make version prints the version
#? make clean        removes the build directories
#?
#? make install strips the program; its debug information goes to lib/debug (STRIP= leaves all
#? in one file, as distributions want it)
#?
#? Knobs: V=1 shows commands; CC=gcc|clang; SAN=address,undefined sanitizes (in
#? build-san/); B=DIR builds there; CFLAGS= replaces -O2 -g; CHECK="--only unit" gives
#? options to tests/check; CRASH_INCLUDE=DIR has the crash/defs.h of another crash; PAGES_BY=
#? is a vmcensus that runs here and writes the pages of a build for another machine; WERROR= lets
#? warnings of another compiler pass.

VERSION := 0.1.0
PREFIX  ?= /usr/local
DESTDIR ?=

ifeq ($(origin CC),default)
CC := gcc
endif
CC_NAME := $(if $(findstring clang,$(notdir $(CC))),clang,$(if $(findstring gcc,$(notdir \
	$(CC))),gcc,$(notdir $(firstword $(CC)))))

# SAN=address,undefined: a sanitized build, in a directory of its own.
SAN ?=
B   ?= build$(if $(SAN),-san)$(if $(filter-out gcc,$(CC_NAME)),-$(CC_NAME))
T   ?= 60
N   ?= 10000
V   ?=
Q   := $(if $(V),,@)
say  = $(if $(V)$(QUIET),@:,@printf '  %-7s %s\n')

# ---- sources --------------------------------------------------------------

core_dirs := dumpread dumpread/* facts facts/* arch arch/* model model/* model/*/* reports reports/*
core_src  := $(sort $(wildcard $(core_dirs:%=%/*.c)))
app_src   := $(sort $(wildcard app/*.c app/*/*.c))
cli_src   := $(sort $(wildcard cli/*.c))
lib_src   := $(sort $(wildcard cli/library/*.c))
python_src := cli/python/module.c
unit_src  := $(sort $(wildcard tests/unit/test_*.c))
unit_main := tests/unit/check_main.c
unit_help := $(filter-out $(unit_src) $(unit_main),$(sort $(wildcard tests/unit/*.c))) \
	$(sort $(wildcard tests/machine/*.c))
fuzz_src  := $(sort $(wildcard tests/fuzz/fuzz_*.c))
tool_src  := $(sort $(wildcard tests/tools/*.c tests/bench/*.c))
bench_src := $(sort $(wildcard tests/bench/machine/*.c))
stand_in  := $(sort $(wildcard crashkernel/left_out/*.c))
crash_src := $(sort $(wildcard crashext/*.c))
CRASH_INCLUDE ?= /usr/include
# without the one that needs the header of crash
lint_src  := $(core_src) $(app_src) $(cli_src) $(lib_src) $(filter-out crashext/crash.c,$(crash_src)) $(stand_in)

obj = $(patsubst %.c,$B/%.o,$1)
archive   := $B/libvmcensus.a
unit_bin  := $(unit_src:tests/unit/%.c=$B/unit/%)
fuzz_bin  := $(fuzz_src:tests/fuzz/%.c=$B/fuzz/%)
tool_bin  := $(tool_src:tests/%.c=$B/%)

# ---- flags ----------------------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wundef -Wformat=2
WERROR ?= -Werror

# Libraries and their Debian packages stand in tests/setup.sh, once.
libs     := libkdumpfile libelf libdw libbpf zlib lzo2 snappy libzstd liblzma \
	cairo-pdf cairo-ps cairo-png libseccomp sqlite3 libarchive nettle
optional := libdebuginfod libdeflate
PKG_CONFIG ?= pkg-config
pkg = $(shell $(PKG_CONFIG) $1 2>/dev/null)
have_opt := $(foreach l,$(optional),$(if $(call pkg,--modversion $l),$l))

# Python's headers; a sanitized module could not be loaded.
has_python := $(if $(SAN),,$(patsubst -I%,-isystem %,$(call pkg,--cflags python3)))
lint_src  += $(if $(has_python),$(python_src))

# A host that has no threads of its own links us (the crash utility): hence
# -fPIC in every object, so that one archive serves program and plug-in. GNU C on
# i386 defines that name as 1.
own_flags := -std=gnu11 -Ui386 -fPIC -fvisibility=hidden -fno-strict-aliasing -pthread -I. -I$B/gen \
	-D_GNU_SOURCE= -D_FILE_OFFSET_BITS=64 -DVMCENSUS_VERSION='"$(VERSION)"' \
	$(foreach l,$(have_opt),-DHAVE_$(shell echo $l | tr a-z A-Z))
san_flags := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer \
	$(if $(findstring undefined,$(SAN)),-fno-sanitize-recover=undefined))
CFLAGS   ?= -O2 -g
# What distributions demand; tests/cli/hardening looks for each in the program. The C library
# wants optimization for its checks, and sanitizers have their own.
x86      := $(filter x86_64-% i386-% i486-% i586-% i686-%,$(shell $(CC) -dumpmachine 2>/dev/null))
hard_flags := -fstack-protector-strong -fstack-clash-protection $(if $(x86),-fcf-protection=full) \
	$(if $(SAN),,$(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3))
hard_link := -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
# What a loaded library finds in the program before libc's: reports/charts/cairo.c.
exported := -Wl,--dynamic-list=reports/charts/cairo.list
# Loaded at run time, by runs that need them: never linked (dumpread/base/library.h).
loaded   := cairo-pdf cairo-ps cairo-png libarchive libdebuginfod
linked   := $(filter-out $(loaded),$(libs) $(have_opt))
pkg_cflags := $(call pkg,--cflags $(libs) $(have_opt))
pkg_libs := $(call pkg,--libs $(linked))
all_cflags = $(own_flags) $(WARN) $(WERROR) $(CPPFLAGS) $(hard_flags) $(CFLAGS) $(san_flags) $(pkg_cflags)
all_libs   = $(LDLIBS) -Wl,--as-needed $(pkg_libs) -ldl -lm -pthread

# ---- building -------------------------------------------------------------

.PHONY: all demo check nightly htmltest install uninstall layers lint lint-quick format blast oracle fuzz \
	vmtest bench clean help batchtest fleettest docs dist \
	version dkms build-check units fuzz-bins tools test-bins syntax python crashext crashtest mcoretest crashkernel \
	kmod machine-layouts FORCE
.DELETE_ON_ERROR:
.PRECIOUS: $B/%.o

all: $B/vmcensus $B/libvmcensus.so

$B/vmcensus: $(call obj,$(cli_src) $(app_src)) $(archive)
	$(say) LD $@
	$(Q)$(CC) $(san_flags) -pie $(hard_link) $(exported) $(LDFLAGS) -o $@ $^ $(all_libs)

# For programs: it runs vmcensus, and needs the C library alone.
soname := libvmcensus.so.0
library := $B/$(soname).0.0

$(call obj,$(lib_src)): OBJ_FLAGS += -fvisibility=default

$(library): $(call obj,$(lib_src)) cli/library/vmcensus.map
	$(say) LD $@
	$(Q)$(CC) -shared $(san_flags) $(hard_link) $(LDFLAGS) -Wl,-soname,$(soname) \
		-Wl,--version-script=cli/library/vmcensus.map -o $@ $(filter %.o,$^) -pthread

$B/libvmcensus.so: $(library)
	$(Q)ln -sf $(<F) $B/$(soname) && ln -sf $(soname) $@

$B/vmcensus.pc: cli/library/vmcensus.pc.in FORCE
	$(Q)sed 's,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(LIBDIR),; s,@VERSION@,$(VERSION),' $< > $@

$(archive): $(call obj,$(core_src))
	$(say) AR $@
	$(Q)rm -f $@ && ar rcs $@ $^

# The HTML page, as C: its parts lie in reports/html/.
page := $(addprefix reports/html/,page.html page.css)
page_js := $(addprefix reports/html/,model.js elf.js tips.js table.js treemap.js pages.js \
	log.js charts.js issues.js links.js print.js app.js)
page_parts := $B/gen/reports/html/page_parts.h

$(page_parts): reports/html/embed.sh $(page) $(page_js)
	@mkdir -p $(@D)
	$(say) GEN $@
	$(Q)sh $< page $(wordlist 2,$(words $^),$^) > $@

$B/reports/html/html.o: $(page_parts)

questions := $B/gen/app/questions.h

$(questions): app/questions.sh docs/questions.md
	@mkdir -p $(@D)
	$(say) GEN $@
	$(Q)sh $^ > $@

$B/app/questions.o: $(questions)

fleet_js := $(addprefix reports/html/,fleet_model.js tips.js table.js fleet.js)
fleet_parts := $B/gen/reports/html/fleet_parts.h

$(fleet_parts): reports/html/embed.sh reports/html/fleet.html reports/html/page.css $(fleet_js)
	@mkdir -p $(@D)
	$(say) GEN $@
	$(Q)sh $< fleet $(wordlist 2,$(words $^),$^) > $@

$B/reports/html/fleet.o: $(fleet_parts)

# The ids of facts, a header for each subject. One that stays the same keeps its time.
fact_ids := $(patsubst facts/%.def,$B/gen/facts/%.h,$(filter-out facts/layout/all.def,$(wildcard facts/layout/*.def))) \
	$B/gen/facts/layout/levels.h

define make_ids
	@mkdir -p $(@D)
	$(Q)sh facts/ids.sh $< > $@.new
	$(Q)if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
endef
$B/gen/facts/layout/levels.h: facts/levels.def facts/ids.sh
	$(make_ids)
$B/gen/facts/layout/%.h: facts/layout/%.def facts/ids.sh
	$(make_ids)

$B/%.o: %.c $B/flags | $(fact_ids)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(all_cflags) $(OBJ_FLAGS) -MMD -MP -c -o $@ $<

# Rebuild when flags, compiler or library versions change.
flags_now = $(CC) $(all_cflags) $(all_libs) $(LDFLAGS)
$B/flags: FORCE | build-check
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(flags_now))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(flags_now))' > $@

# What the build needs: a sentence with the Debian packages where it lacks.
build-check:
	@CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' sh tests/setup.sh --verify build

# What the kernels of described machines look like: clang lays out their declarations for each CPU.
has_clang := $(and $(shell command -v clang),$(shell command -v ld.lld))
machine_layouts := $B/layouts/linux-4.19-ppc64.layout
machine-layouts: $(machine_layouts)

# the last that is made
$(machine_layouts): tests/machine/layouts/make dumpread/types/layoutfile.c \
		$(wildcard tests/machine/layouts/*.decl layouts/*.c facts/layout/*.def) | $B/tools/mklayout
	$(say) GEN $(@D)
	$(Q)BUILD='$B' sh $< '$(@D)'

units: $(unit_bin)
tools: $(tool_bin) $(if $(has_clang),machine-layouts)
# The file NAME of the compiler, or nothing. A list of what is built is expanded where it stands, so this is before it.
of_compiler = $(filter /%,$(shell $(CC) -print-file-name=$1 2>/dev/null))
has_static = $(if $(SAN),,$(call of_compiler,libstdc++.a))
# All that "make check" runs, in one parallel build; the crash kernel's program is one of them, where it can be linked.
test-bins: all units tools fuzz-bins $(if $(has_python),python) $B/tools/reworded $(if $(has_static),$B/vmcensus-static)

# An archive: a test has no more of the program, and of its libraries, than it calls; libFuzzer looks
# at less after each input.
$B/helpers.a: $(call obj,$(unit_help))
	$(say) AR $@
	$(Q)rm -f $@ && ar rcs $@ $^

$B/unit/%: $B/tests/unit/%.o $(call obj,$(unit_main)) $B/helpers.a $(archive)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(san_flags) $(LDFLAGS) -o $@ $^ $(archive) $(all_libs)

# Objects of a target stand after the archive in its list: hence the archive once more.
$B/unit/test_permits: $B/app/sandbox/permits.o
$B/unit/test_remote: LDFLAGS += $(foreach f,nbd_size nbd_read nbd_close,-Wl,--wrap=$f)
# also where LDFLAGS are given
$B/fuzz/fuzz_machine $B/fuzz/fuzz_find: override LDFLAGS += -Wl,--wrap=mdie
$B/tools/lies $B/tools/serve: $(call obj,$(app_src))
$B/tools/lies: LDFLAGS += $(foreach f,kobj_u64 kobj_int kobj_elem kobj_member_kva kmember_u64 kvar_u64,-Wl,--wrap=$f)
# newer than the program: tests/lib/program.py asks one that is not older
$B/tools/asker: $(call obj,$(app_src)) | $B/vmcensus
$B/tools/asker: private LDFLAGS += -Wl,--wrap=kernel_open $(exported)

# The program with other words for each class and cause: nothing may key on them (tests/fleet/run).
worded := model/memory/frames/classes.def model/cause/verdict/causes.def
reworded := $(call obj,$(addprefix reworded/,model/memory/frames/class_names.c model/cause/verdict/cause.c))
$(worded:%=$B/reworded/%): $B/reworded/%: %
	@mkdir -p $(@D)
	$(Q)sed -E 's/^([A-Z]+\([A-Z_]+, "[^"]*", ")/\1reworded /' $< > $@
$(reworded): $B/reworded/%.o: %.c $(worded:%=$B/reworded/%) $B/flags | $(fact_ids)
	$(say) CC $@
	$(Q)$(CC) -I$B/reworded $(all_cflags) -c -o $@ $<
$B/tools/reworded: $(reworded) $(call obj,$(app_src) $(cli_src)) $(archive) | $B/vmcensus
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(san_flags) $(LDFLAGS) $(exported) -o $@ $^ $(all_libs)

$B/bench/mkmachine: $(call obj,$(bench_src))

$(tool_bin): $B/%: $B/tests/%.o $B/helpers.a $(archive)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(san_flags) $(LDFLAGS) -o $@ $^ $(archive) $(all_libs)

# Every source through the compiler's checks, without code.
every_src := $(core_src) $(app_src) $(cli_src) $(lib_src) $(unit_src) $(unit_main) $(unit_help) $(fuzz_src) tests/fuzz/replay.c \
	$(tool_src) $(bench_src) $(stand_in) $(if $(has_python),$(python_src)) $(if $(wildcard $(CRASH_INCLUDE)/crash/defs.h),$(crash_src))
syntax: $(page_parts) $(fleet_parts) $(questions) $(fact_ids) | build-check
	$(say) CHECK '$(CC), $(words $(every_src)) files'
	$(Q)printf '%s\n' $(every_src) | sh tests/tree/syntax.sh $(CC) $(all_cflags) $(has_python) -isystem '$(CRASH_INCLUDE)'

# Fuzz targets: libFuzzer's own main under "make fuzz", a driver that replays
# files otherwise, so that each seed is a regression test for every compiler.
fuzz_main := $(if $(findstring fuzzer,$(SAN)),,$(wildcard tests/fuzz/replay.c))
fuzz-bins: $(fuzz_bin)

$B/fuzz/%: $B/tests/fuzz/%.o $(call obj,$(fuzz_main)) $B/helpers.a $(archive)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(subst fuzzer-no-link,fuzzer,$(san_flags)) $(LDFLAGS) -o $@ $^ $(all_libs)

# crash exports the zlib of its gdb, and what the loader finds first it binds: ours
# is linked in, hidden.
crash_link := -shared $(hard_link) -Wl,-Bsymbolic -Wl,--exclude-libs,ALL

# All first: the make below must not build the same objects at the same time.
crashext: all
	@if [ -e '$(CRASH_INCLUDE)/crash/defs.h' ]; then \
		$(MAKE) --no-print-directory $B/vmcensus.so; \
	else \
		echo 'crashext: skipped: $(CRASH_INCLUDE)/crash/defs.h is missing' \
			'(Debian package crash)'; \
	fi

$B/vmcensus.so: $(call obj,$(crash_src) $(app_src)) $(archive)
	$(say) LD $@
	$(Q)$(CC) $(crash_link) $(LDFLAGS) -o $@ $^ $(patsubst -lz,-l:libz.a,$(all_libs))

$B/crashext/crash.o: OBJ_FLAGS += -isystem '$(CRASH_INCLUDE)'

# The program of the crash kernel: one file, without the readers and renderers that need
# shared libraries. The files of crashkernel/left_out/ stand in for them.
left_out := dumpread/base/library.c dumpread/container/kdumpfile.c dumpread/container/kdumpfile_serve.c \
	dumpread/find/debuginfod.c dumpread/image/nbd.c model/memory/elf/demangle.c reports/charts/cairo.c \
	$(addprefix reports/capsule/,database.c digest.c fd_vfs.c load.c sets.c store.c trust.c) $(addprefix reports/sql/,fleet.c rows.c statement.c) reports/fleet/load.c \
	app/commands.c \
	app/guard.c app/merge.c app/merge_lines.c app/merge_rows.c \
	$(filter-out %/find.c,$(wildcard app/batch/*.c)) $(wildcard app/serve/*.c)
static_src := $(filter-out $(left_out),$(core_src) $(app_src) $(cli_src)) $(stand_in)
# -lbz2: what of libdw needs it is not used. -lstdc++: libsnappy.
static_libs = $(filter-out -lbz2,$(call pkg,--static --libs \
	$(filter-out libkdumpfile sqlite3,$(linked)))) -lstdc++ -lm -pthread
# Has the C library what a position-independent program without libraries starts with?
static_flags = $(if $(call of_compiler,rcrt1.o),-static-pie,-static)

crashkernel: $B/vmcensus-static

$B/vmcensus-static: $(call obj,$(static_src))
	$(say) LD $@
	$(Q)$(CC) $(san_flags) $(hard_link) $(LDFLAGS) $(static_flags) -s -o $@ $^ $(static_libs)

kmod:
	@$(MAKE) --no-print-directory -C kmod

-include $(patsubst %.o,%.d,$(call obj,$(core_src) $(cli_src) $(lib_src) $(app_src) $(unit_src) $(unit_main) $(unit_help) \
	$(fuzz_src) $(fuzz_main) $(tool_src) $(bench_src) $(crash_src) $(stand_in) $(python_src)))

# The set-up may install the compiler and pkg-config: what follows it runs in a
# make of its own, which looks for them afresh, on all processors.
jobs = $(if $(findstring --jobserver,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))
again = @$(MAKE) --no-print-directory $(jobs)

# ---- first run, tests -----------------------------------------------------

demo:
	@sh tests/setup.sh --install build
	@echo 'building vmcensus, which takes some minutes on two processors'
	$(again) QUIET=1 all
	@sh tests/demo.sh $B/vmcensus

check:
	@sh tests/setup.sh --install test
	$(again) test-bins
	@python3 tests/check --build $B --cc '$(CC)' --san '$(SAN)' $(CHECK)

htmltest: all tools
	@python3 tests/check --build $B --only html

layers:
	@sh tests/layers.sh

nightly:
	@tests/nightly

lint lint-quick: $(page_parts) $(fleet_parts) $(questions) $(fact_ids)
	@$(MAKE) --no-print-directory build-check
	$(if $(shell command -v clang),@$(MAKE) --no-print-directory B=$B/clang CC=clang SAN= syntax,@echo \
		'skipped: clang is not installed (Debian package clang)')
	@CFLAGS='$(subst ','\'',$(own_flags) $(pkg_cflags) $(has_python))' sh tests/lint.sh \
		$(if $(filter %-quick,$@),--quick) $(lint_src)

format:
	@python3 tests/format.py --apply $(lint_src)

blast: all tools
	@python3 tests/damage/blast.py --build $B --draws $(or $(DRAWS),200) $(or $(FIXTURES),x86_64-5.10 x86_64-6.1-sysrq)

oracle: all tools
	@python3 tests/damage/oracle.py --build $B --cuts $(N) --flips $(N)

batchtest: all tools
	@python3 tests/check --build $B --only batch --inputs $(if $(filter file,$(origin N)),1000,$(N))

fleettest:
	@sh tests/setup.sh --install fleet
	$(again) all
	@python3 tests/check --build $B --only slurm

fuzz:
	@sh tests/fuzz/run.sh --time $(T) --make '$(MAKE)' $(FUZZ)

crashtest: crashext
	@python3 tests/crash/run --build '$B'

mcoretest: tools
	@python3 tests/crash/mcore --build '$B'

vmtest: all
	@tests/vmtest/run $(if $(VMTEST_MINUTES),--minutes $(VMTEST_MINUTES))

bench: all $(filter $B/bench/%,$(tool_bin))
	@tests/bench/run --build '$B' --cc '$(firstword $(CC))' $(if $(MACHINE),--machine $(MACHINE))

# ---- what the program says of itself ----------------------------------------

# An archive of a release has the pages in docs/made/. Else the program writes them, if it runs here.
PAGES_BY ?= $B/vmcensus
man_rooms := process file page machine kernel oom fleet export
completion := vmcensus _vmcensus vmcensus.fish
pages    := vmcensus.1 $(man_rooms:%=vmcensus-%.1) schema.md $(completion) vmcensus.pyi
made     := $(if $(wildcard docs/made/vmcensus.1),docs/made,$B/docs/made)
# asked when a recipe begins: then the program is there
has_pages = $(or $(filter docs/made,$(made)),$(shell $(PAGES_BY) --version >/dev/null 2>&1 && echo yes))

docs: $(made)/vmcensus.1

$B/docs/made/vmcensus.1: docs/pages.sh docs/vmcensus.1.in $(wildcard docs/completion/*.in) $B/vmcensus
	$(say) DOCS $(@D)
	$(Q)sh $< '$(PAGES_BY)' $(@D) $(man_rooms)

# For every Python of the stable ABI; the library is in it.
python_made := $(addprefix $B/python/vmcensus/,__init__.py py.typed _vmcensus.abi3.so)

# where both are asked for, the pages are written once
python: all $(filter docs,$(MAKECMDGOALS))
	@if [ -n '$(has_python)' ]; then \
		$(MAKE) --no-print-directory $(python_made) \
			$(if $(has_pages),$B/python/vmcensus/__init__.pyi); \
	else \
		echo 'python: skipped: the headers of Python are missing (Debian package libpython3-dev)'; \
	fi

$B/python/vmcensus/__init__.py: cli/python/__init__.py
	@mkdir -p $(@D)
	$(Q)cp $< $@

$B/python/vmcensus/py.typed:
	@mkdir -p $(@D)
	$(Q): > $@

$B/python/vmcensus/__init__.pyi: $(made)/vmcensus.1
	@mkdir -p $(@D)
	$(Q)cp $(made)/vmcensus.pyi $@

$B/python/vmcensus/_vmcensus.abi3.so: $(call obj,$(python_src) $(lib_src))
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) -shared $(hard_link) -Wl,-Bsymbolic $(LDFLAGS) -o $@ $^ -pthread

$(call obj,$(python_src)): OBJ_FLAGS += $(has_python)

# The one place of the version is above: what else names it is made.
version:
	@echo $(VERSION)

release := vmcensus-$(VERSION)
dist: docs
	$(Q)git archive --prefix=$(release)/ -o $B/$(release).tar HEAD
	$(Q)tar -rf $B/$(release).tar --transform='s,^,$(release)/docs/made/,' -C $(made) $(pages)
	$(Q)sed 's/@VERSION@/$(VERSION)/' docs/packages/vmcensus.spec.in > $B/vmcensus.spec
	$(Q)tar -rf $B/$(release).tar --transform='s,^,$(release)/,' -C $B vmcensus.spec
	$(Q)xz -f $B/$(release).tar

# ---- installation ---------------------------------------------------------

bindir  := $(PREFIX)/bin
man1dir := $(PREFIX)/share/man/man1
docdir  := $(PREFIX)/share/doc/vmcensus
sharedir := $(PREFIX)/share/vmcensus
libdir := $(PREFIX)/lib/vmcensus
# of shared libraries; distributions have a directory for each architecture
LIBDIR  ?= $(PREFIX)/lib
# crash looks in /usr/lib/crash/extensions alone (and $$CRASH_EXTENSIONS), gdb in /usr/lib/debug.
usr      := $(if $(filter /usr /usr/local,$(PREFIX)),/usr,$(PREFIX))
# where the system's Python looks
PYTHONDIR ?= $(or $(shell $(PYTHON) -c 'import site; print(next((d for d in site.getsitepackages() \
	if d.startswith("$(PREFIX)/")), ""))' 2>/dev/null),$(PREFIX)/lib/python3/dist-packages)
PYTHON  ?= python3
crash_kernel := $(wildcard $B/vmcensus-static crashkernel/vmcensus-collect)
# those of the machine that CC builds for
STRIP   ?= $(shell $(CC) -print-prog-name=strip)
OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)
by_list = DESTDIR='$(DESTDIR)' LIST='$(sharedir)/installed' DEBUG='$(usr)/lib/debug' STRIP='$(STRIP)' \
	OBJCOPY='$(OBJCOPY)' sh cli/install.sh
put = $(Q)$(by_list) put
put_program = $(Q)$(by_list) $(if $(STRIP),strip,put)

install: all $B/vmcensus.pc
	$(put_program) 755 '$(bindir)' $B/vmcensus
	$(if $(has_pages),@$(MAKE) --no-print-directory docs,@echo 'no manual pages and no completion are installed:' \
		'$(PAGES_BY) does not run here; give PAGES_BY=PROGRAM (make help)')
	$(if $(has_pages),$(put) 644 '$(man1dir)' $(addprefix $(made)/,$(filter %.1,$(pages))))
	$(if $(has_pages),$(put) 644 '$(docdir)' $(made)/schema.md)
	$(if $(has_pages),$(put) 644 '$(PREFIX)/share/bash-completion/completions' $(made)/vmcensus)
	$(if $(has_pages),$(put) 644 '$(PREFIX)/share/zsh/site-functions' $(made)/_vmcensus)
	$(if $(has_pages),$(put) 644 '$(PREFIX)/share/fish/vendor_completions.d' $(made)/vmcensus.fish)
	$(put) 644 '$(sharedir)/layouts' $(wildcard layouts/*.layout)
	$(put_program) 644 '$(LIBDIR)' $(library)
	$(Q)$(by_list) link '$(LIBDIR)' $(notdir $(library)) $(soname)
	$(Q)$(by_list) link '$(LIBDIR)' $(soname) libvmcensus.so
	$(put) 644 '$(PREFIX)/include' cli/library/vmcensus.h
	$(put) 644 '$(LIBDIR)/pkgconfig' $B/vmcensus.pc
	$(if $(wildcard $B/python/vmcensus/*.so),$(put) 644 '$(PYTHONDIR)/vmcensus' \
		$(wildcard $B/python/vmcensus/*.py $B/python/vmcensus/*.pyi $B/python/vmcensus/py.typed))
	$(if $(wildcard $B/python/vmcensus/*.so),$(put_program) 644 '$(PYTHONDIR)/vmcensus' $(wildcard $B/python/vmcensus/*.so))
	$(if $(wildcard $B/vmcensus.so),$(put_program) 644 '$(usr)/lib/crash/extensions' $B/vmcensus.so)
	$(if $(wildcard $B/vmcensus-static),$(put) 755 '$(libdir)' $(crash_kernel))

uninstall:
	$(Q)$(by_list) take

# Debian's dh_dkms puts the version into dkms.conf itself.
srcdir := /usr/src/vmcensus-$(VERSION)
dkms:
	@mkdir -p $B
	$(Q)sed 's/#MODULE_VERSION#/$(VERSION)/' kmod/dkms.conf > $B/dkms.conf
	$(put) 644 '$(srcdir)' kmod/Kbuild kmod/Makefile $(wildcard kmod/*.[ch]) $B/dkms.conf

clean:
	rm -rf build build-san build-clang build-san-clang build-fuzz $(if $(filter build%,$B),$B)

help:
	@sed -n 's/^#? \{0,1\}//p' Makefile
