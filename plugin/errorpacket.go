package plugin

import (
	"net"

	"github.com/dolthub/vitess/go/mysql"
)

// answerConn writes what the protocol layer answers. That layer ends the
// connection when a statement fails after a part of its result was sent: it
// cannot write an error there, though the protocol allows one in place of the
// packet that ends the result. This does it instead.
type answerConn struct {
	net.Conn
	// instead replaces the next packet. Set by the goroutine that writes.
	instead *mysql.SQLError
}

// Write writes the packets in p, or the error in place of the one in p.
func (c *answerConn) Write(p []byte) (int, error) {
	if c.instead == nil || len(p) < packetHeader {
		return c.Conn.Write(p)
	}
	packet := errorPacket(p[packetHeader-1], c.instead)
	c.instead = nil
	if _, err := c.Conn.Write(packet); err != nil {
		return 0, err
	}
	return len(p), nil
}

// packetHeader is the length of a packet's header: the payload's in three bytes,
// the sequence number in one.
const packetHeader = 4

// errorPacket is ERR_Packet of MySQL's protocol, version 4.1.
func errorPacket(sequence byte, e *mysql.SQLError) []byte {
	packet := []byte{0, 0, 0, sequence, 0xff, byte(e.Num), byte(e.Num >> 8), '#'}
	packet = append(packet, e.State...)
	packet = append(packet, e.Message...)
	payload := len(packet) - packetHeader
	packet[0], packet[1], packet[2] = byte(payload), byte(payload>>8), byte(payload>>16)
	return packet
}

// answerInstead has the error take the place of the packet that will end the
// result, of which a part was sent. It reports whether that is possible: not for
// a cursor, whose result another goroutine writes.
func answerInstead(c *mysql.Conn, cursor bool, batches int, e *mysql.SQLError) bool {
	conn, ok := c.Conn.(*answerConn)
	if !ok {
		return false
	}
	// That a prepared statement feeds a cursor is known for certain only after the
	// second batch was taken.
	if cursor && (batches < 2 || c.StatusFlags&uint16(mysql.ServerCursorExists) != 0) {
		return false
	}
	if err := c.FlushBuffer(); err != nil {
		return false
	}
	conn.instead = e
	return true
}
