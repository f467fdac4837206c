/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * journal.c - what a program that kills wrote in the journal, if the pages of the journal are in the
 * dump. systemd-journald maps the files that it writes. A field of an entry is an object of its own:
 * "MESSAGE=..." as plain text, if it is shorter than 512 bytes (journal file format of systemd,
 * docs/JOURNAL_FILE_FORMAT.md: DATA objects; data_compress_threshold).
 */
#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "model/cause/verdict/gather.h"
#include "model/kernel/source.h"
#include "model/memory/frames/file_bytes.h"

#define FILES 64u		/* journals that are read */
#define PAGES 32768u		/* of each: journald maps at most 128 MiB */
#define LONGEST 512u		/* bytes of a field */

/* What systemd-oomd and earlyoom say when they kill; of earlyoom's first lines one is alike. */
static bool is_kill(const char *s, size_t n)
{
	static const char oomd[] = "Killed /", early[] = "sending SIG";
	const char *due = memmem(s, n, " due to ", 8), *to = memmem(s, n, " to process ", 12);

	return (n > sizeof(oomd) && !memcmp(s, oomd, sizeof(oomd) - 1) && due) ||
	       (n > sizeof(early) && !memcmp(s, early, sizeof(early) - 1) && to);
}

/* The last one in BUF that begins before END, into g->e->said. */
static void look(struct gather *g, const char *buf, size_t end, size_t all)
{
	static const char mark[] = "MESSAGE=";
	const char *p = buf, *next;

	while ((next = memmem(p, all - (size_t)(p - buf), mark, sizeof(mark) - 1)) &&
	       (size_t)(next - buf) < end) {
		const char *text = next + sizeof(mark) - 1;
		size_t n = 0, left = all - (size_t)(text - buf);

		while (n < left && n < LONGEST && (unsigned char)text[n] >= ' ')
			n++;
		if (is_kill(text, n))
			g->e->said = arena_strndup(g->mem, text, n);
		p = text;
	}
}

static void read_journal(struct gather *g, struct reader *r, const struct file *f)
{
	size_t page = (size_t)1 << g->s->k->page_shift;
	char *buf = heap_array(char, 2 * page);
	bool carried = false;

	/* a field may go on in the next page: each page is looked at with the one behind it */
	for (uint64_t i = 0; i < PAGES && i << g->s->k->page_shift < f->size; i++) {
		bool here =
			file_read_cached(g->s, r, f, i << g->s->k->page_shift, buf + page, page);

		if (carried)
			look(g, buf, page, here ? 2 * page : page);
		memcpy(buf, buf + page, page);
		carried = here;
	}
	if (carried)
		look(g, buf, page, page);
	free(buf);
}

void gather_journal(struct gather *g)
{
	static const char ending[] = ".journal";
	struct reader *r = NULL;
	unsigned n = 0;

	if (g->e->event || !g->e->killer.name || !source_has(g->s->k, SOURCE_MEMORY))
		return;
	for (uint32_t i = 0; i < g->s->nfiles && n < FILES; i++) {
		const struct file *f = &g->s->files[i];
		size_t len = f->path ? strlen(f->path) : 0;

		if (len < sizeof(ending) || strcmp(f->path + len - sizeof(ending) + 1, ending) ||
		    !strstr(f->path, "/journal/") || !f->mapping || !f->cached)
			continue;
		r = r ? r : kernel_reader(g->s->k);
		if (r)
			read_journal(g, r, f);
		n++;
	}
	reader_free(r);
}
