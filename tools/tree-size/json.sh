# Reads the arguments of a command: one JSON object in $args.
#
#   json_get KEY   prints a text, number or boolean; an array or object as JSON;
#                  nothing when the key is not there
#   json_check     exits with 2 unless $args is one JSON object
#
# A \u escape stays as it is; agentctl writes letters as they are.

json_get() { printf '%s' "$args" | awk -v want="$1" "$json_awk"; }

json_check() {
	printf '%s' "$args" | awk "$json_awk" && return
	echo "arguments must be one JSON object" >&2
	echo 'agentctl-error: {"kind":"invalid_arguments","message":"arguments must be one JSON object","field":""}' >&2
	exit 2
}

json_awk='
{ text = text (NR > 1 ? "\n" : "") $0 }
END {
	skip()
	if (!object(1)) exit 2
	skip()
	exit (text == "" ? 0 : 2)
}
function skip() { sub(/^[ \t\r\n]+/, "", text) }
function take(re) {
	if (!match(text, re)) return 0
	token = substr(text, 1, RLENGTH)
	text = substr(text, RLENGTH + 1)
	skip()
	return 1
}
function object(top,    key, start) {
	if (!take("^[{]")) return 0
	if (take("^[}]")) return 1
	do {
		if (!take("^\"([^\"\\\\]|\\\\.)*\"")) return 0
		key = plain(token)
		if (!take("^:")) return 0
		start = text
		if (!value()) return 0
		if (top && key == want && want != "") give(start)
	} while (take("^,"))
	return take("^[}]")
}
function array() {
	if (!take("^\\[")) return 0
	if (take("^\\]")) return 1
	do if (!value()) return 0; while (take("^,"))
	return take("^\\]")
}
function value() {
	if (take("^\"([^\"\\\\]|\\\\.)*\"")) return 1
	if (take("^-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?")) return 1
	if (take("^(true|false|null)")) return 1
	if (substr(text, 1, 1) == "{") return object(0)
	return array()
}
function give(start,    raw) {
	raw = substr(start, 1, length(start) - length(text))
	sub(/[ \t\r\n]+$/, "", raw)
	print (raw ~ /^"/ ? plain(raw) : raw)
}
function plain(s,    out, c) {
	s = substr(s, 2, length(s) - 2)
	out = ""
	while (s != "") {
		c = substr(s, 1, 1)
		s = substr(s, 2)
		if (c != "\\") { out = out c; continue }
		c = substr(s, 1, 1)
		s = substr(s, 2)
		if (c == "n") c = "\n"
		else if (c == "t") c = "\t"
		else if (c == "r") c = "\r"
		else if (c == "u") c = "\\u"
		out = out c
	}
	return out
}
'
