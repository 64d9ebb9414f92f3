package model

import (
	"fmt"
	"strings"
	"time"
)

// AuthError reports a missing or rejected API key.
type AuthError struct {
	Provider string
	// KeyEnv is the variable that the key was taken from, "" when none is configured.
	KeyEnv string
	// Missing: KeyEnv is not set, so nothing was asked.
	Missing bool
	Detail  string
}

func (e *AuthError) Error() string {
	if e.Missing {
		return fmt.Sprintf("%s wants an API key, and %s is not set", e.Provider, e.KeyEnv)
	}
	if e.KeyEnv == "" {
		return fmt.Sprintf("%s refused the request: %s", e.Provider, e.Detail)
	}
	return fmt.Sprintf("%s refused the API key in %s: %s", e.Provider, e.KeyEnv, e.Detail)
}

// RateError reports that the server wants fewer requests, after all retries.
type RateError struct {
	Provider string
	After    time.Duration // 0 when the server did not say
	// Quota: it is about what was paid for; waiting does not cure it.
	Quota  bool
	Detail string
}

func (e *RateError) Error() string {
	if e.After >= time.Second {
		return fmt.Sprintf("%s is limiting requests, and says to wait %s: %s", e.Provider, e.After.Round(time.Second/10), e.Detail)
	}
	return fmt.Sprintf("%s is limiting requests: %s", e.Provider, e.Detail)
}

// OverflowError reports a prompt that does not fit the model's context.
type OverflowError struct {
	Provider string
	Detail   string
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("the prompt does not fit the context of the model on %s: %s", e.Provider, e.Detail)
}

// ToolsUnsupportedError reports a server or model that takes no tools natively.
type ToolsUnsupportedError struct{ Provider, Detail string }

func (e *ToolsUnsupportedError) Error() string {
	return fmt.Sprintf("the model on %s takes no tools: %s", e.Provider, e.Detail)
}

// CutStreamError reports an answer that broke off. What came before it was
// delivered; calls that were not complete were not.
type CutStreamError struct {
	Provider string
	Err      error
}

func (e *CutStreamError) Error() string {
	return fmt.Sprintf("the answer of %s broke off: %v", e.Provider, e.Err)
}

// Unwrap returns the cause.
func (e *CutStreamError) Unwrap() error { return e.Err }

// ServerError is any other failure: the server could not be reached (Status 0)
// or answered with an error.
type ServerError struct {
	Provider string
	URL      string
	Status   int
	Detail   string
	Err      error
}

func (e *ServerError) Error() string {
	server := e.Provider + " at " + e.URL
	if strings.Contains(e.URL, e.Provider) { // a server without another name is called by its host
		server = e.URL
	}
	if e.Status == 0 {
		return fmt.Sprintf("%s cannot be reached: %s", server, e.Detail)
	}
	return fmt.Sprintf("%s answered %d: %s", server, e.Status, e.Detail)
}

// Unwrap returns the cause.
func (e *ServerError) Unwrap() error { return e.Err }
