package command

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

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
			build, ok := debug.ReadBuildInfo()
			if !ok {
				build = &debug.BuildInfo{Main: debug.Module{Version: "unknown"}}
			}
			_, err := io.WriteString(c.OutOrStdout(), describe(build))
			return err
		},
	}
}

// describe is what version says of a build.
func describe(build *debug.BuildInfo) string {
	var text strings.Builder
	fmt.Fprintf(&text, "freshet %s, as MySQL %s\n", revision(build), plugin.ServerVersion)
	for _, m := range build.Deps {
		if slices.Contains(parts, m.Path) {
			fmt.Fprintf(&text, "%s %s\n", m.Path, m.Version)
		}
	}
	return text.String()
}

// revision is the module version or, in a checkout, the commit.
func revision(build *debug.BuildInfo) string {
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return build.Main.Version
}
