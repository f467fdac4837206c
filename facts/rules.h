/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules.h - behaviour of the kernel's accounting that its types do not describe.
 *
 * rules.def has one line per rule: the mainline era, the releases of other trees that took it,
 * and the sign that shows in the dump whether it holds. Distributions take changes early (RHEL
 * 9's "5.14" has much of 6.x), so a sign that can be asked decides. Where there is none, the
 * level of the kernel decides (level.h), and where that is not known, or another tree took the
 * change, the release. "vmcensus layout" prints the rules, and what decided each.
 *
 * Texts are looked for only if a rule needs them: the kernel's constant data may have tens of
 * MiB. Rules are decided without them at first; rules.texts[] says which of them texts may
 * change.
 */
#ifndef VMCENSUS_RULES_H
#define VMCENSUS_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/layout.h"
#include "facts/level.h"
#include "facts/release.h"

enum rule {
#define RULE(id, ...) id,
#include "facts/rules.def"
#undef RULE
	RULE_COUNT
};

enum sign_kind {
	SIGN_NONE,
	SIGN_PRINTS,	/* the kernel image holds TEXT, and no blank after it */
	SIGN_FACT,	/* a member, size or enumerator */
	SIGN_FUNCTION,	/* the symbol of a function */
	SIGN_VARIABLE,	/* of a variable, which CONFIG_KALLSYMS_ALL lists */
	SIGN_GONE,	/* no such function */
};

struct sign {
	enum sign_kind kind;
	const char *text;
	enum layout_id id;
	bool weak;	/* its absence proves nothing */
};

struct rule_spec {
	const char *name;
	const char *about;
	struct era era;
	/* releases of other trees that took it: "5.10.223 el8:240 ubuntu4.15:213", "" none. The
	   last two are build 240 of Red Hat's 8 and build 213 of Ubuntu's 4.15 (release.h) */
	const char *backports;
	struct sign since;	/* seen: the rule has begun */
	struct sign until;	/* seen: it has ended */
	bool whole;		/* SINCE is seen as long as the rule holds */
};

extern const struct rule_spec rule_specs[RULE_COUNT];

#define SPELLINGS 64		/* bits of vm_flags */

/* What a kernel image shows about its texts. */
struct image_texts {
	bool known;			/* the formats of smaps were found */
	bool partial;			/* a part of the image could not be read */
	bool since[RULE_COUNT], until[RULE_COUNT];	/* the text of the sign was found */
	bool spells;			/* the mnemonics of VmFlags were found: */
	char spelling[SPELLINGS][2];	/* of each bit; 0: it has none */
};

/*
 * Look for the texts of all rules in LEN bytes of the kernel image. Pieces that overlap by
 * IMAGE_TEXT_MAX bytes miss none. WORD: bytes of a long.
 */
#define IMAGE_TEXT_MAX 256
void image_texts_look(struct image_texts *t, const uint8_t *buf, size_t len, unsigned word);

/* What decided, the weakest first. */
enum rule_judge { JUDGE_RELEASE, JUDGE_LEVEL, JUDGE_SIGN };

struct rules {
	bool on[RULE_COUNT];
	uint8_t judge[RULE_COUNT];	/* enum rule_judge */
	bool texts[RULE_COUNT];		/* decided without the texts, which may change it */
	struct level level;
};

/* The evidence; each part may be NULL. */
struct evidence {
	const struct layout *layout;
	bool types_whole;	/* a fact that LAYOUT lacks is one that the kernel lacks */
	bool symbols_whole;	/* the same of symbols */
	const struct image_texts *texts;
};

/* Decide which rules hold for a kernel of release V with the evidence E (NULL: none). */
void rules_decide(const struct release *v, const struct evidence *e, struct rules *ret);

#endif
