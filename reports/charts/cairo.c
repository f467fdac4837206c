/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A chart on cairo's surfaces: PDF, PostScript, PNG. The library is loaded for these only.
 *
 * The same dump gives the same bytes: the date in the files is that of the crash.
 */
#include <cairo-pdf.h>
#include <cairo-ps.h>
#include <cairo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/library.h"
#include "model/kernel/source.h"
#include "reports/charts/draw.h"

#define MAX_BARS 20000
#define PNG_SCALE 2.0
#define PNG_BARS 800		/* cairo ends at 32767 pixels */

struct page {
	struct canvas canvas;
	cairo_t *cr;
};

/* What is used of cairo. */
#define FUNCTIONS(F) \
	F(create) F(destroy) F(fill) F(image_surface_create) F(line_to) F(move_to) F(paint) \
	F(pdf_surface_create_for_stream) F(pdf_surface_set_metadata) \
	F(ps_surface_create_for_stream) F(ps_surface_dsc_comment) F(rectangle) F(scale) \
	F(select_font_face) F(set_font_size) F(set_line_width) F(set_source_rgb) \
	F(set_source_rgba) F(show_page) F(show_text) F(stroke) F(surface_destroy) \
	F(surface_finish) F(surface_status) F(surface_write_to_png_stream) F(text_extents)

static struct {
#define MEMBER(name) __typeof__(&cairo_##name) name;
	FUNCTIONS(MEMBER)
} lib;

static const struct library_function functions[] = {
#define ROW(name) { "cairo_" #name, &lib.name },
	FUNCTIONS(ROW)
};

const bool chart_pages = true;

enum status cairo_load(struct diag *diag)
{
	if (library_load("libcairo.so.2", functions, ARRAY_LEN(functions)))
		return ST_OK;
	return fail(diag, ST_UNSUPPORTED,
		    "libcairo.so.2 cannot be loaded: install it (Debian package libcairo2), or ask "
		    "for svg");
}

static void set_font(cairo_t *cr, const struct font *f)
{
	lib.select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			     f->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	lib.set_font_size(cr, f->size);
}

static void set_paint(cairo_t *cr, struct paint p)
{
	uint32_t c = p.colour == INK ? 0x1a1a1a : p.colour;

	lib.set_source_rgba(cr, (c >> 16 & 255) / 255.0, (c >> 8 & 255) / 255.0, (c & 255) / 255.0,
			    p.alpha);
}

static double page_text_width(struct canvas *c, const char *s, const struct font *f)
{
	cairo_t *cr = ((struct page *)c)->cr;
	cairo_text_extents_t e;

	set_font(cr, f);
	lib.text_extents(cr, s, &e);
	return e.x_advance;
}

static void page_text(struct canvas *c, double x, double y, const struct words *w,
		      const struct font *f)
{
	static const double back[] = { 0, 0.5, 1 };
	cairo_t *cr = ((struct page *)c)->cr;

	x -= back[f->anchor] * page_text_width(c, w->text, f);
	set_paint(cr, f->paint);
	lib.move_to(cr, x, y);
	lib.show_text(cr, w->text);
}

static void page_rect(struct canvas *c, double x, double y, double w, double h, struct paint p,
		      const struct words *tip)
{
	cairo_t *cr = ((struct page *)c)->cr;

	(void)tip;
	set_paint(cr, p);
	lib.rectangle(cr, x, y, w, h);
	lib.fill(cr);
}

static void page_line(struct canvas *c, double x1, double y1, double x2, double y2, struct paint p)
{
	cairo_t *cr = ((struct page *)c)->cr;

	set_paint(cr, p);
	lib.set_line_width(cr, 0.8);
	lib.move_to(cr, x1, y1);
	lib.line_to(cr, x2, y2);
	lib.stroke(cr);
}

static void page_next(struct canvas *c)
{
	lib.show_page(((struct page *)c)->cr);
}

static const struct canvas_ops page_ops = { page_text_width, page_text, page_rect, page_line,
					    page_next };

static cairo_status_t write_bytes(void *arg, const unsigned char *data, unsigned len)
{
	return fwrite(data, 1, len, arg) == len ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Draws B on SURFACE, which has the size of CANVAS in points, and ends it. */
static void draw(cairo_surface_t *surface, struct canvas canvas, double zoom,
		 const struct render *r, const struct bars *b)
{
	struct page page = { .canvas = canvas, .cr = lib.create(surface) };

	lib.scale(page.cr, zoom, zoom);
	if (!canvas.paged) {
		lib.set_source_rgb(page.cr, 1, 1, 1);
		lib.paint(page.cr);
	}
	page.canvas.ops = &page_ops;
	chart_draw(&page.canvas, r, b);
	if (canvas.paged)
		lib.show_page(page.cr);
	lib.destroy(page.cr);
}

/*
 * cairo writes PostScript to a file of tmpfile() first; that of Debian 13, which was built with files of
 * 64 bits, of tmpfile64(). These are found before libc's, for the program exports them (Makefile), and
 * need no directory: in a sandbox none can be opened.
 */
__attribute__((visibility("default"))) FILE *chart_tmpfile(void) __asm__("tmpfile");
__attribute__((visibility("default"))) FILE *chart_tmpfile64(void) __asm__("tmpfile64");

FILE *chart_tmpfile(void)
{
	int fd = memfd_create("chart", MFD_CLOEXEC);

	return fd < 0 ? NULL : fdopen(fd, "w+");
}

FILE *chart_tmpfile64(void)
{
	return chart_tmpfile();
}

void cairo_prepare(void)
{
	cairo_surface_t *s = lib.image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	cairo_t *cr = lib.create(s);

	for (unsigned bold = 0; bold < 2; bold++) {
		set_font(cr, &(struct font){ .size = 8, .bold = bold });
		lib.show_text(cr, "1");
	}
	lib.destroy(cr);
	lib.surface_destroy(s);
}

/* When the machine crashed, by ISO 8601. */
static void put_date(const struct render *r, char *buf, size_t size)
{
	struct source_about a;
	time_t at = r->s->built & NEED_MACHINE ? (time_t)r->s->machine.crash_time : 0;
	struct tm tm;

	source_about(r->s->k, &a);
	if (!at)
		at = (time_t)a.when;
	if (at < 0 || at > INT32_MAX || !gmtime_r(&at, &tm))
		gmtime_r(&(time_t){ 0 }, &tm);
	strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static void a4(cairo_surface_t *surface, const struct render *r)
{
	const struct canvas canvas = { .width = PAGE_WIDTH, .height = PAGE_HEIGHT, .paged = true };
	cairo_status_t st;
	struct bars b;

	bars_make(r, MAX_BARS, &b);
	draw(surface, canvas, 1, r, &b);
	lib.surface_finish(surface);
	/* a stream that fails tells that itself */
	st = lib.surface_status(surface);
	if (st == CAIRO_STATUS_NO_MEMORY || st == CAIRO_STATUS_TEMP_FILE_ERROR)
		arena_die(0);
	lib.surface_destroy(surface);
	arena_release(&b.mem);
}

void render_pdf(const struct render *r, FILE *out)
{
	cairo_surface_t *s =
		lib.pdf_surface_create_for_stream(write_bytes, out, PAGE_WIDTH, PAGE_HEIGHT);
	char date[32];

	put_date(r, date, sizeof(date));
	lib.pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, date);
	lib.pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_TITLE,
				     report_chart(r->report, r->opts)->title);
	a4(s, r);
}

/* cairo 1.16 always writes the present time into PostScript's comments. */
static void put_dated(const struct render *r, const char *ps, size_t len, FILE *out)
{
	static const char key[] = "\n%%CreationDate: ";
	const char *at = memmem(ps, len < 1024 ? len : 1024, key, sizeof(key) - 1), *end = NULL;
	char date[32];

	if (at) {
		at += sizeof(key) - 1;
		end = memchr(at, '\n', len - (size_t)(at - ps));
	}
	if (!end) {
		fwrite(ps, 1, len, out);
		return;
	}
	put_date(r, date, sizeof(date));
	fwrite(ps, 1, (size_t)(at - ps), out);
	fputs(date, out);
	fwrite(end, 1, len - (size_t)(end - ps), out);
}

void render_ps(const struct render *r, FILE *out)
{
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);
	cairo_surface_t *s;

	if (!mem)
		arena_die(0);
	/* a landscape page on a portrait sheet, as printers expect it */
	s = lib.ps_surface_create_for_stream(write_bytes, mem, PAGE_WIDTH, PAGE_HEIGHT);
	lib.ps_surface_dsc_comment(s, "%%Orientation: Landscape");
	a4(s, r);
	if (fclose(mem))
		arena_die(len);
	put_dated(r, text, len, out);
	free(text);
}

void render_png(const struct render *r, FILE *out)
{
	struct canvas canvas = { .width = PAGE_WIDTH };
	cairo_surface_t *s;
	struct bars b;

	bars_make(r, PNG_BARS, &b);
	canvas.height = chart_height(&b);
	s = lib.image_surface_create(CAIRO_FORMAT_RGB24, (int)(canvas.width * PNG_SCALE),
				     (int)(canvas.height * PNG_SCALE));
	draw(s, canvas, PNG_SCALE, r, &b);
	lib.surface_write_to_png_stream(s, write_bytes, out);
	lib.surface_destroy(s);
	arena_release(&b.mem);
}
