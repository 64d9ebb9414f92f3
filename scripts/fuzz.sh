#!/usr/bin/env bash
# Fuzz every Fuzz function of the module, one after the other: fuzz.sh [TIME].
# TIME is a duration (10s) or a number of inputs (1000x). A number is what a check
# wants: with a duration, go now and then reports its own end ("context deadline
# exceeded") as a failure of the target.
# The input that fails a target is put under testdata/fuzz of its package, the
# other targets have their turn, and the script exits 1: commit the input with the
# fix, and every later `make test` tries it.
set -euo pipefail
cd "$(dirname "$0")/.."
time="${1:-10000x}"

failed=()
while IFS=: read -r file name; do
	name="${name#func }"
	echo "fuzz $name in ${file%/*} for $time"
	go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" "./${file%/*}" </dev/null || failed+=("${file%/*} $name")
done < <(grep -rHoE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' cmd internal pkg | sort)

if [ ${#failed[@]} -gt 0 ]; then
	printf 'failed: %s\n' "${failed[@]}" >&2
	exit 1
fi
