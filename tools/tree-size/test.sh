#!/bin/sh
# Tests of measure.sh. Run with: ./test.sh
cd "$(dirname "$0")" || exit 1
. ./measure.sh
invalid() { echo "$1: $2"; exit 2; }

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/sub" "$folder/-dash"
printf 12345 >"$folder/five"
printf 123 >"$folder/sub/th\"r\\ee"
printf 1 >"$folder/sub/new
line é"
ln -s five "$folder/link"

failed=0
check() { # NAME WANT GOT
	[ "$2" = "$3" ] && return
	printf '%s:\n got %s\nwant %s\n' "$1" "$3" "$2"
	failed=1
}
quoted() { sed "s|$folder|FOLDER|"; }

check "everything" '{"path":"FOLDER","files":3,"folders":2,"links":1,"bytes":9,"unreadable":0,"largest":[{"path":"five","bytes":5},{"path":"sub/th\"r\\ee","bytes":3},{"path":"sub/new\nline é","bytes":1}]}' \
	"$(measure "$folder" 10 | quoted)"
check "the largest" '{"path":"FOLDER","files":3,"folders":2,"links":1,"bytes":9,"unreadable":0,"largest":[{"path":"five","bytes":5}]}' \
	"$(measure "$folder" 1 | quoted)"
check "an empty folder with a dash" '{"path":"-dash","files":0,"folders":0,"links":0,"bytes":0,"unreadable":0,"largest":[]}' \
	"$(here=$(pwd); . "$here/measure.sh"; cd "$folder" && measure -dash 10)"
mkdir "$folder/back\\nslash"
check "a backslash" '{"path":"back\\nslash","files":0,"folders":0,"links":0,"bytes":0,"unreadable":0,"largest":[]}' \
	"$(here=$(pwd); . "$here/measure.sh"; cd "$folder" && measure 'back\nslash' 10)"
check "a file" "path: is not a folder" "$(measure "$folder/five" 10)"
check "nothing" "path: does not exist; give a path relative to the current folder" "$(measure "$folder/none" 10)"
exit $failed
