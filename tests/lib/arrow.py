# SPDX-License-Identifier: GPL-3.0-or-later
"""An Arrow C stream, read by its specification (arrow.apache.org/docs/format: CDataInterface, CStreamInterface)."""
import ctypes
import sys


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


N, P, S = ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p
Schema._fields_ = [('format', S), ('name', S), ('metadata', P), ('flags', N), ('n', N),
                   ('children', ctypes.POINTER(ctypes.POINTER(Schema))), ('dictionary', P),
                   ('release', ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))), ('private', P)]
Array._fields_ = [('length', N), ('nulls', N), ('offset', N), ('nbuffers', N), ('n', N), ('buffers', ctypes.POINTER(P)),
                  ('children', ctypes.POINTER(ctypes.POINTER(Array))), ('dictionary', P),
                  ('release', ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))), ('private', P)]
Stream._fields_ = [('schema', ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
                   ('next', ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
                   ('error', ctypes.CFUNCTYPE(S, ctypes.POINTER(Stream))),
                   ('release', ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))), ('private', P)]


def unit(schema):
    """The value of the one pair of metadata, "" if there is none."""
    if not schema.metadata:
        return ''
    # int32 pairs, int32 length, "unit", int32 length, value
    size = int.from_bytes(ctypes.string_at(schema.metadata + 12, 4), sys.byteorder)
    return ctypes.string_at(schema.metadata + 16, size).decode()


def column(schema, array, rows):
    """Values; None: unknown."""
    known = ctypes.cast(array.buffers[0], ctypes.POINTER(ctypes.c_uint8))
    kind = {b'l': ctypes.c_int64, b'L': ctypes.c_uint64, b'g': ctypes.c_double, b'u': ctypes.c_int32}[schema.format]
    values = ctypes.cast(array.buffers[1], ctypes.POINTER(kind))

    def cell(i):
        if not known[i // 8] >> i % 8 & 1:
            return None
        if schema.format == b'u':
            return ctypes.string_at(array.buffers[2] + values[i], values[i + 1] - values[i]).decode()
        return values[i]
    return [cell(i) for i in range(rows)]


def columns(schema):
    """Name, format and unit of each column."""
    return [(s.name.decode(), s.format.decode(), unit(s)) for s in (schema.children[i][0] for i in range(schema.n))]


def read(stream):
    """(name, format, unit, values) of each column of the one batch; the stream is released."""
    schema, array, end = Schema(), Array(), Array()
    assert not stream.schema(stream, schema) and not stream.next(stream, array) and not stream.next(stream, end)
    assert not end.release
    found = [(*about, column(schema.children[i][0], array.children[i][0], array.length))
             for i, about in enumerate(columns(schema))]
    for thing in (schema, array, stream):
        thing.release(thing)
    return found
