package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestABombIsBoundedInMemory: a small body that unfolds to a gigabyte costs the process no more than the bound of a page and what goes with
// it.
func TestABombIsBoundedInMemory(t *testing.T) {
	t.Parallel()
	const most = 256 * raceFactor // MiB; without the race detector a process that does little takes some 80
	f := newFaultStageOf(t, false, small)
	f.fault("gzip_bomb", 0, 0)
	p := f.start("sync", f.name)
	f.until("the bomb came twice", `SELECT count(*) >= 2 FROM sluice.calls WHERE resource = 'bills' AND finished_at IS NOT NULL`)
	if mib := p.peak(); mib > most {
		t.Errorf("the process took %d MiB, and %d are enough", mib, most)
	} else {
		t.Logf("the process took %d MiB", mib)
	}
	p.terminate()
	<-p.done
}

// peak is the most memory that the process had resident until now, in MiB. What the system tells at a process's end (getrusage) will not
// do: it counts what the process had before exec, which is what the process that started it had.
func (p *process) peak() int {
	p.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	must(p.t, err)
	_, rest, found := strings.Cut(string(data), "VmHWM:")
	line, _, _ := strings.Cut(rest, " kB")
	if !found {
		p.t.Fatal("this system does not say how much memory a process took")
	}
	kib, err := strconv.Atoi(strings.TrimSpace(line))
	must(p.t, err)
	return kib >> 10
}
