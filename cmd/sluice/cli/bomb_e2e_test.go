//go:build e2e && !race

package cli

import (
	"testing"

	"sluice/cmd/sluice-bench/peak"
)

// TestABombIsBoundedInMemory: a small body that decompresses to a gigabyte costs the process no
// more than the largest page and its rows.
func TestABombIsBoundedInMemory(t *testing.T) { //nolint:paralleltest // beside others a collection comes late
	f := newFaultFixtureOf(t, false, small)
	f.fault("gzip_bomb", 0, 0)
	p := f.start("sync", f.name)
	f.until("the bomb came twice", `SELECT count(*) >= 2 FROM sluice.calls WHERE resource = 'bills' AND finished_at IS NOT NULL`)
	used, err := peak.Of(p.cmd.Process.Pid)
	must(t, err)
	if mib := used >> 20; mib > mostMemory {
		t.Errorf("the process took %d MiB, and %d are enough", mib, mostMemory)
	} else {
		t.Logf("the process took %d MiB", mib)
	}
	p.terminate()
	<-p.done
}
