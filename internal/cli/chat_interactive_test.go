package cli

import "testing"

func TestShellWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"qwen2.5:14b": "qwen2.5:14b", "scripted:my file.yaml": "'scripted:my file.yaml'", "it's": `'it'\''s'`, "": "''", "工具": "工具",
	} {
		if got := shellWord(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
