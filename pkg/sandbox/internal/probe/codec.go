package probe

import (
	"bytes"
	"encoding/json"
	"fmt"
)

func encode(exe string, acts []Act) ([]string, error) {
	data, err := json.Marshal(acts)
	if err != nil {
		return nil, fmt.Errorf("encode acts: %w", err)
	}
	return []string{exe, Marker, string(data)}, nil
}

func decode(stdout []byte) ([]Outcome, error) {
	var out []Outcome
	for line := range bytes.SplitSeq(stdout, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var o Outcome
		if err := json.Unmarshal(line, &o); err != nil {
			return out, fmt.Errorf("a probe printed %q: %w", line, err)
		}
		out = append(out, o)
	}
	return out, nil
}
