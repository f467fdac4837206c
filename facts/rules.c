/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules.c - decides which rules hold for a kernel.
 */
#include "facts/rules.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/page.h"
#include "facts/layout/signs.h"
#include "facts/layout/system.h"
#include "facts/layout/task.h"

#define NO_SIGN .whole = false
#define SINCE(...) .since = __VA_ARGS__
#define UNTIL(...) .until = __VA_ARGS__
#define WHILE(...) .since = __VA_ARGS__, .whole = true
#define BOTH(since_, until_) since_, until_
#define PRINTS(text_) { .kind = SIGN_PRINTS, .text = text_ }
#define FACT(id_) { .kind = SIGN_FACT, .id = id_ }
#define OPTION(id_) { .kind = SIGN_FACT, .id = id_, .weak = true }
#define FUNCTION(id_) { .kind = SIGN_FUNCTION, .id = id_ }
#define OPTION_FUNCTION(id_) { .kind = SIGN_FUNCTION, .id = id_, .weak = true }
#define PRINTED(text_) { .kind = SIGN_PRINTS, .text = text_, .weak = true }
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
	bool *found;
};

static bool matches(const struct needle *n, const uint8_t *buf, size_t at, size_t len)
{
	return at >= n->left && len - at > n->right + 1 &&
	       !memcmp(buf + at - n->left, n->text, n->left + 1 + n->right) &&
	       buf[at + 1 + n->right] != ' ';
}

static void add_needle(const struct sign *g, bool *found, struct needle *n, int i, int first[256])
{
	const char *colon;

	if (g->kind != SIGN_PRINTS)
		return;
	colon = strrchr(g->text, ':');
	n[i] = (struct needle){ g->text, (size_t)(colon - g->text), strlen(colon + 1),
				first[(uint8_t)colon[-1]], found };
	first[(uint8_t)colon[-1]] = i;
}

static void look_for_texts(struct image_texts *t, const uint8_t *buf, size_t len)
{
	struct needle needles[2 * RULE_COUNT];
	int first[256];
	const uint8_t *p = buf;

	memset(first, -1, sizeof(first));
	for (int i = 0; i < RULE_COUNT; i++) {
		add_needle(&rule_specs[i].since, &t->since[i], needles, 2 * i, first);
		add_needle(&rule_specs[i].until, &t->until[i], needles, 2 * i + 1, first);
	}
	while ((p = memchr(p, ':', len - (size_t)(p - buf)))) {
		size_t at = (size_t)(p++ - buf);

		for (int i = at ? first[buf[at - 1]] : -1; i >= 0; i = needles[i].next)
			if (matches(&needles[i], buf, at, len))
				*needles[i].found = true;
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

/* "el8:240" or "ubuntu4.15:213" at TEXT: is V that build of Red Hat's 8 or of Ubuntu's 4.15, or a
   later one? */
static bool rebuilt(const struct release *v, const char *text)
{
	struct release w;
	const char *colon = strchr(text, ':');
	char *end;
	long major;

	if (!strncmp(text, "ubuntu", 6) && colon)
		return release_parse(text + 6, &w) == 2 && v->major == w.major &&
		       v->minor == w.minor && v->ubuntu >= strtol(colon + 1, NULL, 10);
	if (strncmp(text, "el", 2))
		return false;
	major = strtol(text + 2, &end, 10);
	return *end == ':' && v->el == major && v->build >= strtol(end + 1, NULL, 10);
}

/* The mainline release that a tree of the list began with. */
static int tree_of(const char *text)
{
	static const int red_hat[] = {
		[6] = V26(32), [7] = V(3, 10), [8] = V(4, 18), [9] = V(5, 14)
	};
	struct release w;
	unsigned long el;

	if (!strncmp(text, "el", 2)) {
		el = strtoul(text + 2, NULL, 10);
		return el < ARRAY_LEN(red_hat) ? red_hat[el] : 0;
	}
	release_parse(text + (strncmp(text, "ubuntu", 6) ? 0 : 6), &w);
	return release_mainline(&w);
}

/* May a kernel of level L be in a tree of the list? */
static bool in_reach(const struct level *l, const char *list)
{
	for (; *list; list += strcspn(list, " "), list += strspn(list, " "))
		if (level_may_be(l, tree_of(list)))
			return true;
	return false;
}

/* Is V in a tree of the list, at the release named or a later one? */
static bool backported(const struct release *v, const char *list)
{
	struct release w;

	for (; *list; list += strcspn(list, " "), list += strspn(list, " ")) {
		if (rebuilt(v, list))
			return true;
		switch (release_parse(list, &w)) {
		case 3:
			if (v->major == w.major && v->minor == w.minor)
				return v->patch >= w.patch;
			break;
		case 4:
			if (release_mainline(v) == release_mainline(&w))
				return v->stable >= w.stable;
			break;
		}
	}
	return false;
}

/* 1: the sign is seen, 0: it is not, -1: it cannot be asked. FOUND: its text. */
static int ask(const struct sign *s, bool found, const struct evidence *e)
{
	bool seen, all = false;

	if (!e || s->kind == SIGN_NONE || (s->kind == SIGN_PRINTS ? !e->texts : !e->layout))
		return -1;
	seen = s->kind == SIGN_PRINTS ? found : layout_has(e->layout, s->id);
	switch (s->kind) {
	case SIGN_PRINTS: all = e->texts->known && !e->texts->partial; break;
	case SIGN_FACT: all = e->types_whole && !layout_lost(e->layout, s->id); break;
	case SIGN_VARIABLE:
		all = e->symbols_whole && layout_has(e->layout, Y_SAVED_COMMAND_LINE);
		break;
	case SIGN_FUNCTION:
	case SIGN_GONE: all = e->symbols_whole && layout_has(e->layout, Y_SEQ_PRINTF); break;
	case SIGN_NONE: break;
	}
	if (!seen && (s->weak || !all))
		return -1;
	return s->kind == SIGN_GONE ? !seen : seen;
}

struct verdict {
	bool yes;
	enum rule_judge judge;
};

/* Has the kernel reached the mainline release VERSION? */
static struct verdict reached(int version, const struct release *v, const struct level *l)
{
	bool later = version > level_newest();

	if (l->known && (!later || l->version < level_newest()))
		return (struct verdict){ l->version >= version, JUDGE_LEVEL };
	return (struct verdict){ release_since(v, version), JUDGE_RELEASE };
}

static struct verdict begun(const struct rule_spec *s, int sign, const struct release *v,
			    const struct level *l)
{
	struct verdict ret = { true, JUDGE_SIGN };

	if (sign >= 0)
		return (struct verdict){ sign, JUDGE_SIGN };
	if (s->era.from)
		ret = reached(s->era.from, v, l);
	if (!ret.yes && in_reach(l, s->backports))
		ret = (struct verdict){ backported(v, s->backports), JUDGE_RELEASE };
	return ret;
}

static struct verdict ended(const struct rule_spec *s, int sign, const struct release *v,
			    const struct level *l)
{
	if (sign >= 0)
		return (struct verdict){ sign, JUDGE_SIGN };
	return s->era.until ? reached(s->era.until, v, l) : (struct verdict){ false, JUDGE_SIGN };
}

/* Can the text of the sign S, which was not looked for, change that it is NOW? */
static bool open_text(const struct sign *s, bool now)
{
	return s->kind == SIGN_PRINTS && !(s->weak && now);
}

static void decide(enum rule r, const struct release *v, const struct evidence *e,
		   struct rules *ret)
{
	const struct rule_spec *s = &rule_specs[r];
	const struct image_texts *t = e ? e->texts : NULL;
	int sign = ask(&s->since, t && t->since[r], e);
	struct verdict b = begun(s, sign, v, &ret->level), u;

	if (s->whole && sign >= 0)
		u = (struct verdict){ false, JUDGE_SIGN };
	else
		u = ended(s, ask(&s->until, t && t->until[r], e), v, &ret->level);
	ret->on[r] = b.yes && !u.yes;
	if (ret->on[r])
		ret->judge[r] = (uint8_t)(b.judge < u.judge ? b.judge : u.judge);
	else if (b.yes || (u.yes && u.judge > b.judge))
		ret->judge[r] = u.judge;
	else
		ret->judge[r] = b.judge;
	ret->texts[r] = !t &&
			(open_text(&s->since, b.yes) || (b.yes && open_text(&s->until, u.yes)));
}

void rules_decide(const struct release *v, const struct evidence *e, struct rules *ret)
{
	ret->level = level_decide(v, e ? e->layout : NULL,
				  e && e->layout && e->symbols_whole &&
					  layout_has(e->layout, Y_SEQ_PRINTF));
	for (int i = 0; i < RULE_COUNT; i++)
		decide(i, v, e, ret);
}
