package wire

import (
	"net"
	"syscall"
	"unsafe"
)

// unacknowledged is how many bytes of a TCP connection the other side has not acknowledged
// yet; false if the system does not say.
func unacknowledged(conn net.Conn) (int, bool) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return 0, false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return 0, false
	}
	var (
		left  int32
		errno syscall.Errno
	)
	err = raw.Control(func(fd uintptr) {
		// SIOCOUTQ: bytes not sent, and sent but not acknowledged; tcp(7).
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCOUTQ, uintptr(unsafe.Pointer(&left))) //nolint:gosec // as the call wants it
	})
	return int(left), err == nil && errno == 0
}
