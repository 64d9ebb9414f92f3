"""Compiles a folder for a place that is not known yet: compile.py ROOT FOLDER ...

Names in the bytecode are relative to ROOT, and it is never checked against the
source again, so that a copy with new times, read-only, is not compiled anew.
Files that do not compile are left out: templates and code for other versions
come with many packages. A folder given as +FOLDER must compile.
"""

import compileall
import os
import sys
from py_compile import PycInvalidationMode

root, folders = sys.argv[1], sys.argv[2:]
for folder in folders:
    ok = compileall.compile_dir(
        folder.lstrip("+"),
        maxlevels=100,
        force=True,
        quiet=1 if folder.startswith("+") else 2,
        stripdir=root,
        workers=os.cpu_count() or 1,
        invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
    )
    if not ok and folder.startswith("+"):
        sys.exit(1)
