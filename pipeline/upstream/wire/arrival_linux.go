package wire

import (
	"cmp"
	"net"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// pollArrival is how often the system is asked whether the other side has everything.
const pollArrival = 10 * time.Millisecond

// acknowledged is the arrival at which the machine at the other end has acknowledged all that was
// written: at answers of 3 s, 99 % of what a minute allows instead of 95 %
// (docs/decisions/0012-prefetching-pages). Of a request, net/http tells that it was written while
// it is in a buffer still, so only the connection knows.
type acknowledged struct {
	now func() time.Time
	mu  sync.Mutex
	// writes counts them, and all is when all of them had arrived.
	writes int
	all    time.Time
}

func newArrival(now func() time.Time) arrival { return &acknowledged{now: now} }

// begin implements arrival: until the bytes have arrived, nothing has.
func (a *acknowledged) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = time.Time{}
	a.writes++
}

// written implements arrival. It asks until everything has arrived, more is written or the
// connection is closed.
func (a *acknowledged) written(conn net.Conn) {
	a.mu.Lock()
	write := a.writes
	a.mu.Unlock()
	go func() {
		ticker := time.NewTicker(pollArrival)
		defer ticker.Stop()
		for left, err := unacknowledged(conn); err == nil && !a.look(write, left == 0); left, err = unacknowledged(conn) {
			<-ticker.C
		}
	}()
}

// look notes the arrival, and says whether there is nothing more to wait for.
func (a *acknowledged) look(write int, all bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if all && a.writes == write {
		a.all = a.now() // after the question: what is behind it only makes it later
	}
	return all || a.writes != write
}

// at implements arrival.
func (a *acknowledged) at() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all
}

// unacknowledged is how many bytes of a TCP connection are not acknowledged yet; tcp(7).
func unacknowledged(conn net.Conn) (int, error) {
	socket, _ := conn.(*net.TCPConn) // nil is refused below
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, err
	}
	var left int
	var refused error
	err = raw.Control(func(fd uintptr) { left, refused = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) })
	return left, cmp.Or(err, refused)
}
