// Command agentctl writes, checks, builds, shares and runs skills and tool
// packages for LLM agents.
package main

import (
	"os"

	"github.com/agentctl/agentctl/internal/cli"
)

func main() { os.Exit(cli.Main()) }
