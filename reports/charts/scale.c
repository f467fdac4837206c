/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scale.c - formats amounts, and chooses the steps of an axis.
 */
#include "reports/charts/scale.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TICKS 6		/* about as many */

static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };

static bool in_bytes(const struct scale *s)
{
	return s->type == COL_BYTES && s->units.unit != UNIT_PAGES;
}

static uint64_t counted(const struct scale *s, uint64_t v)
{
	return s->type == COL_BYTES && s->units.unit == UNIT_PAGES ? v / s->units.page_size : v;
}

/* 1, 2, 5 times a power of ten that is at least V; V is at most 2^64 / TICKS. */
static uint64_t round_up(uint64_t v)
{
	uint64_t p = 1;

	while (p * 10 < v)
		p *= 10;
	return v <= p ? p : v <= 2 * p ? 2 * p : v <= 5 * p ? 5 * p : 10 * p;
}

void scale_axis(struct scale *s, uint64_t max)
{
	uint64_t least = max / TICKS + (max % TICKS != 0), unit = 1;

	if (s->type == COL_BYTES && s->units.unit == UNIT_PAGES)
		unit = s->units.page_size;
	else if (s->type == COL_BYTES)
		while (least / unit >= 1000)
			unit *= 1024;
	least = least / unit + (least % unit != 0);
	s->step = round_up(least ? least : 1) * unit;
	/* from 600 KiB on, the round steps of the next unit are as good, and shorter */
	if (in_bytes(s) && s->step / unit >= 1000)
		s->step = unit * 1024;
	s->ticks = max / s->step + (max % s->step != 0);
	if (!s->ticks)
		s->ticks = 1;
}

/* Digits in groups of three. */
static size_t put_grouped(uint64_t v, char *buf)
{
	char digits[24];
	size_t n = put_decimal(digits, v), k = 0;

	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf[k++] = ',';
		buf[k++] = digits[i];
	}
	buf[k] = '\0';
	return k;
}

static void put_count(const struct scale *s, uint64_t v, char *buf)
{
	const char *unit = s->type == COL_BYTES ? "pages" : s->unit;
	size_t n = put_grouped(counted(s, v), buf);

	if (unit && *unit)
		snprintf(buf + n, AMOUNT_TEXT - n, " %.10s", unit);
}

void scale_amount(const struct scale *s, uint64_t v, char *buf)
{
	double x = (double)v;
	unsigned i = 0;

	if (!in_bytes(s)) {
		put_count(s, v, buf);
		return;
	}
	if (s->units.unit == UNIT_BYTES) {
		snprintf(buf + put_grouped(v, buf), 4, " B");
		return;
	}
	/* from 999.5 on, three digits become four */
	for (; x >= 999.5 && i + 1 < sizeof(names) / sizeof(names[0]); i++)
		x /= 1024;
	snprintf(buf, AMOUNT_TEXT, "%.*f %s",
		 !i || x >= 99.95 ? 0
		 : x >= 9.995	  ? 1
				  : 2,
		 x, names[i]);
}

void scale_tick(const struct scale *s, uint64_t v, char *buf)
{
	unsigned i = 0;

	if (!in_bytes(s)) {
		put_count(s, v, buf);
		return;
	}
	while (v && v % 1024 == 0 && i + 1 < sizeof(names) / sizeof(names[0])) {
		v /= 1024;
		i++;
	}
	snprintf(buf, AMOUNT_TEXT, "%" PRIu64 " %s", v, v ? names[i] : "");
	if (!v)
		snprintf(buf, AMOUNT_TEXT, "0");
}
