package wire

import (
	"cmp"
	"net"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// pollArrival is how often the operating system is asked whether upstream's machine has
// acknowledged everything.
const pollArrival = 10 * time.Millisecond

// acknowledged is an arrival that ends when upstream's machine has acknowledged all that was
// written. With answers of 3 s, it allows 99 % of the calls of a minute instead of 95 %
// (docs/decisions/0011-budgets). Package net/http reports a request as written while it
// is still in a buffer, so only the connection knows.
type acknowledged struct {
	now func() time.Time
	mu  sync.Mutex
	// writes counts the writes; all is when all of them had arrived.
	writes int
	all    time.Time
}

func newArrival(now func() time.Time) arrival { return &acknowledged{now: now} }

// begin implements arrival: until the new bytes have arrived, the request has not.
func (a *acknowledged) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = time.Time{}
	a.writes++
}

// written implements arrival. It polls until everything has arrived, more is written or the
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

// look notes the arrival, and says whether polling can end.
func (a *acknowledged) look(write int, all bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if all && a.writes == write {
		a.all = a.now() // read after the poll: a delay makes the instant later, which is safe
	}
	return all || a.writes != write
}

// at implements arrival.
func (a *acknowledged) at() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all
}

// unacknowledged is how many bytes of a TCP connection are not acknowledged yet; see tcp(7).
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
