/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arrays - a program whose memory is known symbol by symbol: the test that the author
 * of exmap made for it. It is init of its guest: two children of it (by exec, so that
 * they share what the file gives and nothing else) read and write arrays of 100 pages
 * and stay.
 *
 * Reading goes page by page: fault_around_bytes is set to one page, huge pages
 * are off by the kernel's command line.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096
#define PAGES 100
#define CHILDREN 2

/* Each in pages of its own; those with a value lie in .data, the others in .bss. */
#define ARRAY(name) __attribute__((aligned(PAGE))) volatile char name[PAGES * PAGE]

ARRAY(init_donttouch) = { 1 };
ARRAY(init_readme) = { 2 };
ARRAY(init_writeme) = { 3 };
ARRAY(init_readhalf) = { 4 };
ARRAY(init_writehalf) = { 5 };
ARRAY(uninit_donttouch);
ARRAY(uninit_readme);
ARRAY(uninit_writeme);
ARRAY(uninit_readhalf);
ARRAY(uninit_writehalf);

/* Two that share a page, which is written; the second ends in the next one, which is not. */
asm(".pushsection .data\n"
    ".balign 4096\n"
    ".globl piece_first, piece_second\n"
    ".type piece_first, @object\n"
    ".size piece_first, 100\n"
    "piece_first: .fill 100, 1, 6\n"
    ".type piece_second, @object\n"
    ".size piece_second, 4096\n"
    "piece_second: .fill 4096, 1, 7\n"
    ".balign 4096\n"
    ".popsection\n");
extern volatile char piece_first[100];

/* A name of C++. */
__attribute__((aligned(PAGE))) volatile char mangled[PAGE] asm("_ZN3zoo5arrayE") = { 8 };

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		printf("LAB-FAILED %s\n", path);
	close(fd);
}

/* It tells QEMU where the kernel keeps VMCOREINFO, for the dump's note. */
static void load_fw_cfg(void)
{
	int fd = open("/qemu_fw_cfg.ko", O_RDONLY);

	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		printf("LAB-FAILED qemu_fw_cfg\n");
	close(fd);
}

static unsigned sum;

static void read_pages(const volatile char *a, int n)
{
	for (int i = 0; i < n; i++)
		sum += (unsigned)a[i * PAGE];
}

static void write_pages(volatile char *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i * PAGE + 1] = 9;
}

static void child(int ready)
{
	read_pages(init_readme, PAGES);
	write_pages(init_writeme, PAGES);
	read_pages(init_readhalf, PAGES / 2);
	write_pages(init_writehalf, PAGES / 2);
	read_pages(uninit_readme, PAGES);
	write_pages(uninit_writeme, PAGES);
	read_pages(uninit_readhalf, PAGES / 2);
	write_pages(uninit_writehalf, PAGES / 2);
	write_pages(piece_first, 1);
	read_pages(mangled, 1);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void start_child(int ready)
{
	char fd[16];

	snprintf(fd, sizeof(fd), "%d", ready);
	if (fork() == 0) {
		execl("/usr/bin/arrays", "arrays", fd, (char *)NULL);
		_exit(127);
	}
}

/* For the host, which blanks kernel code in the dump. */
static void say_kernel_code(void)
{
	FILE *f = fopen("/proc/iomem", "r");
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "Kernel code"))
			printf("LAB-IOMEM%s", line);
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	int ready[2];
	char byte;

	if (argc > 1)
		child(atoi(argv[1]));
	mkdir("/proc", 0755);
	mkdir("/debug", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("debugfs", "/debug", "debugfs", 0, NULL);
	put("/debug/fault_around_bytes", "4096");
	load_fw_cfg();
	say_kernel_code();
	if (pipe(ready))
		return 1;
	for (int i = 0; i < CHILDREN; i++)
		start_child(ready[1]);
	for (int i = 0; i < CHILDREN; i++)
		if (read(ready[0], &byte, 1) != 1)
			printf("LAB-FAILED pipe\n");
	printf("LAB-READY\n");
	fflush(stdout);
	for (;;)
		pause();
}
