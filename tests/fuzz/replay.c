/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A main for fuzz targets without libFuzzer:
 *
 *	fuzz_NAME FILE...				each file is one input
 *	fuzz_NAME --mutate SEED SECONDS KEEP FILE...	inputs that differ from the files in a few
 *							places, until the time is over
 *
 * It returns when none crashed; that is the whole test. With --mutate the file KEEP has the input that
 * is running, and is left behind by a crash; executions are counted. libFuzzer finds more for each
 * execution, and this one executes more: no counters, no sanitizers unless the build has them.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define INPUT_MAX 65536u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Not every target has one. */
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

struct input {
	uint8_t *data;
	size_t size;
};

/* The kept one: what a crash leaves is the number of its bytes, and these. */
struct kept {
	uint64_t size;
	uint8_t data[INPUT_MAX];
};

static int load(const char *path, struct input *in)
{
	FILE *f = fopen(path, "rb");
	long size = -1;
	int rc = 1;

	in->data = NULL;
	if (f && !fseek(f, 0, SEEK_END))
		size = ftell(f);
	if (size >= 0)
		in->data = malloc((size_t)size + 1);
	if (in->data) {
		rewind(f);
		in->size = (size_t)size;
		rc = fread(in->data, 1, in->size, f) != in->size;
	}
	if (rc)
		printf("%s: cannot be read\n", path);
	if (f)
		fclose(f);
	return rc;
}

static int replay(const char *path)
{
	struct input in;
	int rc = load(path, &in);

	if (!rc)
		LLVMFuzzerTestOneInput(in.data, in.size);
	free(in.data);
	return rc;
}

/* ---- inputs that differ --------------------------------------------------------------- */

static uint64_t state;

static uint32_t below(size_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return n ? (uint32_t)((state * UINT64_C(0x2545f4914f6cdd1d) >> 32) % n) : 0;
}

static void change(struct kept *k, const struct input *other)
{
	static const uint8_t limits[] = { 0, 1, 0x7f, 0x80, 0xff, 0xfe, 0x10, 0x20, '\n', '"' };
	size_t at = below(k->size), n = 1 + below(8), from = below(other->size);

	if (n > k->size - at)
		n = k->size - at;
	switch (below(7)) {
	case 0: k->data[at] ^= (uint8_t)(1u << below(8)); break;
	case 1: k->data[at] = limits[below(sizeof(limits))]; break;
	case 2: k->data[at] = (uint8_t)below(256); break;
	case 3: memset(k->data + at, limits[below(5)], n); break;
	case 4: /* out */
		memmove(k->data + at, k->data + at + n, k->size - at - n);
		k->size -= n < k->size ? n : 0;
		break;
	case 5: /* a piece of another one goes in */
		n = 1 + below(64);
		if (n > other->size - from)
			n = other->size - from;
		if (k->size + n > INPUT_MAX)
			break;
		memmove(k->data + at + n, k->data + at, k->size - at);
		memcpy(k->data + at, other->data + from, n);
		k->size += n;
		break;
	default: /* over it */
		if (n <= other->size - from)
			memcpy(k->data + at, other->data + from, n);
	}
}

static int mutate(char **argv, int n)
{
	struct input *in = calloc((size_t)n, sizeof(*in));
	time_t end = time(NULL) + atol(argv[1]);
	unsigned long done = 0;
	int fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	struct kept *k = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, sizeof(*k)))
		k = mmap(NULL, sizeof(*k), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!in || k == MAP_FAILED) {
		printf("%s: cannot be written\n", argv[2]);
		return 1;
	}
	for (int i = 0; i < n; i++)
		if (load(argv[3 + i], &in[i]))
			return 1;
	state = strtoull(argv[0], NULL, 0) * 2 + 1;
	for (; time(NULL) < end; done++) {
		const struct input *of = &in[below((size_t)n)], *other = &in[below((size_t)n)];

		k->size = of->size < INPUT_MAX ? of->size : INPUT_MAX;
		memcpy(k->data, of->data, k->size);
		for (unsigned i = 1 + below(below(8) ? 4 : 24); i && k->size; i--)
			change(k, other);
		LLVMFuzzerTestOneInput(k->data, k->size);
	}
	printf("%lu executions\n", done);
	unlink(argv[2]);
	munmap(k, sizeof(*k));
	close(fd);
	for (int i = 0; i < n; i++)
		free(in[i].data);
	free(in);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	if (argc > 5 && !strcmp(argv[1], "--mutate"))
		return mutate(argv + 2, argc - 5);
	for (int i = 1; i < argc; i++)
		failed += replay(argv[i]);
	printf("%d passed, %d failed\n", argc - 1 - failed, failed);
	return failed ? 1 : 0;
}
