/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules.c - decides which rules hold for a kernel.
 */
#include "facts/rules.h"

#include <string.h>

#define NO_SIGN .whole = false
#define SINCE(...) .since = __VA_ARGS__
#define UNTIL(...) .until = __VA_ARGS__
#define WHILE(...) .since = __VA_ARGS__, .whole = true
#define BOTH(since_, until_) since_, until_
#define PRINTS(text_) { .kind = SIGN_PRINTS, .text = text_ }
#define PRINTED(text_) { .kind = SIGN_PRINTED, .text = text_ }
#define FACT(id_) { .kind = SIGN_FACT, .id = id_ }
#define OPTION(id_) { .kind = SIGN_OPTION, .id = id_ }
#define FUNCTION(id_) { .kind = SIGN_FUNCTION, .id = id_ }
#define VARIABLE(id_) { .kind = SIGN_VARIABLE, .id = id_ }
#define GONE(id_) { .kind = SIGN_GONE, .id = id_ }

const struct rule_spec rule_specs[RULE_COUNT] = {
#define RULE(id_, about_, from_, until_, backports_, ...) \
	[id_] = { .name = #id_, .about = about_, .era = { from_, until_ }, \
		  .backports = backports_, __VA_ARGS__ },
#include "facts/rules.def"
#undef RULE
};

/* ---- the texts of an image ------------------------------------------------------ */

/* The search for a text starts at its last colon: few bytes of an image are colons. */
struct needle {
	const char *text;
	size_t left, right;	/* bytes before the colon, and after it */
	int next;		/* next text with the same byte before the colon, -1 none */
};

static bool matches(const struct needle *n, const uint8_t *buf, size_t at, size_t len)
{
	return at >= n->left && len - at > n->right + 1 &&
	       !memcmp(buf + at - n->left, n->text, n->left + 1 + n->right) &&
	       buf[at + 1 + n->right] != ' ';
}

static void look_for_texts(struct image_texts *t, const uint8_t *buf, size_t len)
{
	struct needle needles[RULE_COUNT];
	int first[256];
	const uint8_t *p = buf;

	memset(first, -1, sizeof(first));
	for (int i = 0; i < RULE_COUNT; i++) {
		const struct rule_spec *s = &rule_specs[i];
		const char *text = s->since.text ? s->since.text : s->until.text, *colon;

		if (!text)
			continue;
		colon = strrchr(text, ':');
		needles[i] = (struct needle){ text, (size_t)(colon - text), strlen(colon + 1),
					      first[(uint8_t)colon[-1]] };
		first[(uint8_t)colon[-1]] = i;
	}
	while ((p = memchr(p, ':', len - (size_t)(p - buf)))) {
		size_t at = (size_t)(p++ - buf);

		for (int i = at ? first[buf[at - 1]] : -1; i >= 0; i = needles[i].next)
			if (matches(&needles[i], buf, at, len))
				t->printed[i] = true;
	}
	/* a line of smaps that every kernel has */
	if (memmem(buf, len, "\nShared_Clean:   ", 17))
		t->known = true;
}

/*
 * mnemonics[] of show_smap_vma_flags(): two letters for each bit of a long, with a NUL
 * after each in kernels built by gcc 15.
 */
static void look_for_spelling(struct image_texts *t, const uint8_t *buf, size_t len, unsigned word)
{
	static const char *const starts[] = { "rdwrexshmr", "rd\0wr\0ex\0sh\0mr" };

	for (size_t step = 2; step <= 3 && !t->spells; step++) {
		const uint8_t *p = memmem(buf, len, starts[step - 2], 4 * step + 2);

		if (!p || len - (size_t)(p - buf) < 8 * word * step)
			continue;
		for (unsigned bit = 0; bit < 8 * word; bit++)
			memcpy(t->spelling[bit], p + bit * step, 2);
		t->spells = true;
	}
}

void image_texts_look(struct image_texts *t, const uint8_t *buf, size_t len, unsigned word)
{
	look_for_texts(t, buf, len);
	if (!t->spells)
		look_for_spelling(t, buf, len, word);
}

/* ---- the decision ---------------------------------------------------------------- */

/* Is V in a stable tree of the list, at the release named or a later one? */
static bool backported(const struct release *v, const char *list)
{
	struct release w;

	for (; release_parse(list, &w) == 3; list += strspn(list, " ")) {
		if (v->major == w.major && v->minor == w.minor)
			return v->patch >= w.patch;
		list += strcspn(list, " ");
	}
	return false;
}

/* 1: the sign is seen, 0: it is not, -1: it cannot be asked. */
static int ask(const struct sign *s, enum rule r, const struct evidence *e)
{
	bool seen;

	if (!e || s->kind == SIGN_NONE)
		return -1;
	if (s->kind == SIGN_PRINTS)
		return e->texts && e->texts->known ? e->texts->printed[r] : -1;
	if (s->kind == SIGN_PRINTED)
		return e->texts && e->texts->printed[r] ? 1 : -1;
	if (!e->layout)
		return -1;
	seen = layout_has(e->layout, s->id);
	switch (s->kind) {
	case SIGN_FACT: return seen ? 1 : e->types_whole ? 0 : -1;
	case SIGN_OPTION: return seen ? 1 : -1;
	case SIGN_VARIABLE: return seen ? 1 : layout_has(e->layout, Y_SAVED_COMMAND_LINE) ? 0 : -1;
	case SIGN_GONE: return seen ? 0 : layout_has(e->layout, Y_SEQ_PRINTF) ? 1 : -1;
	default: return seen ? 1 : layout_has(e->layout, Y_SEQ_PRINTF) ? 0 : -1;
	}
}

static bool decide(enum rule r, const struct release *v, const struct evidence *e, bool *by_sign)
{
	const struct rule_spec *s = &rule_specs[r];
	int since = ask(&s->since, r, e), until = s->whole ? !since : ask(&s->until, r, e);
	bool ended = s->era.until && release_since(v, s->era.until);

	*by_sign = since >= 0 || (!s->whole && until >= 0);
	if (s->whole && since >= 0)
		return since;
	if (until >= 0 && !s->whole)
		ended = until;
	if (since >= 0)
		return since && !ended;
	return !ended && (release_since(v, s->era.from) || backported(v, s->backports));
}

void rules_decide(const struct release *v, const struct evidence *e, struct rules *ret)
{
	for (int i = 0; i < RULE_COUNT; i++) {
		bool by_sign;

		ret->on[i] = decide(i, v, e, &by_sign);
		ret->judge[i] = by_sign ? JUDGE_SIGN : JUDGE_RELEASE;
	}
}
