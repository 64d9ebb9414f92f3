package frontmatter

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// seeds are blocks and files in which something is odd.
var seeds = []string{
	"", "---", "---\n---\n", "\ufeff---\r\nname: a\r\ndescription: d\r\n---\r\nb", "---\rname: a\rdescription: d\r---\rb",
	"---\nname: a\ndescription: Use when: x\n---b",
	"<!-- c -->\n---\nname: a\ndescription: a\n1. b\n# c\nlicense: MIT\n...\n",
	"---\nname: *a\ndescription: {{x}}\nmetadata: {a: \"\\ud83d\\udc26\"\nargument-hint: [a] [b]\n---\n",
	"---\n{\"name\": \"a\", \"description\": \"d\", x: [1, {y: z}]}\n---\n",
	"---\n? name\n: a\n? description\n: d\n---\n",
	"---\n  name: a # c\n  description: |+\n    d\n    # e\n\n  # f\n---\n",
	"---\ndescription: \"a\nname: b\"\nx: 'it''s' # c\ny: [a, 'b]', # c]\n d]\nname: &n !t q\n---\n",
	"---\nname: a\r b\ndescription: d\u2028e\nx: \u0085y\n---\n",
	"---\nname: a\nname: a\ndescription: d\nDescription: e\nallowed_tools: x\nallowed-tools: y\n---\n",
	"---\na: 'b\nname: 'x': y\ndescription: d\nz: '\n---\n",
	"---\n\"na\\u006de\": a\ndescription: 'x\n\n  y' # z\n---\n",
}

func addSeeds(f *testing.F) {
	f.Helper()
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	files, err := filepath.Glob(filepath.Join(casesDir, "*", "*.md"))
	if err != nil || len(files) == 0 {
		f.Fatal(err, files)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

// FuzzDecode: whatever the bytes, an answer comes soon, says where, and invents
// nothing.
func FuzzDecode(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		defer checkTime(t, time.Now(), len(data))
		d, err := Decode("f", data)
		if err != nil {
			checkFuzzSkip(t, d, err)
			return
		}
		if string(d.Encode()) != string(data) {
			t.Error("an untouched document does not encode to its source")
		}
		checkBody(t, d, string(data))
		checkFuzzDescription(t, d, string(data))
		for _, found := range append(d.Diagnostics, d.Findings...) {
			if found.Line < 1 || found.Line > strings.Count(string(data), "\n")+strings.Count(string(data), "\r")+1 || !strings.HasPrefix(found.Code, "frontmatter.") {
				t.Errorf("bad diagnostic %v", found)
			}
		}
		for _, key := range d.Keys() {
			d.Raw(key)
			d.Children(key)
		}
	})
}

// checkTime holds the reader to linear time, with room for a loaded machine.
func checkTime(t *testing.T, began time.Time, size int) {
	t.Helper()
	if spent := time.Since(began); spent > 2*time.Second+time.Duration(size)*20*time.Microsecond {
		t.Errorf("%d bytes took %v", size, spent)
	}
}

func checkFuzzSkip(t *testing.T, d *Document, err error) {
	t.Helper()
	var skip *SkipError
	if d != nil || !errors.As(err, &skip) || len(skip.Diagnostics) == 0 || skip.Diagnostics[0].Message == "" {
		t.Errorf("got %v, %v", d, err)
	}
}

// checkBody: the body is the end of the file, and no CRLF is left.
func checkBody(t *testing.T, d *Document, source string) {
	t.Helper()
	if strings.Contains(d.Body, "\r\n") {
		t.Errorf("a CRLF stayed: %q", d.Body)
	}
	plain := strings.NewReplacer("\r\n", "\n", "\r", "\n")
	if !strings.HasSuffix(plain.Replace(source), plain.Replace(d.Body)) {
		t.Errorf("the body is not the end of the file: %q", d.Body)
	}
}

// checkFuzzDescription: it is there, and each word of one that was repaired
// stands in the source, in this order.
func checkFuzzDescription(t *testing.T, d *Document, source string) {
	t.Helper()
	text := d.Text("description")
	if squeeze(text) == "" || !utf8.ValidString(text) {
		t.Errorf("loaded with the description %q", text)
	}
	e := d.find("description")
	if !e.fixed {
		return
	}
	at := 0
	for word := range strings.FieldsSeq(text) {
		i := strings.Index(source[at:], word)
		if i < 0 {
			t.Fatalf("%q of the description is not in the source", word)
		}
		at += i + len(word)
	}
	if len(d.Diagnostics) == 0 {
		t.Error("a repair without a diagnostic")
	}
}

// FuzzRepair: a value that is no YAML is read as text of its own lines, or not at all.
func FuzzRepair(f *testing.F) {
	for _, s := range []string{"Use when: x", `"A" and b`, "'it's'", "[a] b", "> x", "a\n1. b", "a: b\n  c", "\"a\nb: c", "|\nx", "a\n\tb", "*x*", "\"\\ud83d\\ude00\"", "a # b: c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		defer checkTime(t, time.Now(), len(value))
		d, err := Decode("f", []byte("---\nname: a\ndescription: "+value+"\nlicense: MIT\n---\nb\n"))
		if err != nil {
			checkFuzzSkip(t, d, err)
			return
		}
		checkFuzzDescription(t, d, value)
		if e := d.find("description"); e.fixed && strings.Contains(d.Text("description"), "license: MIT") && !strings.Contains(value, "license: MIT") {
			t.Errorf("another key got into the description: %q", d.Text("description"))
		}
	})
}

// FuzzEncodeDecode: what is set is read back, and nothing else changes.
func FuzzEncodeDecode(f *testing.F) {
	for _, s := range seeds {
		for _, v := range []string{"yes", "a # b", "Use when: x", "🐦\u200d❤️ 茶", "a\nb\r\n\tc ", "\u2028\u0085\ufeff\x00\x9b", "- 'x' \"y\" \\", "1_000", "0x1F", "12:30:45", "~", "=", "2026-01-02", " a", ".inf", "!!str x", "---"} {
			f.Add([]byte(s), "license", v)
		}
		f.Add([]byte(s), "name", "moon")
		f.Add([]byte(s), "description", "d e")
		f.Add([]byte(s), "new-key", "d: e")
	}
	f.Fuzz(func(t *testing.T, data []byte, key, value string) {
		if _, _, word := keyLine(key + ":"); !word || !isPlain(key) || squeeze(value) == "" || len(data)+3*len(value) > MaxFrontMatter/2 {
			return
		}
		value = strings.ToValidUTF8(value, "\ufffd")
		checkQuote(t, value)
		before, err := Decode("f", data)
		if err != nil {
			return
		}
		d, _ := Decode("f", data)
		d.Set(key, value)
		after, err := Decode("f", d.Encode())
		if err != nil {
			t.Fatalf("Set(%q, %q): %v in\n%s", key, value, err, d.Encode())
		}
		checkEdited(t, before, after, key, value)
		checkNormalized(t, after)
	})
}

func checkQuote(t *testing.T, value string) {
	t.Helper()
	var got struct{ V string }
	if err := UnmarshalStrict("q", []byte("v: "+Quote(value)+"\n"), &got); err != nil || got.V != value {
		t.Errorf("Quote(%q) = %s reads back as %q, %v", value, Quote(value), got.V, err)
	}
}

func checkEdited(t *testing.T, before, after *Document, key, value string) {
	t.Helper()
	if got := after.Text(key); got != value {
		t.Errorf("Set(%q, %q) reads back as %q in\n%s", key, value, got, after.src.text)
	}
	if before.Body != after.Body {
		t.Errorf("the body changed from %q to %q", before.Body, after.Body)
	}
	changed := ""
	if e := before.find(key); e != nil {
		changed = e.key
	}
	for _, k := range before.Keys() {
		same := before.Raw(k) == after.Raw(k) && before.Text(k) == after.Text(k)
		if before.odd {
			same = before.Text(k) == after.Text(k) || before.Kind(k) == Empty || before.Kind(k) >= List
		}
		if k != changed && !same {
			t.Errorf("Set(%q) changed %q from %q to %q in\n%s", key, k, before.Raw(k), after.Raw(k), after.src.text)
		}
	}
}

// checkNormalized: the clean form says the same, and nothing of it is repaired
// any more but what was left out.
func checkNormalized(t *testing.T, d *Document) {
	t.Helper()
	texts := make(map[string]string)
	for _, k := range d.Keys() {
		texts[k] = d.Text(k)
	}
	d.Normalize()
	data := string(d.Encode())
	again, err := Decode("f", []byte(data))
	if err != nil {
		t.Fatalf("the normal form is not read: %v in\n%s", err, data)
	}
	if strings.HasPrefix(data, bom) || strings.Contains(data, "\r\n") || !strings.HasPrefix(data, "---\n") {
		t.Errorf("not the normal form: %q", data)
	}
	for k, text := range texts {
		if got := again.Text(k); squeeze(got) != squeeze(text) {
			t.Errorf("the normal form changes %q from %q to %q in\n%s", k, text, got, data)
		}
	}
}

// FuzzStrict: whatever the bytes, the strict mode fills the value or says where
// the fault is, and takes nothing that the lenient mode would have to repair.
func FuzzStrict(f *testing.F) {
	addSeeds(f)
	f.Add([]byte("---\nname: a\ndescription: d\nfree: {a: [1, {b: c}]}\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		defer checkTime(t, time.Now(), len(data))
		var v struct {
			Name        string `yaml:"name"`
			Description string `yaml:"description"`
			Free        any    `yaml:"free"`
		}
		d, err := DecodeStrict("f", data, &v)
		if err != nil {
			var strict *StrictError
			if d != nil || !errors.As(err, &strict) || len(strict.Diagnostics) == 0 || v.Name+v.Description != "" || v.Free != nil {
				t.Errorf("got %v, %v, %+v", d, err, v)
			}
			return
		}
		if d.Text("name") != v.Name || d.Text("description") != v.Description {
			t.Errorf("the document says %q, %q, the value %+v", d.Text("name"), d.Text("description"), v)
		}
		if v.Name != "" && squeeze(v.Description) != "" {
			lenient, err := Decode("f", data)
			if err != nil || len(lenient.Diagnostics) > 0 || lenient.Text("description") != v.Description {
				t.Errorf("the two modes differ: %v, %v", lenient, err)
			}
		}
	})
}
