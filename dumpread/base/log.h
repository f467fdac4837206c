/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * log.h - messages, apart from the result.
 *
 * Everything goes to one callback (default: stderr), so that a host program or
 * a test can catch it. Never called from per-page loops.
 */
#ifndef VMCENSUS_LOG_H
#define VMCENSUS_LOG_H

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

struct log {
	enum log_level level;	/* more detailed messages are dropped */
	void (*write)(void *arg, enum log_level level, const char *line);
	void *arg;
};

/* To stderr, "vmcensus: " before each line; level LOG_WARN. */
void log_init(struct log *l);

/* One line, without its newline. L may be NULL: nothing is said. */
void log_at(const struct log *l, enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#define log_warn(l, ...) log_at((l), LOG_WARN, __VA_ARGS__)
#define log_info(l, ...) log_at((l), LOG_INFO, __VA_ARGS__)
#define log_debug(l, ...) log_at((l), LOG_DEBUG, __VA_ARGS__)

#endif
