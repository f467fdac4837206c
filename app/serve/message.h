/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * message.h - a message of JSON-RPC 2.0, which a hostile client may have written.
 *
 * SQLite, which is linked for capsules, parses it (json_valid() and its kin). Before that its length is bounded, it is
 * UTF-8, and not deeper than MESSAGE_DEPTH.
 */
#ifndef VMCENSUS_MESSAGE_H
#define VMCENSUS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_MAX (1u << 20)	/* bytes of a line */
#define MESSAGE_DEPTH 32

enum rpc_error {
	RPC_PARSE = -32700, RPC_INVALID = -32600, RPC_METHOD = -32601, RPC_PARAMS = -32602, RPC_INTERNAL = -32603,
};

struct parser;			/* one for all messages */

struct message {
	char *text;		/* the line */
	char *id;		/* as JSON; NULL: a notification */
	char *method;		/* NULL: an answer of the client's, or ERROR */
	int error;		/* enum rpc_error; 0: none */
	const char *why;
};

/* NULL: no memory. */
struct parser *parser_open(void);
void parser_close(struct parser *p);

/* Takes TEXT (LEN bytes and a 0, from malloc()) as its own. */
struct message *message_read(struct parser *p, char *text, size_t len);
void message_free(struct message *m);

/* The string at PATH ("$.params.name"), for free(); NULL: there is none. */
char *message_string(struct parser *p, const struct message *m, const char *path);
/* The JSON at PATH, for free(); NULL: there is none. */
char *message_json(struct parser *p, const struct message *m, const char *path);

/* A member of an object; TYPE as json_type() names it; a list has its members, joined by commas. */
struct argument { const char *name, *type, *text; };
/* Calls TAKE for each member of the object at PATH until it is false. False: it was, or that is no object. */
bool message_members(struct parser *p, const struct message *m, const char *path,
		     bool (*take)(void *arg, const struct argument *a), void *arg);

#endif
