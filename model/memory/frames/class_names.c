/* SPDX-License-Identifier: GPL-3.0-or-later */
/* class_names.c - what is known of the classes themselves. */
#include <string.h>

#include "model/memory/frames/classes.h"

const struct class_facts class_facts[PAGE_CLASSES] = {
#define C(class, id, words, what, counted, use, flags) { id, words, what, flags },
#include "model/memory/frames/classes.def"
#undef C
};

enum page_class page_class_of_id(const char *id)
{
	unsigned i = 0;

	while (i < PAGE_CLASSES && strcmp(class_facts[i].id, id))
		i++;
	return (enum page_class)i;
}
