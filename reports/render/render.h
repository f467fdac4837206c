/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * render.h - a table of rows to text, csv or json, one row at a time.
 *
 * A renderer knows columns and never reports. Output is streamed: no renderer holds more
 * than one cell. To add a format: one file in this folder and one row in renderers[]
 * (render.c).
 *
 * Kernel strings may hold any byte, and a hostile name must not drive a terminal, turn a
 * line around or break a parser. A byte that is not part of valid UTF-8 is shown as the
 * four characters \xHH in all formats. Text and csv show the bytes of a character that
 * utf8_shown() refuses in the same way; json has it as \uHHHH. csv also escapes so that a
 * program can restore each name, and a spreadsheet sees no formula.
 */
#ifndef VMCENSUS_RENDER_H
#define VMCENSUS_RENDER_H

#include "reports/core/cell.h"

/* What json says of the machine and its dump. Strings may be NULL: not known. */
struct image_facts {
	const char *const *paths;		/* the image's files, as named */
	unsigned npaths;
	const char *format, *compression, *release, *version, *machine, *nodename, *arch;
	uint32_t page_size;
	int level;				/* makedumpfile -d; -1: not known */
	int64_t crash_time;			/* seconds since 1970; 0: not known */
	const char *const *damage;		/* sentences: what is wrong with the dump as a whole */
	unsigned ndamage;
};

/* Those of them that are texts, by the names that json and capsules have; the last has none. */
struct image_text { const char *name; size_t offset; };
extern const struct image_text image_texts[];

static inline const char *image_text_of(const struct image_facts *f, const struct image_text *t)
{
	return *(const char *const *)((const char *)f + t->offset);
}

/* Those of S, which holds them; PATHS stay the caller's. */
struct image_facts image_facts_of(const struct snapshot *s, const char *const *paths,
				  unsigned npaths);

/* The arguments of one rendering. */
struct render {
	const struct report *report;
	const struct report_opts *opts;
	const struct snapshot *s;		/* NULL: rows of a capsule. A table of them is
						   all that there is: no form of the report's own,
						   no layout, no chart */
	const struct image_facts *image;
	const struct issues *issues;		/* NULL: none */
	const char *made;			/* options that changed the rows: "--pid 3" */
	const struct table *t;			/* after where, sort, top */
	const struct column *const *cols;	/* those to print, in order */
	unsigned ncols;
	bool chosen;				/* -c was given: always the table */
	size_t top;				/* -n: bars of a chart; 0: not given */
	bool sorted;				/* -s was given: for a chart too */
	bool amounts;				/* of svg: amounts as numbers too, for a script */
	struct units units;			/* of text */
};

struct renderer {
	const char *name, *about;
	void (*render)(const struct render *r, FILE *out);
	bool of_chart;				/* only of reports that have one */
	bool binary;				/* not for a terminal */
	const bool *here;			/* does this program have it? NULL: every one does */
	/* Loads the library it draws with, or says why that failed. NULL: it needs none. */
	enum status (*load)(struct diag *diag);
	/* Opens what it would open while it draws: before a sandbox is entered. NULL: nothing. */
	void (*prepare)(void);
};

extern const struct renderer renderers[];	/* name NULL ends it */
/* The renderer with this name that can show R, or NULL. */
const struct renderer *renderer_find(const struct report *r, const char *name);
/* Can this format print R? */
bool renderer_shows(const struct renderer *to, const struct report *r);

/* The renderers. */
void render_text(const struct render *r, FILE *out);
void render_csv(const struct render *r, FILE *out);
/* For libvmcensus and for app/serve, which are of the same version; renderer_find() alone knows them. */
void render_cells(const struct render *r, FILE *out);
void render_answer(const struct render *r, FILE *out);
void render_json(const struct render *r, FILE *out);
void render_jsonl(const struct render *r, FILE *out);
void render_sqlite(const struct render *r, FILE *out);

/* Loads cairo, and opens the fonts of charts (charts/cairo.c). */
enum status cairo_load(struct diag *diag);
void cairo_prepare(void);

/* ---- escape.c: strings of a hostile dump, made safe to print ------------- */

/* Bytes of the UTF-8 character at S (1..4), 0 if none is valid there. */
unsigned utf8_char(const char *s);
/* Is all of S? Names of the kernel may hold any byte. */
bool utf8_whole(const char *s);

/* Can the N bytes at S, one character, be drawn as they are? Not controls, invisible
   characters, code points that are no characters (XML and cairo refuse them), or characters
   that change the direction of a line. */
bool utf8_shown(const char *s, unsigned n);

/* Columns that put_text() of S takes. */
size_t text_width(const char *s);
void put_text(FILE *out, const char *s);
/* Its first LEN bytes, which must not end inside a character. */
void put_text_len(FILE *out, const char *s, size_t len);
/* S in at most WIDTH columns, 3 or more: "..." is in the place of its end, or of the beginning of a path. */
void put_text_cut(FILE *out, const char *s, size_t width);
/* The same for several lines, each ended; S may have names from the dump. */
void put_lines(FILE *out, const char *s);
/* The same, each broken at blanks to have at most WIDTH columns if that can be; what is broken off stands behind
   INDENT blanks. WIDTH 0: as they are. */
void put_folded(FILE *out, const char *s, size_t indent, size_t width);
/* A quoted JSON string. */
void put_json(FILE *out, const char *s);
/* The same for an HTML page: without '<', '>' and '&'. Characters that are not shown become
   \xHH for the reader. */
void put_json_html(FILE *out, const char *s);
/* A csv field of text, quoted where RFC 4180 requires it. A leading '=' '+' '-' '@', and a
   backslash before an x, also become \xHH: each \xHH is one byte. */
void put_csv(FILE *out, const char *s);
/* The same for a program, always in quotes, with each character as it is. */
void put_csv_field(FILE *out, const char *s);

#endif
