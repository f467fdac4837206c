# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of the reports, from their table."""
import os
import re

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'reports', 'core', 'reports.def')


# before the dump, of a report that takes a word; any address
WORDS = {'who': ['1'], 'sql': ['SELECT * FROM procs']}


def but(*left_out):
    """All but these, which must be reports: a list that leaves some out does not forget a new one."""
    with open(TABLE, encoding='ascii') as f:
        names = re.findall(r'^R\((\w+),', f.read(), re.M)
    unknown = set(left_out) - set(names)
    if unknown:
        raise ValueError(f'no reports: {sorted(unknown)}')
    return [n for n in names if n not in left_out]
