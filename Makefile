# Each target is a line or two that a person could type; CI (.ci/run) calls the
# same ones. The variables can be set: make fuzz FUZZTIME=100000x

PKGS      ?= ./...
TESTFLAGS ?=
FUZZTIME  ?= 10000x
RUNS      ?= 20
BENCHTIME ?= 1s

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT  := $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)
CLI     := github.com/agentctl/agentctl/internal/cli
LDFLAGS := -s -w -X $(CLI).version=$(VERSION) -X $(CLI).commit=$(COMMIT)

# Folders with a go.mod of their own: sample tool packages build on their own.
NESTED := $(patsubst %/go.mod,%,$(wildcard tools/*/go.mod))

.DEFAULT_GOAL := help
.PHONY: help build install test lint fmt tidy fuzz bench demo live docs cover clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-8s %s\n", $$1, $$2 }' Makefile

build: ## build bin/agentctl
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/agentctl ./cmd/agentctl

install: ## install agentctl into GOBIN
	go install -trimpath -ldflags '$(LDFLAGS)' ./cmd/agentctl

test: ## run all tests, also those of the sample tool packages
	go test $(TESTFLAGS) $(PKGS)
	@set -e; for dir in $(NESTED); do echo "go test ./... # in $$dir"; (cd $$dir && go test $(TESTFLAGS) ./...); done

lint: ## run golangci-lint: linters and formatting
	golangci-lint run

fmt: ## format all Go files (gofumpt, goimports)
	golangci-lint fmt

tidy: ## tidy every go.mod
	@set -e; for dir in . $(NESTED); do echo "go mod tidy # in $$dir"; (cd $$dir && go mod tidy); done

fuzz: ## fuzz every parser of foreign bytes with FUZZTIME (1m or 1000x) each
	./scripts/fuzz.sh $(FUZZTIME)

bench: build ## measure speed; RUNS whole-process runs a side
	go test -run '^$$' -bench . -benchtime $(BENCHTIME) -benchmem ./internal/bench
	go run ./internal/bench -runs $(RUNS)

demo: build ## show the main job: no API key, no model
	./scripts/demo.sh

live: build ## chat with a real model and record it: MODEL, URL, KEY_ENV, WINDOW, TOOL_MODE, CASES (not part of test)
	./scripts/live.sh $(CASES)

docs: ## generate docs/commands, docs/man and docs/schemas
	go test ./internal/cli -run "^TestDocs$$" -update

cover: ## test coverage over the whole program, in coverage.html
	go test -coverpkg=$(PKGS) -coverprofile=coverage.out $(PKGS)
	go tool cover -html=coverage.out -o coverage.html
	go tool cover -func=coverage.out | tail -n 1

clean: ## remove what was built
	rm -rf bin coverage.out coverage.html
