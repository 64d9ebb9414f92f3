# measure FOLDER TOP prints what is below a folder, as JSON. invalid is called for
# a folder that cannot be measured.
measure() {
	case "$1" in
	/*) path=$1 ;;
	*) path=./$1 ;; # a name that begins with - is no option
	esac
	[ -e "$path" ] || invalid path "does not exist; give a path relative to the current folder"
	[ -d "$path" ] || invalid path "is not a folder"
	[ -r "$path" ] && [ -x "$path" ] || invalid path "cannot be read"
	found=$(mktemp -d) || exit 1
	trap 'rm -rf "$found"' EXIT
	# One entry a line: a newline in a name becomes \001 on the way.
	find "$path" -mindepth 1 -printf '%y\t%s\t%P\0' 2>"$found/errors" | LC_ALL=C tr '\n\0' '\001\n' >"$found/all"
	LC_ALL=C sort -t "$(printf '\t')" -k1,1 -k2,2nr -k3 "$found/all" | measured=$1 LC_ALL=C awk \
		-F '\t' -v top="$2" -v unreadable="$(wc -l <"$found/errors")" "$measure_awk"
}

measure_awk='
BEGIN { for (i = 1; i < 32; i++) escape[sprintf("%c", i)] = sprintf("\\u%04x", i) }
{ name = substr($0, length($1) + length($2) + 3) }
$1 == "f" {
	files++
	bytes += $2
	if (files <= top) largest = largest (files > 1 ? "," : "") sprintf("{\"path\":%s,\"bytes\":%.0f}", quote(name), $2)
}
$1 == "d" { folders++ }
$1 == "l" { links++ }
END {
	printf "{\"path\":%s,\"files\":%d,\"folders\":%d,\"links\":%d,\"bytes\":%.0f,\"unreadable\":%d,\"largest\":[%s]}\n", \
		quote(ENVIRON["measured"]), files, folders, links, bytes, unreadable, largest
}
function quote(s,    out, i, c) {
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (c == "\001") c = "\\n"
		else if (c == "\"" || c == "\\") c = "\\" c
		else if (c in escape) c = escape[c]
		out = out c
	}
	return "\"" out "\""
}
'
