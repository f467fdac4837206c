/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sandbox.c - seccomp, Landlock, privileges and limits of this process.
 *
 * Facts: Documentation/userspace-api/landlock.rst and seccomp_filter.rst. fs/ioctl.c and
 * fs/fcntl.c: the commands of ioctl() and fcntl() are 32 bits wide, and a filter sees 64. Landlock's ABI is
 * 1 since 5.13, 2 since 5.19 (REFER), 3 since 6.2 (TRUNCATE), 4 since 6.7 (TCP), 5 since 6.10
 * (IOCTL_DEV), 6 since 6.12 (scopes).
 */
#include "app/sandbox/sandbox.h"

#include <asm/termbits.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/memory.h"

#define NOBODY 65534 /* of every distribution; nothing belongs to it */

/* ---- Landlock ---------------------------------------------------------------------- */

/* Debian 12's linux/landlock.h is that of 6.1. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444 /* the same on all CPUs */
#define SYS_landlock_add_rule	    445
#define SYS_landlock_restrict_self  446
#endif
#define RULE_PATH_BENEATH 1	  /* LANDLOCK_RULE_PATH_BENEATH */
#define FS_READS	  0x0du	  /* EXECUTE, READ_FILE, READ_DIR */
#define FS_OF_NULL	  0x4002u /* WRITE_FILE, TRUNCATE */
#define RULESET_VERSION	  1u	  /* LANDLOCK_CREATE_RULESET_VERSION */
#define NEWEST_ABI	  6

struct ruleset {
	uint64_t fs, net, scoped;
};

/* All that ABI can forbid, and the length of the struct that it knows. */
static struct ruleset all_of(int abi, size_t *len)
{
	static const unsigned char fs_bits[NEWEST_ABI + 1] = { 0, 13, 14, 15, 15, 16, 16 };
	struct ruleset r = { .fs = (UINT64_C(1) << fs_bits[abi]) - 1 };

	*len = abi < 4 ? 8 : abi < 6 ? 16 : 24;
	if (abi >= 4)
		r.net = 3; /* BIND_TCP, CONNECT_TCP */
	if (abi >= 6)
		r.scoped = 3; /* ABSTRACT_UNIX_SOCKET, SIGNAL */
	return r;
}

/* struct landlock_path_beneath_attr */
struct path_rule {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

static bool allow_below(int rules, const char *path, uint64_t rights)
{
	struct path_rule r = { .allowed = rights, .fd = open(path, O_PATH | O_CLOEXEC) };
	bool ok = r.fd >= 0 && !syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &r, 0);

	if (r.fd >= 0)
		close(r.fd);
	return ok;
}

/*
 * A domain without a rule: everything that it handles is refused. Some kernels claim an ABI
 * of which they lack a part (RHEL 9): then the one below is tried. DIR, if not NULL: what
 * reads is not handled, and below it all is allowed.
 */
static bool enter_landlock(const char *dir)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION);
	struct ruleset r = { .fs = 0 };
	int fd = -1;
	bool ok;

	for (abi = abi > NEWEST_ABI ? NEWEST_ABI : abi; abi > 0 && fd < 0; abi--) {
		size_t len;

		r = all_of((int)abi, &len);
		if (dir)
			r.fs &= ~(uint64_t)FS_READS;
		fd = (int)syscall(SYS_landlock_create_ruleset, &r, len, 0);
	}
	if (fd < 0)
		return false;
	ok = !dir ||
	     (allow_below(fd, dir, r.fs) && allow_below(fd, "/dev/null", r.fs & FS_OF_NULL));
	ok = ok && !syscall(SYS_landlock_restrict_self, fd, 0);
	close(fd);
	return ok;
}

/* ---- privileges ---------------------------------------------------------------------- */

/* Of root, nothing is left: no user, no group, no capability. */
static bool drop_privileges(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };
	bool ok = true;

	if (!geteuid() || !getuid())
		ok = !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
		     !setresuid(NOBODY, NOBODY, NOBODY);
	syscall(SYS_capset, &head, none);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0);
	return ok;
}

/* Of root's capabilities the one by which it reads is left: headers may be anybody's. */
static void keep_reading(void)
{
	const uint32_t reads = 1u << CAP_DAC_READ_SEARCH;
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct has[2] = { 0 };

	syscall(SYS_capget, &head, has);
	has[0].permitted &= reads;
	has[0].effective &= reads;
	has[0].inheritable = has[1].inheritable = has[1].permitted = has[1].effective = 0;
	syscall(SYS_capset, &head, has);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* ---- limits ---------------------------------------------------------------------------- */

/* An earlier, lower limit stays. */
static void limit(int what, uint64_t most)
{
	struct rlimit l;

	if (getrlimit((__rlimit_resource_t)what, &l) || (l.rlim_cur <= most && l.rlim_max <= most))
		return;
	l.rlim_max = min_u64(l.rlim_max, most);
	l.rlim_cur = min_u64(l.rlim_cur, l.rlim_max);
	setrlimit((__rlimit_resource_t)what, &l);
}

static void set_limits(const struct sandbox_limits *l)
{
	uint64_t mapped = memory_virtual();

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, l->seconds);
	limit(RLIMIT_NOFILE, l->files);
	if (mapped && l->memory < INT64_MAX - mapped)
		limit(RLIMIT_AS, mapped + l->memory);
}

/* ---- seccomp ----------------------------------------------------------------------------- */

/*
 * What the program does once its files are open. Names that a CPU has not are left out. Not
 * here, and why: openat and all that takes a path; socket; kill; fork (clone without
 * CLONE_THREAD); ioctl but isatty()'s (TIOCSTI types into the terminal); fcntl but the commands
 * below; limits of another process (prlimit64 with a pid); mmap and mprotect of code; prctl;
 * io_uring. newfstatat is fstat() in glibc since 2.33, and statx there on other
 * CPUs: so names, lengths and times of files can be asked for.
 */
static const char *const calls[] = {
	"read",
	"readv",
	"pread64",
	"write",
	"writev",
	"pwrite64",
	"lseek",
	"_llseek",
	"close",
	"fstat",
	"fstat64",
	"newfstatat",
	"fstatat64",
	"statx",
	"fstatfs",
	"fstatfs64",
	"ftruncate",
	"ftruncate64",
	"fadvise64",
	"recvmsg",
	"recvfrom",
	"recv",
	"sendmsg",
	"sendto",
	"send",
	"poll",
	"ppoll",
	"ppoll_time64",
	"memfd_create",
	"brk",
	"munmap",
	"mremap",
	"madvise",
	"futex",
	"futex_time64",
	"set_robust_list",
	"rseq",
	"sched_yield",
	"sched_getaffinity",
	"getpid",
	"gettid",
	"getuid",
	"geteuid",
	"getgid",
	"getegid",
	"exit",
	"exit_group",
	"rt_sigaction",
	"rt_sigprocmask",
	"rt_sigreturn",
	"sigreturn",
	"sigaltstack",
	"restart_syscall",
	"clock_gettime",
	"clock_gettime64",
	"gettimeofday",
	"time",
	"clock_nanosleep",
	"clock_nanosleep_time64",
	"nanosleep",
	"getrandom",
	"sysinfo",
	"uname",
	"getrusage",
	"ugetrlimit",
	"getrlimit",
	"setrlimit",
	"membarrier",
};

/*
 * The commands of fcntl() that send no signal. F_SETFL is among them without O_ASYNC, which makes
 * a terminal signal its foreground process group (__tty_fasync() in drivers/tty/tty_io.c).
 */
static const uint32_t fcntls[] = { F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC };

/* The low half of argument N, which is all that the kernel takes of an int, is V. */
#define INT_IS(n, v) SCMP_CMP(n, SCMP_CMP_MASKED_EQ, UINT32_MAX, (uint32_t)(v))

/* It is refused, except with the words A and B. */
#define ALLOW(ctx, name, ...)                                                                      \
	seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(name),                                      \
			 ARRAY_LEN(((struct scmp_arg_cmp[]){ __VA_ARGS__ })), __VA_ARGS__)

/*
 * A rule for the call NAME; none where a CPU has no such call. Numbers below zero are libseccomp's
 * own: also of calls that a CPU has, but beside socketcall() (powerpc, i386, s390). There
 * libseccomp makes a rule for both.
 */
static int add_name(scmp_filter_ctx ctx, uint32_t action, const char *name)
{
	int nr = seccomp_syscall_resolve_name(name), err;

	if (nr == __NR_SCMP_ERROR)
		return 0;
	err = seccomp_rule_add(ctx, action, nr, 0);
	return nr < 0 ? 0 : err;
}

/* ACTION for NAME with the arguments ARGS; none where a CPU has no such call. */
static int add_with(scmp_filter_ctx ctx, uint32_t action, const char *name, unsigned n,
		    const struct scmp_arg_cmp *args)
{
	int nr = seccomp_syscall_resolve_name(name);

	return nr < 0 ? 0 : seccomp_rule_add_array(ctx, action, nr, n, args);
}

static int allow_fcntl(scmp_filter_ctx ctx, const char *name)
{
	const struct scmp_arg_cmp set[] = { INT_IS(1, F_SETFL),
					    SCMP_A2(SCMP_CMP_MASKED_EQ, O_ASYNC, 0) };
	int err = add_with(ctx, SCMP_ACT_ALLOW, name, 2, set);

	for (size_t i = 0; i < ARRAY_LEN(fcntls); i++)
		err |= add_with(ctx, SCMP_ACT_ALLOW, name, 1,
				(struct scmp_arg_cmp[]){ INT_IS(1, fcntls[i]) });
	return err;
}

static bool add_rules(scmp_filter_ctx ctx)
{
	const uint64_t thread = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD;
	int err = 0;

	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		err |= add_name(ctx, SCMP_ACT_ALLOW, calls[i]);
	err |= ALLOW(ctx, mmap, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	err |= ALLOW(ctx, mprotect, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	err |= ALLOW(ctx, clone, SCMP_A0(SCMP_CMP_MASKED_EQ, thread, thread));
	/* its flags are in memory, where a filter cannot see them; glibc then takes clone() */
	err |= seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	err |= ALLOW(ctx, ioctl, INT_IS(1, TCGETS));
	err |= ALLOW(ctx, prlimit64, INT_IS(0, 0));
	err |= allow_fcntl(ctx, "fcntl") | allow_fcntl(ctx, "fcntl64");
	err |= ALLOW(ctx, tgkill, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0));
	return !err;
}

/* What a compiler does not do: the rest is Landlock's to refuse. */
static const char *const refused[] = {
	"socket",
	"connect",
	"bind",
	"ptrace",
	"process_vm_readv",
	"process_vm_writev",
	"kill",
	"tkill",
	"pidfd_open",
	"pidfd_getfd",
	"pidfd_send_signal",
	"rt_sigqueueinfo",
	"rt_tgsigqueueinfo",
	"io_uring_setup",
	"bpf",
	"perf_event_open",
	"userfaultfd",
	"keyctl",
	"add_key",
	"request_key",
	"mount",
	"umount2",
	"fsopen",
	"fsmount",
	"open_tree",
	"move_mount",
	"pivot_root",
	"chroot",
	"unshare",
	"setns",
	"init_module",
	"finit_module",
	"delete_module",
	"kexec_load",
	"kexec_file_load",
	"reboot",
	"swapon",
	"swapoff",
	"settimeofday",
	"clock_settime",
	/* of files that are root's, and of which Landlock says nothing, or not before 6.2 */
	"open_by_handle_at",
	"truncate",
	"chmod",
	"fchmod",
	"fchmodat",
	"fchmodat2",
	"chown",
	"fchown",
	"lchown",
	"fchownat",
	"setxattr",
	"lsetxattr",
	"fsetxattr",
	"removexattr",
	"lremovexattr",
	"fremovexattr",
	"utime",
	"utimes",
	"futimesat",
	"utimensat",
	/* of other processes of the same user */
	"setpriority",
	"ioprio_set",
	"sched_setaffinity",
	"sched_setattr",
	"sched_setparam",
	"sched_setscheduler",
	"migrate_pages",
	"move_pages",
	"process_madvise",
	"process_mrelease",
};

/*
 * The same of calls that are younger than libseccomp's names, with the numbers of all CPUs but alpha:
 * setxattrat and removexattrat (6.13), open_tree_attr (6.15), file_setattr (6.17).
 */
static const int refused_numbers[] = { 463, 466, 467, 469 };

/*
 * What a compiler, a shell and make ask of descriptors: terminals and their width, flags, locks,
 * sizes of pipes. All else is refused: TIOCSTI and TIOCLINUX type into the terminal, FIOSETOWN,
 * F_SETOWN, F_SETLEASE and F_NOTIFY send signals, FS_IOC_SETFLAGS changes files of others.
 */
static const uint32_t compiler_ioctls[] = { TCGETS,  TIOCGPGRP, TIOCGWINSZ, FIONREAD,
					    FIONBIO, FIONCLEX,	FIOCLEX };
static const uint32_t compiler_fcntls[] = {
	F_DUPFD,      F_GETFD,	    F_SETFD,	 F_GETFL,     F_SETFL,	    F_GETLK,
	F_SETLK,      F_SETLKW,	    F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_DUPFD_CLOEXEC,
	F_SETPIPE_SZ, F_GETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS,
};

static bool has_prefix(const uint32_t *list, size_t n, uint32_t bits, uint32_t mask)
{
	for (size_t i = 0; i < n; i++)
		if ((list[i] & mask) == bits)
			return true;
	return false;
}

/*
 * Refuses NAME if the low half of its second argument is none of the N in LIST. A filter that allows
 * by default has no rule for "none of": so each value of a list is followed from its highest bit
 * down, and what differs from it there, and is no beginning of another value, is refused.
 */
static int refuse_others(scmp_filter_ctx ctx, const char *name, const uint32_t *list, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n; i++)
		for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1) {
			uint32_t mask = ~(bit - 1), bits = (list[i] ^ bit) & mask;
			bool seen = has_prefix(list, i, list[i] & mask, mask);

			if (!seen && !has_prefix(list, n, bits, mask))
				err |= add_with(ctx, SCMP_ACT_ERRNO(EPERM), name, 1,
						(struct scmp_arg_cmp[]){
							SCMP_A1(SCMP_CMP_MASKED_EQ, mask, bits) });
		}
	return err;
}

static int refuse_async(scmp_filter_ctx ctx, const char *name)
{
	const struct scmp_arg_cmp set[] = { INT_IS(1, F_SETFL),
					    SCMP_A2(SCMP_CMP_MASKED_EQ, O_ASYNC, O_ASYNC) };

	return refuse_others(ctx, name, compiler_fcntls, ARRAY_LEN(compiler_fcntls)) |
	       add_with(ctx, SCMP_ACT_ERRNO(EPERM), name, ARRAY_LEN(set), set);
}

static bool add_refusals(scmp_filter_ctx ctx)
{
	const struct scmp_arg_cmp other[] = { SCMP_A0(SCMP_CMP_NE, 0, 0) };
	const struct scmp_arg_cmp user[] = { SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER,
						     CLONE_NEWUSER) };
	int err = 0;

	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		err |= add_name(ctx, SCMP_ACT_ERRNO(EPERM), refused[i]);
	for (size_t i = 0; i < ARRAY_LEN(refused_numbers); i++)
		err |= seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), refused_numbers[i], 0);
	err |= refuse_others(ctx, "ioctl", compiler_ioctls, ARRAY_LEN(compiler_ioctls));
	err |= refuse_async(ctx, "fcntl") | refuse_async(ctx, "fcntl64");
	err |= add_with(ctx, SCMP_ACT_ERRNO(EPERM), "prlimit64", 1, other);
	err |= add_with(ctx, SCMP_ACT_ERRNO(EPERM), "clone", 1, user);
	err |= add_name(ctx, SCMP_ACT_ERRNO(ENOSYS), "clone3");
	return !err;
}

/* Returns 0, or an errno. What ADD has no rule for is OTHERS. */
static int enter_seccomp(uint32_t others, bool (*add)(scmp_filter_ctx))
{
	scmp_filter_ctx ctx = seccomp_init(others);
	int err;

	if (!ctx)
		return ENOMEM;
	/* our code is not the attacker's: no guard against speculation by it, which costs */
	seccomp_attr_set(ctx, SCMP_FLTATR_CTL_SSB, 1);
	seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	err = add(ctx) ? -seccomp_load(ctx) : EINVAL;
	seccomp_release(ctx);
	return err;
}

/* ---- descriptors ---------------------------------------------------------------------------- */

/* What survived an exec is not close-on-exec, and all that this program opens is. */
static void close_if_inherited(int fd)
{
	int flags = fd > STDERR_FILENO ? fcntl(fd, F_GETFD) : -1;

	if (flags >= 0 && !(flags & FD_CLOEXEC))
		close(fd);
}

void sandbox_close_inherited(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct rlimit l = { .rlim_cur = 0 };
	struct dirent *e;

	while (dir && (e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.')
			close_if_inherited((int)strtol(e->d_name, NULL, 10));
	if (dir)
		closedir(dir);
	else
		getrlimit(RLIMIT_NOFILE, &l);
	for (uint64_t fd = 0; fd < min_u64(l.rlim_cur, INT32_MAX); fd++)
		close_if_inherited((int)fd);
}

/* ---- all of it ------------------------------------------------------------------------------ */

struct sandbox_lacks sandbox_enter(const struct sandbox_limits *l)
{
	struct sandbox_lacks lacks = { .seccomp = false };

	set_limits(l);
	lacks.other_user = !drop_privileges();
	/* forgotten at a change of user */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lacks.landlock = !enter_landlock(NULL);
	lacks.error = enter_seccomp(SCMP_ACT_ERRNO(EPERM), add_rules);
	lacks.seccomp = lacks.error != 0;
	return lacks;
}

struct sandbox_lacks sandbox_enter_below(const char *dir, const struct sandbox_limits *l)
{
	struct sandbox_lacks lacks = { .seccomp = false };

	set_limits(l);
	keep_reading();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lacks.landlock = !enter_landlock(dir);
	lacks.error = enter_seccomp(SCMP_ACT_ALLOW, add_refusals);
	lacks.seccomp = lacks.error != 0;
	return lacks;
}

bool sandbox_says(const struct sandbox_lacks *lacks, struct diag *diag)
{
	if (lacks->seccomp)
		fail(diag, ST_UNSUPPORTED,
		     "seccomp is refused here (%s): the dump is read without a sandbox",
		     strerror(lacks->error));
	else if (lacks->landlock || lacks->other_user)
		fail(diag, ST_UNSUPPORTED, "the sandbox is seccomp%s%s",
		     lacks->landlock ? ", without Landlock, which this kernel lacks"
				     : " and Landlock",
		     lacks->other_user ? ", and runs as root: there is no other user here" : "");
	return lacks->seccomp || lacks->landlock || lacks->other_user;
}

void sandbox_warn(const struct sandbox_lacks *lacks)
{
	struct diag d;

	if (sandbox_says(lacks, &d) && lacks->seccomp)
		fprintf(stderr, "vmcensus: %s\n", d.text);
}
