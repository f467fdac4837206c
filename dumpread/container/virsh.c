/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dumpread/container/virsh.h"

#include <string.h>

#include "dumpread/base/bytes.h"

static bool is_partial(const void *h)
{
	return !memcmp(h, "LibvirtQemudPart", 16);
}

bool virsh_is(const void *h)
{
	return !memcmp(h, "LibvirtQemudSave", 16) || is_partial(h);
}

bool virsh_header_read(const uint8_t *h, struct virsh_header *ret)
{
	bool big = load32(h + 16, false) > 0xffff; /* the version */

	if (!virsh_is(h))
		return false;
	ret->partial = is_partial(h);
	ret->packed = load32(h + 28, big);
	ret->stream = VIRSH_HEADER + (uint64_t)load32(h + 20, big);
	return true;
}
