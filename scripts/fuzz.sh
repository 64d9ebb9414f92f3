#!/usr/bin/env bash
# Fuzz every Fuzz function of the module, one after the other: fuzz.sh [TIME].
# A crash stops the run; its input is under testdata/fuzz of that package.
set -euo pipefail
cd "$(dirname "$0")/.."
time="${1:-10s}"

grep -rlE '^func Fuzz' --include='*_test.go' cmd internal pkg | sort | while read -r file; do
	grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | cut -d' ' -f2 | while read -r name; do
		echo "fuzz $name in ${file%/*} for $time"
		go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" "./${file%/*}" </dev/null
	done
done
