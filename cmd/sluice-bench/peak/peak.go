// Package peak says how much memory a process had resident at most.
//
// What the system tells a parent at the end of its child does not do: on Linux it counts what the parent held when it started the child,
// too, since both share their memory until the child's program begins (getrusage, ru_maxrss).
package peak

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

// Self gives the peak of this process so far, in bytes.
func Self() (int64, error) {
	if most, err := of("self"); !errors.Is(err, fs.ErrNotExist) { // elsewhere than on Linux there is no such file
		return most, err
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

// Of gives that of another process that has not ended, in bytes; only Linux tells.
func Of(pid int) (int64, error) { return of(strconv.Itoa(pid)) }

func of(process string) (int64, error) {
	status, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		return 0, fmt.Errorf("read what memory process %s took: %w", process, err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	figure, _, _ := bytes.Cut(rest, []byte(" kB"))
	kilobytes, err := strconv.ParseInt(string(bytes.TrimSpace(figure)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read what memory process %s took: %w", process, err)
	}
	return kilobytes * kilobyte, nil
}
