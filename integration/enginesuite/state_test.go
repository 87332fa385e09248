package enginesuite

import (
	"encoding/binary"
	"net"
)

// stateBlind shows SQLSTATE HY000 for every error. The suite compares error
// texts and cuts off the number and state only where the state is the engine's
// own default; Freshet sends MySQL's.
type stateBlind struct {
	net.Conn
	at     int               // bytes of the packet at hand that are read
	header [errorHeader]byte // its first bytes
	length int               // its whole length once the first 4 bytes are read
}

// An error packet: 4 bytes of frame (the first 3 its length), 0xff, the number
// in 2 bytes, '#', the state in 5.
const (
	frameSize   = 4
	errorHeader = 13
	stateStart  = 8
)

// Read implements net.Conn. Packets may come in any pieces; a state that is
// itself torn between two reads stays as it is.
func (c *stateBlind) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	for i := 0; i < n; {
		if c.at < errorHeader && (c.at < frameSize || c.at < c.length) {
			c.header[c.at] = b[i]
			c.at++
			i++
			if c.at == frameSize {
				c.length = frameSize + (int(c.header[0]) | int(c.header[1])<<8 | int(c.header[2])<<16)
			}
			if c.at == errorHeader && i >= errorHeader-stateStart && c.blind() {
				copy(b[i-(errorHeader-stateStart):i], "HY000")
			}
		} else {
			skip := min(c.length-c.at, n-i)
			c.at += skip
			i += skip
		}
		if c.at >= frameSize && c.at == c.length {
			c.at, c.length = 0, 0
		}
	}
	return n, err
}

// blind reports whether the packet at hand is an error whose state is hidden.
func (c *stateBlind) blind() bool {
	return c.header[4] == 0xff && c.header[7] == '#' && string(c.header[stateStart:]) != userState &&
		!engineStates[binary.LittleEndian.Uint16(c.header[5:])]
}

// engineStates are numbers that the engine itself sends with a state.
var engineStates = map[uint16]bool{
	1213: true, // deadlock
	1305: true, // no such procedure
	1339: true, // CASE without a match
	1643: true, // SIGNAL of class "not found"
	1644: true, // SIGNAL
}

// userState is the state that SIGNAL gives to a procedure's own errors.
const userState = "45000"
