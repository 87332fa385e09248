package command

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/freshetdb/freshet/plugin"
)

// errFound: check found something.
var errFound = errors.New("the store is damaged; the list above says where")

func newCheck() *cobra.Command {
	var data string
	c := &cobra.Command{
		Use:   "check",
		Short: "Check a data folder that no server has open",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if data == "" {
				data = os.Getenv(envName("data"))
			}
			if data == "" {
				return &usageError{fmt.Errorf("--data, or %s, is required: the folder to check", envName("data"))}
			}
			report, err := plugin.Check(c.Context(), plugin.Options{Dir: data})
			if errors.Is(err, plugin.ErrNoStore) {
				return &usageError{fmt.Errorf("--data: %w", err)}
			}
			for _, finding := range append(report.Problems, report.Notes...) {
				fmt.Fprintln(c.OutOrStdout(), finding)
			}
			if err != nil {
				return fmt.Errorf("checking %s: %w", data, err)
			}
			if len(report.Problems) > 0 {
				return errFound
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: %d objects, %d rows, %d index entries: no difference found\n", data, report.Objects, report.Rows, report.IndexEntries)
			return nil
		},
	}
	c.Flags().StringVar(&data, "data", "", "data folder")
	return c
}
