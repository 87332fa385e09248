package pebblekv

import (
	"bytes"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// memoryFallbackBytes is assumed where the machine cannot be asked.
const memoryFallbackBytes = 4 << 30

// MachineMemory is the number of bytes of memory this process may count on: the
// least of the machine's memory, the limit of its control group, and the limit
// set in the Go runtime (GOMEMLIMIT).
func MachineMemory() int64 {
	memory := int64(math.MaxInt64)
	if meminfo, err := os.ReadFile("/proc/meminfo"); err == nil {
		memory = min(memory, parseMeminfo(meminfo))
	}
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if limit, err := os.ReadFile(path); err == nil {
			memory = min(memory, parseLimit(limit))
		}
	}
	memory = min(memory, debug.SetMemoryLimit(-1)) // a negative limit only asks
	if memory == math.MaxInt64 {
		return memoryFallbackBytes
	}
	return memory
}

// parseMeminfo reads MemTotal out of the text of /proc/meminfo (proc(5)).
func parseMeminfo(text []byte) int64 {
	for line := range bytes.Lines(text) {
		fields := strings.Fields(string(line))
		if len(fields) >= 2 && fields[0] == "MemTotal:" {
			if kib, err := strconv.ParseInt(fields[1], 10, 64); err == nil && kib > 0 {
				return kib << 10
			}
		}
	}
	return math.MaxInt64
}

// parseLimit reads a control group's limit: a number of bytes, or "max".
func parseLimit(text []byte) int64 {
	limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || limit <= 0 {
		return math.MaxInt64
	}
	return limit
}
