# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory analysis of Linux crash dumps: the tables of vmcensus(1).

    import vmcensus
    dump = vmcensus.open("vmcore")
    for row in dump.table("procs", columns=["pid", "comm", "pss"], where="pss > 1M", top=10):
        print(row.pid, row.comm, row.pss)
    print(dump.text("oom"))

Each call runs the program vmcensus, which reads the dump in its sandbox; nothing of the dump is interpreted in this
process. Options are those of the program: pid=147 is --pid 147, threads=True is --threads, a list is the option once
for each; address=0xffff888003a41000 is the address that "who" asks for, statement="SELECT ..." that of "sql". Sizes are bytes, times nanoseconds; what is unknown is None. A table goes to pandas with to_pandas(), and to
pyarrow, polars, DuckDB and others as an Arrow stream: pyarrow.table(table), polars.from_arrow(table).
"""
import os
from typing import NamedTuple

from . import _vmcensus

__all__ = ['Column', 'Error', 'Image', 'Issue', 'Row', 'Table', 'Text', 'UsageError', 'open']
__version__ = _vmcensus.version


class Error(Exception):
    """The program has no answer; the sentence is its own."""
    status = 1


class UsageError(Error, ValueError):
    """A report, option, column or expression that does not exist or does not fit."""
    status = 64


class Column(NamedTuple):
    """A column: type is text, letter, number, size, address, time or ratio; unit is "bytes", "ns" ... or ""."""
    name: str
    type: str
    unit: str
    about: str


class Issue(NamedTuple):
    """What could not be read or believed, and how often."""
    kind: str
    object: str
    count: int


class Text(str):
    """What the program prints. incomplete is None, or the sentence that says what is damaged or missing."""
    incomplete = None


class Row(tuple):
    """The cells of a row, by place, by row["name"] or by row.name."""
    __slots__ = ()
    _at = {}

    def __getitem__(self, key):
        return tuple.__getitem__(self, self._at[key] if isinstance(key, str) else key)

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f'the table has no column {name}') from None

    def _asdict(self):
        return dict(zip(self._at, self))

    def __repr__(self):
        return 'Row(' + ', '.join(f'{name}={value!r}' for name, value in self._asdict().items()) + ')'


class Table:
    """Rows of a report, which do not change. len() is their number, iteration gives each as a Row, and
    table["name"] a whole column."""

    def __init__(self, report, sentence, table):
        self._table = table
        self.report = report
        self.columns = tuple(Column(*words) for words in table.columns())
        self.issues = tuple(Issue(*words) for words in table.issues())
        self.incomplete = sentence
        self._rows, self.all_rows = table.sizes()
        cells = {c.name: property(lambda row, i=i: tuple.__getitem__(row, i)) for i, c in enumerate(self.columns)}
        self._row = type('Row', (Row,), cells | {'__slots__': (), '_at': {c.name: i for i, c in enumerate(self.columns)}})

    def __len__(self):
        return self._rows

    def __iter__(self):
        return (self._row(self._table.row(i)) for i in range(self._rows))

    def __getitem__(self, name):
        return list(self._table.column(self._row._at[name]))

    def __repr__(self):
        return f'<vmcensus table {self.report}: {self._rows} rows, {len(self.columns)} columns>'

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.stream()

    def __arrow_c_schema__(self):
        return self._table.schema()

    def to_pandas(self):
        """A DataFrame of types that have a place for unknown: Int64, UInt64 (addresses), Float64, string."""
        import pandas
        kinds = {'text': 'string', 'letter': 'string', 'ratio': 'Float64', 'address': 'UInt64'}
        return pandas.DataFrame({c.name: pandas.array(self[c.name], dtype=kinds.get(c.type, 'Int64')) for c in self.columns})


def _words(options):
    """The words of a command line."""
    for name, value in options.items():
        if name == 'address':
            yield (value if isinstance(value, str) else f'{value:x}').encode()
            continue
        if name == 'statement':
            yield value.encode()
            continue
        option = '--' + name.replace('_', '-')
        several = value if isinstance(value, (list, tuple)) else [value]
        if name in ('columns', 'sort') and several is value:
            several = [','.join(value)]
        for one in several:
            if one is True:
                yield option.encode()
            elif one is not False and one is not None:
                yield option.encode() + b'=' + (os.fsencode(one) if isinstance(one, (str, bytes, os.PathLike)) else str(one).encode())


class Image:
    """A dump. It is read when something is asked; several threads may ask."""

    def __init__(self, paths, program, log, max_output, options):
        self._images = [os.fsencode(path) for path in paths]
        self._program, self._log, self._most, self._options = program, log, max_output, options

    def _ask(self, report, form, options):
        words = list(_words({**self._options, **options}))
        status, sentence, result = _vmcensus.ask(self._images, self._program, self._log, self._most, report, form, words)
        if status not in (0, 2):
            raise (UsageError if status == 64 else Error)(sentence)
        return sentence if status else None, result

    def table(self, report, **options):
        """The rows of a report: columns=["pid", "pss"], where="pss > 1M", sort="-pss", top=10, and its own options."""
        return Table(report, *self._ask(report, None, options))

    def text(self, report='summary', format='text', **options):
        """What the program prints for a report."""
        incomplete, text = self._ask(report, format, options)
        text = Text(text)
        text.incomplete = incomplete
        return text


def open(path, *more, program=None, log=None, max_output=0, **options):
    """An Image of the dump at path; more: the other files of a split dump, or the later dump for "diff".

    program: to run, in place of vmcensus in PATH. log: is called with each line that the program says beside its
    answer. max_output: bytes of a table or text, at most and by default 1 GiB. Options are of each call: types=..."""
    return Image([path, *more], program, log, max_output, options)
