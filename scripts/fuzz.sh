#!/usr/bin/env bash
# Fuzz every Fuzz function of the module, one after the other: fuzz.sh [TIME].
# TIME is a duration (10s) or a number of inputs (1000x). A number is what a check
# wants: with a duration, go now and then reports its own end ("context deadline
# exceeded") as a failure of the target.
# A crash stops the run; its input is under testdata/fuzz of that package.
set -euo pipefail
cd "$(dirname "$0")/.."
time="${1:-10000x}"

grep -rlE '^func Fuzz' --include='*_test.go' cmd internal pkg | sort | while read -r file; do
	grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | cut -d' ' -f2 | while read -r name; do
		echo "fuzz $name in ${file%/*} for $time"
		go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" "./${file%/*}" </dev/null
	done
done
