#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""clang-format over functions.

    tests/format.py [--apply] [--clang-format PROGRAM] FILE.c ...

Functions are held to .clang-format, from the first line of their definition to the closing
brace. Tables, structs with a comment on each line, and macros are set by hand, which
clang-format would destroy: what is outside of functions, and tables in them, is not touched.
Prints what is not formatted; exit status 1 if anything is.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

TABLE = re.compile(r"^(\t+)(?:static |const ).*(?:\]|\w) = \{$")


def ranges(lines):
    """[first, last] of each piece of a function that is formatted; lines count from 1."""
    start, table, quiet = 0, None, False
    for i, line in enumerate(lines):
        if quiet:
            quiet = "clang-format on" not in line
        elif not start:
            if line == "{" and i and not lines[i - 1].endswith("\\"):
                start = i
                while start and re.match(r"^[\w\s].*[^;:}]$", lines[start - 1]) and \
                        not lines[start - 1].startswith("#"):
                    start -= 1
                start += 1
        elif line == "}":
            yield start, i + 1
            start = 0
        elif table is not None:
            if line.startswith(table + "}"):
                start, table = i + 2, None
        elif TABLE.match(line):
            if start <= i:
                yield start, i
            table = TABLE.match(line).group(1)


def run(program, apply, path):
    with open(path) as f:
        lines = f.read().split("\n")
    pieces = [f"--lines={a}:{b}" for a, b in ranges(lines) if a <= b]
    if not pieces:
        return path, ""
    mode = ["-i"] if apply else ["--dry-run", "-Werror"]
    done = subprocess.run([program, "--style=file", *mode, *pieces, path],
                          stderr=subprocess.PIPE, text=True)
    return path, done.stderr if done.returncode or not apply else ""


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--apply", action="store_true", help="format the files in place")
    p.add_argument("--clang-format", default="clang-format")
    p.add_argument("files", nargs="+", metavar="FILE.c")
    args = p.parse_args()
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for _, said in pool.map(lambda path: run(args.clang_format, args.apply, path), args.files):
            if said:
                bad += 1
                print(said, end="")
    if bad:
        print(f"format: {bad} files; make format mends them", file=sys.stderr)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
