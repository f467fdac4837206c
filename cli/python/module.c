/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * module.c - libvmcensus for Python, by the stable ABI of 3.9: _vmcensus, of which __init__.py makes what users see.
 * The thread that calls lets others run while the program does, and hears of signals (^C) ten times a second.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/library/arrow_abi.h"
#include "cli/library/vmcensus.h"

/* ---- a table -------------------------------------------------------------------------- */

struct table {
	PyObject head;
	struct vmcensus_table *t;
};

static struct vmcensus_table *table_of(PyObject *self)
{
	return ((struct table *)self)->t;
}

static void table_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	vmcensus_table_free(table_of(self));
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *text_of(const char *s)
{
	return PyUnicode_DecodeUTF8(s, (Py_ssize_t)strlen(s), "surrogateescape");
}

static PyObject *value_of(const struct vmcensus_column *c, const char *cell)
{
	if (!cell)
		Py_RETURN_NONE;
	if (!strcmp(c->type, "text") || !strcmp(c->type, "letter"))
		return text_of(cell);
	if (!strcmp(c->type, "ratio")) {
		double v = PyOS_string_to_double(cell, NULL, NULL);

		return PyErr_Occurred() ? NULL : PyFloat_FromDouble(v);
	}
	return PyLong_FromString(cell, NULL, !strcmp(c->type, "address") ? 16 : 10);
}

/* Value I of the row or column AT. */
typedef PyObject *item_of(struct vmcensus_table *t, size_t at, size_t i);

static PyObject *tuple_of(struct vmcensus_table *t, size_t at, size_t n, item_of *item)
{
	PyObject *all = PyTuple_New((Py_ssize_t)n);

	for (size_t i = 0; all && i < n; i++) {
		PyObject *v = item(t, at, i);

		if (!v || PyTuple_SetItem(all, (Py_ssize_t)i, v))
			Py_CLEAR(all);
	}
	return all;
}

static PyObject *column_item(struct vmcensus_table *t, size_t at, size_t i)
{
	const struct vmcensus_column *c = vmcensus_table_column(t, i);

	(void)at;
	return Py_BuildValue("(ssss)", c->name, c->type, c->unit, c->about);
}

static PyObject *issue_item(struct vmcensus_table *t, size_t at, size_t i)
{
	const struct vmcensus_issue *is = vmcensus_table_issue(t, i);

	(void)at;
	return Py_BuildValue("(ssK)", is->kind, is->object, (unsigned long long)is->count);
}

static PyObject *row_item(struct vmcensus_table *t, size_t at, size_t i)
{
	return value_of(vmcensus_table_column(t, i), vmcensus_table_cell(t, at, i));
}

static PyObject *down_item(struct vmcensus_table *t, size_t at, size_t i)
{
	return row_item(t, i, at);
}

static PyObject *table_columns(PyObject *self, PyObject *none)
{
	(void)none;
	return tuple_of(table_of(self), 0, vmcensus_table_columns(table_of(self)), column_item);
}

static PyObject *table_issues(PyObject *self, PyObject *none)
{
	(void)none;
	return tuple_of(table_of(self), 0, vmcensus_table_issues(table_of(self)), issue_item);
}

static PyObject *table_sizes(PyObject *self, PyObject *none)
{
	(void)none;
	return Py_BuildValue("(nn)", (Py_ssize_t)vmcensus_table_rows(table_of(self)),
			     (Py_ssize_t)vmcensus_table_all(table_of(self)));
}

/* N is below END; false: an exception is set. */
static bool index_of(PyObject *arg, size_t end, size_t *n)
{
	*n = PyLong_AsSize_t(arg);
	if (!PyErr_Occurred() && *n >= end)
		PyErr_SetString(PyExc_IndexError, "no such row or column");
	return !PyErr_Occurred();
}

static PyObject *table_row(PyObject *self, PyObject *arg)
{
	struct vmcensus_table *t = table_of(self);
	size_t n;

	return index_of(arg, vmcensus_table_rows(t), &n)
		       ? tuple_of(t, n, vmcensus_table_columns(t), row_item)
		       : NULL;
}

static PyObject *table_down(PyObject *self, PyObject *arg)
{
	struct vmcensus_table *t = table_of(self);
	size_t n;

	return index_of(arg, vmcensus_table_columns(t), &n)
		       ? tuple_of(t, n, vmcensus_table_rows(t), down_item)
		       : NULL;
}

/* ---- Arrow's PyCapsule interface --------------------------------------------------------- */

static const char stream_name[] = "arrow_array_stream", schema_name[] = "arrow_schema";

/* Who takes a struct out sets its release to NULL. */
static void drop_stream(PyObject *capsule)
{
	struct ArrowArrayStream *s = PyCapsule_GetPointer(capsule, stream_name);

	if (s && s->release)
		s->release(s);
	free(s);
}

static void drop_schema(PyObject *capsule)
{
	struct ArrowSchema *s = PyCapsule_GetPointer(capsule, schema_name);

	if (s && s->release)
		s->release(s);
	free(s);
}

static PyObject *table_stream(PyObject *self, PyObject *none)
{
	struct ArrowArrayStream *s = calloc(1, sizeof(*s));
	PyObject *capsule;

	(void)none;
	if (!s || vmcensus_table_stream(table_of(self), s)) {
		free(s);
		return PyErr_NoMemory();
	}
	capsule = PyCapsule_New(s, stream_name, drop_stream);
	if (!capsule) {
		s->release(s);
		free(s);
	}
	return capsule;
}

static PyObject *table_schema(PyObject *self, PyObject *none)
{
	struct ArrowSchema *schema = calloc(1, sizeof(*schema));
	struct ArrowArrayStream s;
	PyObject *capsule;
	int e;

	(void)none;
	if (!schema || vmcensus_table_stream(table_of(self), &s)) {
		free(schema);
		return PyErr_NoMemory();
	}
	e = s.get_schema(&s, schema);
	s.release(&s);
	capsule = e ? PyErr_NoMemory() : PyCapsule_New(schema, schema_name, drop_schema);
	if (!capsule && schema->release)
		schema->release(schema);
	if (!capsule)
		free(schema);
	return capsule;
}

static PyMethodDef table_methods[] = {
	{ "columns", table_columns, METH_NOARGS, NULL }, { "issues", table_issues, METH_NOARGS, NULL },
	{ "sizes", table_sizes, METH_NOARGS, NULL },	 { "row", table_row, METH_O, NULL },
	{ "column", table_down, METH_O, NULL },		 { "stream", table_stream, METH_NOARGS, NULL },
	{ "schema", table_schema, METH_NOARGS, NULL },	 { NULL, NULL, 0, NULL },
};

/* A table is the answer to a question, and not made otherwise. */
static PyObject *table_refused(PyTypeObject *type, PyObject *args, PyObject *names)
{
	(void)type;
	(void)args;
	(void)names;
	PyErr_SetString(PyExc_TypeError, "a table comes from vmcensus.open().table()");
	return NULL;
}

static PyType_Slot table_slots[] = {
	{ Py_tp_new, (void *)table_refused },
	{ Py_tp_dealloc, (void *)table_dealloc },
	{ Py_tp_methods, table_methods },
	{ 0, NULL },
};

static PyType_Spec table_spec = { "_vmcensus.Table", sizeof(struct table), 0, Py_TPFLAGS_DEFAULT, table_slots };

static PyObject *table_type;	/* of the one module */

/* T becomes the object's. */
static PyObject *table_new(struct vmcensus_table *t)
{
	PyTypeObject *type = (PyTypeObject *)table_type;
	PyObject *self;

	if (!t)
		Py_RETURN_NONE;
	self = ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
	if (self)
		((struct table *)self)->t = t;
	else
		vmcensus_table_free(t);
	return self;
}

/* ---- a call -------------------------------------------------------------------------------- */

struct call {
	PyObject *images, *words, *log;		/* lists of bytes; None: no log */
	const char *program, *report, *format;	/* FORMAT NULL: a table is asked for */
	unsigned long long most;
	bool failed;				/* an exception is set */
	int status;
	struct vmcensus_table *table;
	char *text;
	size_t len;
	char error[VMCENSUS_ERROR_SIZE];
};

static void take_line(void *arg, const char *line)
{
	struct call *c = arg;
	PyGILState_STATE state = PyGILState_Ensure();
	PyObject *s = c->failed ? NULL : text_of(line);
	PyObject *done = s ? PyObject_CallFunctionObjArgs(c->log, s, NULL) : NULL;

	Py_XDECREF(s);
	Py_XDECREF(done);
	c->failed = c->failed || !done;
	PyGILState_Release(state);
}

static int is_interrupted(void *arg)
{
	struct call *c = arg;
	PyGILState_STATE state = PyGILState_Ensure();

	c->failed = c->failed || PyErr_CheckSignals();
	PyGILState_Release(state);
	return c->failed;
}

/* The bytes of LIST, NULL at the end; for free(). NULL: an exception is set. */
static const char **strings_of(PyObject *list)
{
	Py_ssize_t n = PyList_Size(list);
	const char **v = n < 0 ? NULL : calloc((size_t)n + 1, sizeof(*v));

	if (!v && !PyErr_Occurred())
		PyErr_NoMemory();
	for (Py_ssize_t i = 0; v && i < n; i++) {
		char *s;

		if (PyBytes_AsStringAndSize(PyList_GetItem(list, i), &s, NULL)) {
			free(v);
			return NULL;
		}
		v[i] = s;
	}
	return v;
}

static void run(struct call *c, const char *const *images, const char *const *words)
{
	struct vmcensus_options o = { .program = c->program,
				      .log = c->log == Py_None ? NULL : take_line,
				      .interrupted = is_interrupted,
				      .arg = c,
				      .max_output = c->most };
	struct vmcensus *v;

	c->status = vmcensus_open(images, &o, &v, c->error);
	if (!c->status && c->format)
		c->status =
			vmcensus_text(v, c->report, c->format, words, &c->text, &c->len, c->error);
	else if (!c->status)
		c->status = vmcensus_table(v, c->report, words, &c->table, c->error);
	vmcensus_close(v);
}

static PyObject *result_of(struct call *c)
{
	PyObject *sentence = c->failed ? NULL : text_of(c->error), *what = NULL, *all = NULL;

	if (sentence && c->text)
		what = PyUnicode_DecodeUTF8(c->text, (Py_ssize_t)c->len, "surrogateescape");
	else if (sentence) {
		what = table_new(c->table);
		c->table = NULL;
	}
	if (what)
		all = Py_BuildValue("(iOO)", c->status, sentence, what);
	Py_XDECREF(sentence);
	Py_XDECREF(what);
	return all;
}

static PyObject *ask(PyObject *self, PyObject *args)
{
	struct call c = { .failed = false };
	const char **images, **words = NULL;
	PyObject *ret = NULL;

	(void)self;
	if (!PyArg_ParseTuple(args, "OzOKszO", &c.images, &c.program, &c.log, &c.most, &c.report,
			      &c.format, &c.words))
		return NULL;
	images = strings_of(c.images);
	if (images && (words = strings_of(c.words))) {
		Py_BEGIN_ALLOW_THREADS run(&c, images, words);
		Py_END_ALLOW_THREADS ret = result_of(&c);
	}
	vmcensus_table_free(c.table);
	free(c.text);
	free(images);
	free(words);
	return ret;
}

static PyMethodDef methods[] = {
	{ "ask", ask, METH_VARARGS, "ask(images, program, log, max_output, report, format, words): status, sentence, result" },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef module = { PyModuleDef_HEAD_INIT, "_vmcensus", NULL, -1, methods, NULL, NULL, NULL, NULL };

PyMODINIT_FUNC PyInit__vmcensus(void);	/* NOLINT(bugprone-reserved-identifier): Python's name */

PyMODINIT_FUNC PyInit__vmcensus(void)
{
	PyObject *m = PyModule_Create(&module);

	table_type = m ? PyType_FromSpec(&table_spec) : NULL;
	if (m && (!table_type || PyModule_AddStringConstant(m, "version", VMCENSUS_VERSION)))
		Py_CLEAR(m);
	return m;
}
