package flow

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// Peak is the most memory that this process had resident so far, in bytes. A process has to say it about itself: what the system tells its
// parent at its end counts on Linux what the parent held when it started the child, too, since both share their memory until the
// child's program begins (getrusage, ru_maxrss).
func Peak() (int64, error) {
	const kilobyte = 1 << 10
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		if _, rest, found := bytes.Cut(status, []byte("VmHWM:")); found {
			kilobytes, err := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("read what memory this process took: %w", err)
			}
			return kilobytes * kilobyte, nil
		}
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("ask what memory this process took: %w", err)
	}
	if runtime.GOOS == "darwin" { // which counts bytes, and all others kilobytes
		return usage.Maxrss, nil
	}
	return usage.Maxrss * kilobyte, nil
}
