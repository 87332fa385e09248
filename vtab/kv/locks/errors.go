package locks

import "errors"

// ErrMode: the request names no lock mode (kv.LockNone or an unknown one).
var ErrMode = errors.New("not a lock mode that can be requested")
