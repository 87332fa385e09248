package abuse

import (
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/integration/process"
)

// raw is a connection that speaks the protocol only as far as asked to.
type raw struct {
	net.Conn
	t *testing.T
}

func dial(t *testing.T, s *process.Server) *raw {
	t.Helper()
	conn, err := net.Dial("tcp", s.Address)
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	return &raw{conn, t}
}

// readPacket returns the payload of the next packet, nil when the connection
// has ended.
func (r *raw) readPacket() []byte {
	var header [4]byte
	if _, err := io.ReadFull(r.Conn, header[:]); err != nil {
		return nil
	}
	payload := make([]byte, int(header[0])|int(header[1])<<8|int(header[2])<<16)
	if _, err := io.ReadFull(r.Conn, payload); err != nil {
		return nil
	}
	return payload
}

// packet frames a payload.
func packet(sequence byte, payload []byte) []byte {
	framed := binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))
	framed[3] = sequence
	return append(framed, payload...)
}

// login answers the handshake as root without a password
// (Protocol::HandshakeResponse41).
func (r *raw) login() {
	r.t.Helper()
	require.NotNil(r.t, r.readPacket(), "no handshake")
	const (
		clientLongPassword = 1 << 0
		clientProtocol41   = 1 << 9
		clientSecure       = 1 << 15
		clientPluginAuth   = 1 << 19
		utf8mb4            = 45
	)
	response := binary.LittleEndian.AppendUint32(nil, clientLongPassword|clientProtocol41|clientSecure|clientPluginAuth)
	response = binary.LittleEndian.AppendUint32(response, 1<<24)
	response = append(response, utf8mb4)
	response = append(response, make([]byte, 23)...)
	response = append(response, "root\x00"...)
	response = append(response, 0)
	response = append(response, "mysql_native_password\x00"...)
	_, err := r.Write(packet(1, response))
	require.NoError(r.t, err)
	answer := r.readPacket()
	require.NotEmpty(r.t, answer)
	require.Zero(r.t, answer[0], "login: %q", answer)
}

// drain reads until the server closes the connection or says nothing for a while.
func (r *raw) drain(quiet time.Duration) {
	_ = r.SetReadDeadline(time.Now().Add(quiet))
	_, _ = io.Copy(io.Discard, r.Conn)
}
