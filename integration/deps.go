//go:build deps

package integration

import (
	_ "github.com/BurntSushi/toml"
	_ "github.com/anishathalye/porcupine"
	_ "github.com/cespare/xxhash/v2"
	_ "github.com/cockroachdb/apd/v3"
	_ "github.com/cockroachdb/datadriven"
	_ "github.com/cockroachdb/pebble/v2"
	_ "github.com/dolthub/go-mysql-server/enginetest"
	_ "github.com/dolthub/sqllogictest/go/logictest"
	_ "github.com/go-sql-driver/mysql"
	_ "github.com/prometheus/client_golang/prometheus/promhttp"
	_ "github.com/spf13/cobra"
	_ "github.com/stretchr/testify/require"
	_ "github.com/tidwall/btree"
	_ "golang.org/x/sys/unix"
	_ "honnef.co/go/tools/cmd/staticcheck"
	_ "pgregory.net/rapid"
)
