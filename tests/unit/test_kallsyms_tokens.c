/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tokens of kallsyms that are lost, with token_index and without it, by the names of some symbols.
 */
#include <stdlib.h>
#include <string.h>

#include "dumpread/symbols/kallsyms.h"
#include "dumpread/symbols/symlist.h"
#include "tests/unit/check.h"
#include "tests/unit/mkkallsyms.h"

#define NSYMS 600u
#define VA 0xffffffff82000000u
#define TEXT 0xffffffff81000000u
#define LOCAL 10u	/* one of these is the compiler's own, and exported by nobody */

static struct mk_symbol symbols[NSYMS];
static char names[NSYMS][32];
static uint8_t tables[64 << 10];

static void lose(struct holes *h, size_t len)
{
	*h = (struct holes){ .v[0] = { 0, len }, .n = 1, .lost = 1, .pages = 1, .st = ST_NODATA };
}

/* With the tokens lost, and the index if INDEX is; what the names could not be. */
static struct kallsyms *lossy(bool index)
{
	struct mk_kallsyms m = { .word = 8, .form = KALLSYMS_RELATIVE, .align = 8, .va = VA, .base = TEXT };
	struct kallsyms *k = kallsyms_new();

	for (uint32_t i = 0; i < NSYMS; i++) {
		snprintf(names[i], sizeof(names[i]), i % LOCAL ? "sym_%u_x" : "n%u.loc", i);
		symbols[i] = (struct mk_symbol){ i % LOCAL ? 'D' : 'd', names[i], TEXT + i * 16 };
	}
	mk_kallsyms(&m, symbols, NSYMS, tables, sizeof(tables));
	k->num = NSYMS;
	k->word_size = 8;
	k->names = tables + (m.names - VA);
	k->names_len = m.tokens - m.names;
	k->tokens = tables + (m.tokens - VA);
	k->tokens_len = m.index - m.tokens;
	k->token_index = tables + (m.index - VA);
	k->values = tables + (m.values - VA);
	k->value_size = 4;
	k->base = TEXT;
	k->has_base = true;
	memset(tables + (m.tokens - VA), 0, k->tokens_len);
	lose(&k->lost.tokens, k->tokens_len);
	if (index) {
		memset(tables + (m.index - VA), 0, 512);
		lose(&k->lost.token_index, 512);
	}
	CHECK_EQ(kallsyms_index(k), ST_OK);
	CHECK_EQ(kallsyms_choose_form(k, NULL, 0), ST_OK);
	return k;
}

/* Every STEP-th exported name; WRONG of them are of other symbols. */
static struct symlist *exported(uint32_t step, uint32_t wrong)
{
	struct symlist *l = symlist_new();

	for (uint32_t i = 0, n = 0; i < NSYMS; i += step) {
		const char *name = names[n < wrong && i ? (i + 1) % NSYMS : i];

		if (i % LOCAL == 0)
			continue;
		symlist_add(l, name, strlen(name), symbols[i].addr, true);
		n++;
	}
	symlist_finish(l);
	return l;
}

/* Symbols that are found, each of them where it is. */
static uint32_t found(const struct kallsyms *k)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < NSYMS; i++) {
		uint64_t addr;

		if (!kallsyms_find(k, names[i], &addr))
			continue;
		CHECK_EQ(addr, symbols[i].addr);
		n++;
	}
	return n;
}

TEST(mended)
{
	for (int index = 0; index < 2; index++) {
		struct kallsyms *k = lossy(index);
		struct symlist *l = exported(3, 0);
		char buf[KALLSYMS_NAME_LEN];

		CHECK_EQ(found(k), 0);
		CHECK(kallsyms_mend_tokens(k, l));
		/* the type of a global symbol, and nothing of a token that no known name has */
		CHECK_EQ(found(k), NSYMS - NSYMS / LOCAL);
		CHECK(kallsyms_name(k, 1, buf) && !strcmp(buf, "Dsym_1_x"));
		CHECK_EQ(kallsyms_name(k, LOCAL, buf), 0);
		symlist_free(l);
		kallsyms_free(k);
	}
}

/* Names of other symbols do not count against many that agree. Where few are known, tokens stay lost. */
TEST(contradictions)
{
	struct kallsyms *k = lossy(true);
	struct symlist *l = exported(1, 3);

	CHECK(kallsyms_mend_tokens(k, l));
	CHECK(found(k) >= NSYMS - NSYMS / LOCAL);
	symlist_free(l);
	kallsyms_free(k);

	k = lossy(true);
	l = exported(599, 0);
	CHECK(kallsyms_mend_tokens(k, l));
	CHECK(found(k) >= 1 && found(k) < NSYMS / 2);
	symlist_free(l);
	kallsyms_free(k);

	k = lossy(true);
	l = symlist_new();
	symlist_finish(l);
	CHECK(!kallsyms_mend_tokens(k, l));
	CHECK_EQ(found(k), 0);
	symlist_free(l);
	kallsyms_free(k);
}
