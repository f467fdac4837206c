/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * types_sample.h - types of every shape that the path language knows. Compiled
 * into test_types, which asks the compiler for the truth, and by it, with
 * several kinds of debug information.
 */
#ifndef VMCENSUS_TESTS_TYPES_SAMPLE_H
#define VMCENSUS_TESTS_TYPES_SAMPLE_H

typedef struct { int counter; } sample_atomic_t;
typedef unsigned long sample_word_t;
typedef struct sample_outer sample_outer_alias;

enum sample_kind { SAMPLE_NEGATIVE = -2, SAMPLE_ZERO, SAMPLE_SEVEN = 7 };
typedef enum { SAMPLE_BIG = 0x80000000u, SAMPLE_BYTE = 0xf0 } sample_anon_t;
enum sample_wide { SAMPLE_WIDE = 0x123456789abcll };

struct sample_inner {
	signed char tag;
	sample_atomic_t refs[3];
	struct { unsigned short lo, hi; } pair[2];
};

struct sample_bits {
	unsigned first:3;
	unsigned second:7;
	int third:22;
	unsigned long long wide:33;
	unsigned char byte_low:5, byte_high:3;
	unsigned short after;
};

struct __attribute__((packed)) sample_packed {
	unsigned char lead;
	unsigned a:13;
	unsigned b:11;
	unsigned c:8;
};

struct sample_outer {
	const sample_word_t flags;
	union {
		struct {
			struct sample_outer *next, *prev;
		};
		volatile int shared[4];
		struct sample_inner in;
	};
	enum sample_kind kind;
	_Bool yes;
	char comm[16];
	struct sample_inner list[4];
	int grid[3][5];
	struct sample_bits bits;
	void (*call)(int);
	struct sample_outer *const table[2];
	double real;
	char tail[];
};

#endif
