package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// simulation records a line per simulated schedule: its seed, the SHA-256 of its trace and its last
// state.
func (r *recorder) simulation(ctx context.Context) error {
	if r.simulated == "" {
		return nil
	}
	file := filepath.Join(r.folder, "traces")
	cmd := exec.CommandContext(ctx, "go", "test", r.simulated, "-run", "^TestSchedules$", "-count=1", "-timeout=2h",
		"-schedules", strconv.Itoa(r.seeds), "-traces", file)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	traces, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the traces: %w", err)
	}
	return r.pin("simulation/traces.txt", string(traces))
}
