/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A main for fuzz targets without libFuzzer: each file named is one input. It
 * returns when none crashed; that is the whole test.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Not every target has one. */
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;
	int rc = 1;

	if (f && !fseek(f, 0, SEEK_END))
		size = ftell(f);
	if (size >= 0)
		data = malloc((size_t)size + 1);
	if (data) {
		rewind(f);
		rc = fread(data, 1, (size_t)size, f) != (size_t)size;
	}
	if (rc)
		printf("%s: cannot be read\n", path);
	else
		LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
	if (f)
		fclose(f);
	return rc;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++)
		failed += replay(argv[i]);
	printf("%d passed, %d failed\n", argc - 1 - failed, failed);
	return failed ? 1 : 0;
}
