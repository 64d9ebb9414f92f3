"""Compiles a folder for a place that is not known yet: compile.py ROOT FOLDER ...

Names in the bytecode are relative to ROOT, and it is never checked against the
source again, so that a copy with new times, read-only, is not compiled anew.
Files that do not compile are left out: templates and code for other versions
come with many packages. So are the tests that packages bring along, which often
are more than half of their files. A folder given as +FOLDER compiles whole.
"""

import compileall
import os
import re
import sys
from py_compile import PycInvalidationMode

root, folders = sys.argv[1], sys.argv[2:]
for folder in folders:
    own = folder.startswith("+")
    ok = compileall.compile_dir(
        folder.removeprefix("+"),
        maxlevels=100,
        force=True,
        rx=None if own else re.compile(r"[/\\]tests[/\\]"),
        quiet=1 if own else 2,
        stripdir=root,
        workers=os.cpu_count() or 1,
        invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
    )
    if own and not ok:
        sys.exit(1)
