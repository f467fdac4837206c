/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dumpread/base/release.h"

#include <ctype.h>

unsigned release_parse(const char *text, struct release *ret)
{
	int *const part[] = { &ret->major, &ret->minor, &ret->patch };
	unsigned n = 0;

	*ret = (struct release){ 0 };
	while (n < 3 && isdigit((unsigned char)*text)) {
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
