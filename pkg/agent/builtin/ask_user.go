package builtin

import (
	"context"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

const askUserName = "ask_user"

type askUserArgs struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty"`
}

func askUser() agent.Tool {
	return newTool(askUserName, "Ask the user and wait for the answer: when a skill wants a review, or you cannot go on without it.",
		func(_ context.Context, _ agent.Call, args askUserArgs) (agent.Output, error) {
			question := strings.TrimSpace(args.Question)
			if question == "" {
				return agent.Output{}, refuse("the question is empty. Call ask_user again with the whole question.")
			}
			choices := args.Choices
			if choices == nil {
				choices = []string{}
			}
			return agent.Output{
				Text:     "The user was asked. The next message of the user is the answer.",
				Question: &session.Question{Text: question, Choices: choices},
			}, nil
		})
}
