/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kconfig.c - reads a .config.
 */
#include "facts/headers/kconfig.h"

#include <ctype.h>
#include <string.h>

#define MAX_OPTIONS 65536u	/* a kernel has some 20000 */
#define OF_NAME "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* y, m, a decimal or hexadecimal number, or "..." in LEN bytes at V. */
static bool value_ok(const char *v, size_t len)
{
	size_t at = *v == '-';

	if (len == 1 && (*v == 'y' || *v == 'm'))
		return true;
	if (len >= 2 && *v == '"')
		return v[len - 1] == '"';
	if (len > 2 && v[0] == '0' && (v[1] == 'x' || v[1] == 'X'))
		return strspn(v + 2, "0123456789abcdefABCDEF") >= len - 2;
	return len > at && strspn(v + at, "0123456789") >= len - at;
}

static void parse_line(const char *line, size_t len, struct arena *mem, struct kconfig *c)
{
	size_t name = strspn(line, OF_NAME);
	struct kconfig_option *o;

	if (len && line[len - 1] == '\r')
		len--;
	if (strncmp(line, "CONFIG_", 7) || name >= len || line[name] != '=' ||
	    !value_ok(line + name + 1, len - name - 1) || c->options.n == MAX_OPTIONS)
		return;
	o = vec_push(mem, &c->options);
	o->name = arena_strndup(mem, line, name);
	o->value = arena_strndup(mem, line + name + 1, len - name - 1);
}

void kconfig_parse(const char *text, struct arena *mem, struct kconfig *ret)
{
	memset(ret, 0, sizeof(*ret));
	while (*text) {
		size_t len = strcspn(text, "\n");

		parse_line(text, len, mem, ret);
		text += len + (text[len] == '\n');
	}
}

/* The last line wins, as in the kernel's own parser. */
const char *kconfig_get(const struct kconfig *c, const char *name)
{
	for (size_t i = c->options.n; i--;)
		if (!strcmp(c->options.v[i].name, name))
			return c->options.v[i].value;
	return NULL;
}

static void put_string(const char *v, FILE *out)
{
	putc('"', out);
	for (; *v; v++)
		if (isalnum((unsigned char)*v) || strchr(" _./:,+=@%-", *v))
			putc(*v, out);
	putc('"', out);
}

void kconfig_macros(const struct kconfig *c, FILE *out)
{
	for (size_t i = 0; i < c->options.n; i++) {
		const struct kconfig_option *o = &c->options.v[i];
		bool module = !strcmp(o->value, "m");

		fprintf(out, "#undef %s\n#define %s%s ", o->name, o->name, module ? "_MODULE" : "");
		if (module || !strcmp(o->value, "y"))
			putc('1', out);
		else if (*o->value == '"')
			put_string(o->value, out);
		else
			fputs(o->value, out);
		putc('\n', out);
	}
}
