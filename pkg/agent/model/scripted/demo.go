package scripted

import _ "embed"

//go:embed demo.yaml
var demoYAML []byte

// Demo returns the built-in script behind `scripted:demo`. It calls list_files
// and read_file, works in any folder and for any number of questions, and says
// that it is no model.
func Demo() *Script {
	s, err := Load("demo", demoYAML)
	if err != nil {
		panic(err) // part of the program; a test plays it
	}
	return s
}
