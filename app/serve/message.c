/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/serve/message.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "reports/render/render.h"

enum ask { VALID, TYPE, TEXT, JSON, MEMBERS, ASKS };

static const char members[] =
	"SELECT key, type, CASE type WHEN 'array' THEN (SELECT group_concat(value) FROM json_each(e.value)"
	" WHERE type = 'text') ELSE atom END FROM json_each(?1, ?2) AS e";

static const char *const sql[ASKS] = {
	[VALID] = "SELECT json_valid(?1)",
	[TYPE] = "SELECT json_type(?1, ?2)",
	[TEXT] = "SELECT json_extract(?1, ?2)",
	[JSON] = "SELECT json_quote(json_extract(?1, ?2))",
	[MEMBERS] = members,
};

struct parser {
	sqlite3 *db;
	sqlite3_stmt *ask[ASKS];
};

struct parser *parser_open(void)
{
	struct parser *p = heap_array(struct parser, 1);
	bool good = sqlite3_open(":memory:", &p->db) == SQLITE_OK;

	if (good)
		sqlite3_limit(p->db, SQLITE_LIMIT_LENGTH, 4 * MESSAGE_MAX);
	for (int i = 0; good && i < ASKS; i++)
		good = sqlite3_prepare_v2(p->db, sql[i], -1, &p->ask[i], NULL) == SQLITE_OK;
	if (good)
		return p;
	parser_close(p);
	return NULL;
}

void parser_close(struct parser *p)
{
	for (int i = 0; i < ASKS; i++)
		sqlite3_finalize(p->ask[i]);
	sqlite3_close(p->db);
	free(p);
}

/* The question about TEXT and PATH, before its first row. */
static sqlite3_stmt *asked(struct parser *p, enum ask what, const char *text, const char *path)
{
	sqlite3_stmt *s = p->ask[what];

	sqlite3_reset(s);
	sqlite3_bind_text(s, 1, text, -1, SQLITE_STATIC);
	if (what != VALID)
		sqlite3_bind_text(s, 2, path, -1, SQLITE_STATIC);
	return s;
}

/* The text of COLUMN, of the row; NULL: none, or one with a NUL inside. */
static const char *text_of(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	return text && strlen(text) == (size_t)sqlite3_column_bytes(s, column) ? text : NULL;
}

/* The one answer, for free(). */
static char *answer(struct parser *p, enum ask what, const char *text, const char *path)
{
	sqlite3_stmt *s = asked(p, what, text, path);
	const char *found = sqlite3_step(s) == SQLITE_ROW ? text_of(s, 0) : NULL;
	char *ret = found ? heap_got(strdup(found), strlen(found)) : NULL;

	sqlite3_reset(s);
	return ret;
}

static bool is_of_type(struct parser *p, const char *text, const char *path, const char *type)
{
	char *found = answer(p, TYPE, text, path);
	bool same = found && !strcmp(found, type);

	free(found);
	return same;
}

static bool is_utf8(const char *s, size_t len)
{
	const char *end = s + len;

	while (*s) {
		unsigned n = utf8_char(s);

		if (!n)
			return false;
		s += n;
	}
	return s == end;
}

static bool is_deep(const char *s)
{
	unsigned depth = 0;
	bool quoted = false;

	for (; *s; s++) {
		if (quoted && *s == '\\' && s[1])
			s++;
		else if (*s == '"')
			quoted = !quoted;
		else if (!quoted && (*s == '{' || *s == '['))
			depth++;
		else if (!quoted && (*s == '}' || *s == ']') && depth)
			depth--;
		if (depth > MESSAGE_DEPTH)
			return true;
	}
	return false;
}

static struct message *wrong(struct message *m, enum rpc_error error, const char *why)
{
	m->error = error;
	m->why = why;
	return m;
}

static bool is_json(struct parser *p, const char *text)
{
	char *valid = answer(p, VALID, text, NULL);
	bool good = valid && !strcmp(valid, "1");

	free(valid);
	return good;
}

/* Its id: a string or an integer, of a length that is sent back. */
static bool take_id(struct parser *p, struct message *m)
{
	char *type = answer(p, TYPE, m->text, "$.id");
	bool good = !type || !strcmp(type, "text") || !strcmp(type, "integer");

	if (type && good) {
		m->id = answer(p, JSON, m->text, "$.id");
		/* an integer that is too large became another number */
		good = m->id && strlen(m->id) <= 256 && (*type == 't' || !strpbrk(m->id, ".eE"));
	}
	if (!good) {
		free(m->id);
		m->id = NULL;
	}
	free(type);
	return good;
}

struct message *message_read(struct parser *p, char *text, size_t len)
{
	struct message *m = heap_array(struct message, 1);
	char *version;
	bool good;

	m->text = text;
	if (!is_utf8(text, len))
		return wrong(m, RPC_PARSE, "the message is not UTF-8");
	if (is_deep(text))
		return wrong(m, RPC_PARSE, "the message is too deep");
	if (!is_json(p, text))
		return wrong(m, RPC_PARSE, "the message is not JSON");
	if (!is_of_type(p, text, "$", "object"))
		return wrong(m, RPC_INVALID, "the message is not one object");
	if (!take_id(p, m))
		return wrong(m, RPC_INVALID, "id is neither a string nor an integer, or too long");
	version = message_string(p, m, "$.jsonrpc");
	good = version && !strcmp(version, "2.0");
	free(version);
	if (!good)
		return wrong(m, RPC_INVALID, "jsonrpc is not \"2.0\"");
	m->method = message_string(p, m, "$.method");
	if (!m->method && !is_of_type(p, text, "$.result", "object") &&
	    !is_of_type(p, text, "$.error", "object"))
		return wrong(m, RPC_INVALID, "there is no method");
	return m;
}

void message_free(struct message *m)
{
	if (!m)
		return;
	free(m->text);
	free(m->id);
	free(m->method);
	free(m);
}

char *message_string(struct parser *p, const struct message *m, const char *path)
{
	return is_of_type(p, m->text, path, "text") ? answer(p, TEXT, m->text, path) : NULL;
}

char *message_json(struct parser *p, const struct message *m, const char *path)
{
	char *type = answer(p, TYPE, m->text, path);
	char *ret = type ? answer(p, JSON, m->text, path) : NULL;

	free(type);
	return ret;
}

bool message_members(struct parser *p, const struct message *m, const char *path,
		     bool (*take)(void *arg, const struct argument *a), void *arg)
{
	sqlite3_stmt *s = asked(p, MEMBERS, m->text, path);
	bool good = is_of_type(p, m->text, path, "object");
	int got = SQLITE_ROW;

	while (good && (got = sqlite3_step(s)) == SQLITE_ROW) {
		struct argument a = { text_of(s, 0), text_of(s, 1), text_of(s, 2) };

		good = a.name && a.type && take(arg, &a);
	}
	sqlite3_reset(s);
	return good && got == SQLITE_DONE;
}
