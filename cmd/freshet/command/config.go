package command

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/pflag"

	"github.com/freshetdb/freshet/vtab/kv"
)

// envPrefix starts the environment variables that set flags.
const envPrefix = "FRESHET_"

// configFlag names the file that the other settings may come from.
const configFlag = "config"

// applySettings sets the flags that the command line did not: from the
// environment, else from the file named by --config. Keys that no flag has are
// refused, so that a misspelled one is not silently without effect.
func applySettings(flags *pflag.FlagSet, env []string) error {
	fromEnv, err := environment(flags, env)
	if err != nil {
		return err
	}
	if err := setUnset(flags, fromEnv, func(name string) string { return envName(name) }); err != nil {
		return err
	}
	path := flags.Lookup(configFlag).Value.String()
	if path == "" {
		return nil
	}
	fromFile, err := readConfig(flags, path)
	if err != nil {
		return err
	}
	return setUnset(flags, fromFile, func(name string) string { return name + " in " + path })
}

func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// environment returns the settings in env by flag name.
func environment(flags *pflag.FlagSet, env []string) (map[string]string, error) {
	names := map[string]string{}
	flags.VisitAll(func(f *pflag.Flag) { names[envName(f.Name)] = f.Name })
	settings := map[string]string{}
	for _, entry := range env {
		key, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(key, envPrefix) || ignoredEnv[key] {
			continue
		}
		name, ok := names[key]
		if !ok {
			return nil, &usageError{fmt.Errorf("the environment variable %s is not a setting", key)}
		}
		settings[name] = value
	}
	return settings, nil
}

// ignoredEnv are variables of the test suites, which a server started from one
// inherits.
var ignoredEnv = map[string]bool{"FRESHET_SHARED": true, "FRESHET_SLT": true}

func readConfig(flags *pflag.FlagSet, path string) (map[string]string, error) {
	var file map[string]any
	if _, err := toml.DecodeFile(path, &file); err != nil {
		return nil, &usageError{fmt.Errorf("reading the configuration %s: %w", path, err)}
	}
	settings := map[string]string{}
	for key, value := range file {
		if flags.Lookup(key) == nil || key == configFlag || key == "help" {
			return nil, &usageError{fmt.Errorf("%s: %q is not a setting", path, key)}
		}
		switch value.(type) {
		case string, bool, int64, float64:
			settings[key] = fmt.Sprint(value)
		default:
			return nil, &usageError{fmt.Errorf("%s: %q must be a single value", path, key)}
		}
	}
	return settings, nil
}

// setUnset sets flags that nothing has set before.
func setUnset(flags *pflag.FlagSet, settings map[string]string, source func(flag string) string) error {
	names := make([]string, 0, len(settings))
	for name := range settings {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if flags.Changed(name) {
			continue
		}
		if err := flags.Set(name, settings[name]); err != nil {
			return &usageError{fmt.Errorf("%s: %w", source(name), errors.Unwrap(err))}
		}
	}
	return nil
}

// durabilityValue is a flag that holds a kv.Durability.
type durabilityValue kv.Durability

var durabilityNames = map[string]kv.Durability{
	"commit": kv.DurabilityCommit, "interval": kv.DurabilityInterval, "none": kv.DurabilityNone,
}

// String implements pflag.Value.
func (v *durabilityValue) String() string {
	for name, d := range durabilityNames {
		if d == kv.Durability(*v) {
			return name
		}
	}
	return ""
}

// Set implements pflag.Value.
func (v *durabilityValue) Set(text string) error {
	d, ok := durabilityNames[text]
	if !ok {
		return fmt.Errorf("%q is not one of commit, interval, none", text)
	}
	*v = durabilityValue(d)
	return nil
}

// Type implements pflag.Value.
func (v *durabilityValue) Type() string { return "commit|interval|none" }

// levelValue is a flag that holds a slog.Level.
type levelValue struct{ slog.Level }

// String implements pflag.Value.
func (v *levelValue) String() string { return strings.ToLower(v.Level.String()) }

// Set implements pflag.Value.
func (v *levelValue) Set(text string) error {
	if err := v.UnmarshalText([]byte(text)); err != nil {
		return fmt.Errorf("%q is not one of debug, info, warn, error", text)
	}
	return nil
}

// Type implements pflag.Value.
func (v *levelValue) Type() string { return "debug|info|warn|error" }

// environ is the process's environment.
func environ() []string { return os.Environ() }
