#!/usr/bin/env python3
"""Print how many lines a text file has. Arguments: one JSON object, or - for stdin."""

import json
import sys


def main() -> int:
    raw = sys.argv[1] if len(sys.argv) > 1 else "{}"
    args = json.loads(sys.stdin.read() if raw == "-" else raw)
    try:
        with open(args["path"], encoding="utf-8") as f:
            lines = sum(1 for _ in f)
    except OSError as err:
        print(f"cannot read {args['path']}: {err.strerror}", file=sys.stderr)
        return 2
    print(json.dumps({"lines": lines}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
