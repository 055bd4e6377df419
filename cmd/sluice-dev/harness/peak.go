package harness

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

const kilobyte = 1 << 10

// Peak returns the highest resident memory of this process so far, in bytes.
//
// What a parent gets at the end of its child is useless. On Linux it includes the parent's memory at
// the start of the child, since both share it until the child's program begins (getrusage,
// ru_maxrss).
func Peak() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if errors.Is(err, fs.ErrNotExist) { // elsewhere than on Linux there is no such file
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			return 0, fmt.Errorf("ask what memory this process took: %w", err)
		}
		if runtime.GOOS == "darwin" { // it counts bytes, and all others kilobytes
			return usage.Maxrss, nil
		}
		return usage.Maxrss * kilobyte, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read what memory this process took: %w", err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	figure, _, _ := bytes.Cut(rest, []byte(" kB"))
	kilobytes, err := strconv.ParseInt(string(bytes.TrimSpace(figure)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read what memory this process took: %w", err)
	}
	return kilobytes * kilobyte, nil
}
