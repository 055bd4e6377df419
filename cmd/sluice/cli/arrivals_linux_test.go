package cli

import (
	"net"
	"net/http"
	"syscall"
	"time"
	"unsafe"
)

// sinceData is how long ago the system acknowledged the last bytes of a call, to a few
// milliseconds; 0 if it does not say.
func sinceData(r *http.Request) time.Duration {
	conn, ok := r.Context().Value(connKey{}).(*net.TCPConn)
	if !ok {
		return 0
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0
	}
	// struct tcp_info of linux/tcp.h: eight bytes, then words, of which the twelfth is
	// tcpi_last_data_recv, in milliseconds.
	var info struct {
		_        [8]byte
		_        [11]uint32
		lastData uint32
	}
	size := uint32(unsafe.Sizeof(info))
	var errno syscall.Errno
	err = raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	})
	if err != nil || errno != 0 {
		return 0
	}
	return time.Duration(info.lastData) * time.Millisecond
}
