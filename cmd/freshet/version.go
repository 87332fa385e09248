package main

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/freshetdb/freshet/plugin"
)

// parts are the modules whose versions say what a binary can do.
var parts = []string{"github.com/dolthub/go-mysql-server", "github.com/cockroachdb/pebble/v2"}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			fmt.Fprintf(c.OutOrStdout(), "freshet %s, as MySQL %s\n", revision(), plugin.ServerVersion)
			build, ok := debug.ReadBuildInfo()
			if !ok {
				return nil
			}
			for _, m := range build.Deps {
				if slices.Contains(parts, m.Path) {
					fmt.Fprintf(c.OutOrStdout(), "%s %s\n", m.Path, m.Version)
				}
			}
			return nil
		},
	}
}

// revision is the module version or, in a checkout, the commit.
func revision() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return build.Main.Version
}
