package correct

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
)

func exactEqual(ctx context.Context, typ sql.Type, a, b any) (bool, error) { return a == b, nil }
