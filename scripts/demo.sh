#!/usr/bin/env bash
# Shows the main job from end to end: a skill in a workspace, a tool package
# written in Go, and a chat whose model reads the skill and calls the tool.
# The model is scripted (testdata/demo/script.yaml): no API key, no model. All the
# rest is real. demo.sh [DIR] makes the workspace in DIR (default: a new folder
# below the system's temporary one) and leaves it there to look at.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
dir="${1:-$(mktemp -d "${TMPDIR:-/tmp}/agentctl-demo-XXXXXX")}"
mkdir -p "$dir"
export PATH="$root/bin:$PATH"
# The demo neither reads nor changes what you configured and trust.
export XDG_CONFIG_HOME="$dir/.home/config" XDG_STATE_HOME="$dir/.home/state"
unset AGENTCTL_MODEL AGENTCTL_SANDBOX

run() {
	printf '\n$'
	for arg; do case "$arg" in *' '*) printf ' "%s"' "$arg" ;; *) printf ' %s' "$arg" ;; esac; done
	printf '\n'
	"$@"
}

echo "A demo workspace in $dir: a skill, an app and a tool package."
mkdir -p "$dir/.skill" "$dir/apps" "$dir/tools" "$dir/.agentctl"
cp -R "$root/testdata/demo/skills/." "$dir/.skill/"
cp -R "$root/apps/tool-demo" "$dir/apps/"
cp -R "$root/tools/data-fetch" "$dir/tools/"
cp "$root/testdata/demo/script.yaml" "$dir/script.yaml"
cd "$dir"

run agentctl tool prebuild data-fetch
run agentctl skill list
run agentctl tool list

echo
echo "A chat. The model is SCRIPTED: its answers are fixed in script.yaml. The skill, the tool,"
echo "the sandbox and the file are real, and the figure in the answer comes from the file."
run agentctl chat --app tool-demo --trust-workspace --model scripted:script.yaml \
	-p "What is the warmest month in Porto Vela?"

printf '\n$ %s\n' "head -n 3 data/temperatures.csv"
head -n 3 data/temperatures.csv
