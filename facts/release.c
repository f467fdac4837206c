/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * release.c - parses and compares kernel releases.
 */
#include "facts/release.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

unsigned release_parse(const char *text, struct release *ret)
{
	int *const part[] = { &ret->major, &ret->minor, &ret->patch, &ret->stable };
	unsigned n = 0;

	*ret = (struct release){ 0 };
	while (n < (ret->major == 2 ? 4 : 3) && isdigit((unsigned char)*text)) {
		for (; isdigit((unsigned char)*text); text++) {
			*part[n] = 10 * *part[n] + (*text - '0');
			if (*part[n] > RELEASE_MAX)
				*part[n] = RELEASE_MAX;
		}
		n++;
		if (*text != '.')
			break;
		text++;
	}
	return n;
}

/* The number at *TEXT, below 10,000; -1: none. *TEXT moves behind it. */
static int number(const char **text)
{
	int ret = isdigit((unsigned char)**text) ? 0 : -1;

	for (; isdigit((unsigned char)**text); (*text)++)
		if (ret <= RELEASE_MAX)
			ret = 10 * ret + (**text - '0');
	return ret;
}

/* TEXT: "-240.22.1.el8_3.x86_64" */
static void find_build(const char *text, struct release *ret)
{
	const char *el = strstr(text, ".el");
	int build, major;

	if (*text++ != '-' || !el || strstr(text, ".elrepo"))
		return;
	el += 3;
	build = number(&text);
	major = number(&el);
	if (build >= 0 && major > 0 && !isalpha((unsigned char)*el)) {
		ret->el = major;
		ret->build = build;
	}
}

/* TEXT: "-213-generic". Kernels for clouds count from 1000 on. */
static int ubuntu_build(const char *text)
{
	int ret = *text == '-' ? (text++, number(&text)) : -1;

	return ret > 0 && ret < 1000 && *text == '-' ? ret : 0;
}

/* The last release in TEXT that is of the same mainline version. */
static void find_stable(const char *text, struct release *ret)
{
	struct release w;

	for (const char *s = text; *s; s++) {
		if (!isdigit((unsigned char)*s) ||
		    (s > text && (isdigit((unsigned char)s[-1]) || s[-1] == '.')))
			continue;
		if (release_parse(s, &w) == 3 && w.major == ret->major && w.minor == ret->minor)
			ret->patch = w.patch;
	}
}

void release_of(const char *release, const char *version, struct release *ret)
{
	const char *rest = release + strspn(release, ".0123456789");

	if (release_parse(release, ret) < 2)
		return;
	find_build(rest, ret);
	if (strstr(version, "-Ubuntu "))
		ret->ubuntu = ubuntu_build(rest);
	find_stable(version, ret);
}

void release_of_banner(const char *banner, struct release *r)
{
	const char *tail = strrchr(banner, '(');

	if (tail && !strncmp(tail, "(Ubuntu ", 8))
		find_stable(tail, r);
}

int release_mainline(const struct release *r)
{
	return V(r->major, r->minor) + (r->major == 2 ? r->patch : 0);
}

const char *mainline_text(int version, char *buf, unsigned size)
{
	int major = version / V(1, 0), minor = version / V(0, 1) % 1000, patch = version % 1000;

	snprintf(buf, size, patch ? "%d.%d.%d" : "%d.%d", major, minor, patch);
	return buf;
}
