package toolpkg_test

import (
	"fmt"

	"github.com/agentctl/agentctl/pkg/toolpkg"
)

func ExampleFunctionName() {
	for _, command := range []string{"data-fetch", "v1.count", "Data Fetch"} {
		name, ok := toolpkg.FunctionName(command)
		fmt.Printf("%q %v\n", name, ok)
	}
	// Output:
	// "data_fetch" true
	// "v1_count" true
	// "Data Fetch" false
}

func ExampleInvokeResult_ForModel() {
	r := toolpkg.InvokeResult{
		Origin: toolpkg.OriginTool, ExitCode: 0, Stdout: `{"rows":60}`,
		Artifacts: []toolpkg.Artifact{{Path: "/work/plot.png", Bytes: 2048}},
	}
	fmt.Print(r.ForModel())
	// Output:
	// exit_code: 0
	// stdout:
	// {"rows":60}
	// artifacts:
	// /work/plot.png (2048 bytes)
}
