package toolpkg

import (
	"fmt"
	"slices"
	"strings"
)

// CheckGrants refuses names that the package does not declare, for grants that
// a person just typed. The error is an [*EnvError].
func (p *Package) CheckGrants(names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(p.Env, func(v EnvVar) bool { return v.Name == name }) {
			return &EnvError{
				Package: p.Name, Name: name, Reason: "is not declared by the package",
				Hint: "it declares " + declaredNames(p.Env),
			}
		}
	}
	return nil
}

// grantEnv is the environment that a call gets: what the package declares and
// the user grants and the host has. A grant of something else is of no effect.
// The error is an [*EnvError].
func grantEnv(p *Package, granted []string, getenv func(string) (string, bool)) (env map[string]string, secrets []secret, err error) {
	env = map[string]string{}
	for _, v := range p.Env {
		if forbiddenVariable(v.Name) != "" {
			return nil, nil, &BrokenError{Package: p.Name, Reason: fmt.Sprintf("it declares %q, which no package may have", v.Name)}
		}
		value, ok, err := grantOne(p, v, granted, getenv)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			continue
		}
		env[v.Name] = value
		if v.Secret {
			secrets = append(secrets, secret{v.Name, value})
		}
	}
	return env, secrets, nil
}

func grantOne(p *Package, v EnvVar, granted []string, getenv func(string) (string, bool)) (value string, ok bool, err error) {
	if !slices.Contains(granted, v.Name) {
		if !v.Required {
			return "", false, nil
		}
		return "", false, &EnvError{
			Package: p.Name, Name: v.Name, Reason: "is required and not granted",
			Hint: fmt.Sprintf("grant it in your own configuration (agentctl config path) with tools: {env: {%s: [%s]}}", p.Name, v.Name), Ungranted: true,
		}
	}
	value, ok = getenv(v.Name)
	if value == "" && v.Required { // as CI systems leave a secret that nobody made
		return "", false, &EnvError{
			Package: p.Name, Name: v.Name, Reason: "is required and not set",
			Hint: fmt.Sprintf("export %s=… before agentctl starts", v.Name),
		}
	}
	return value, ok, nil
}

func declaredNames(vars []EnvVar) string {
	if len(vars) == 0 {
		return "none"
	}
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = v.Name
	}
	return strings.Join(names, ", ")
}
