package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"sluice/cmd/sluice-bench/baseline"
	"sluice/pipeline/warehouse/report"
)

// synced is what one worker did and took.
type synced struct {
	runs []report.Run
	// process is the time from start to end of the process, cpu what it computed.
	process, cpu time.Duration
	// peak is the most memory that it had resident, in bytes.
	peak int64
}

// sum gives the records read, the rows written to the resources' own tables, and
// the calls made, over all runs.
func (s *synced) sum() (int64, int64, int64) {
	var read, written, calls int64
	for i := range s.runs {
		read += s.runs[i].Received
		written += s.runs[i].Inserted + s.runs[i].Updated
		calls += s.runs[i].Calls
	}
	return read, written, calls
}

// sync copies streams into the warehouse, in a worker of its own.
func (w *warehouse) sync(ctx context.Context, upstream *sandbox, profile string, streams ...string) (*synced, error) {
	if err := w.do(ctx, baseline.Checkpoint); err != nil {
		return nil, err
	}
	config, err := w.configure(upstream)
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	args := append([]string{workerRole, "-config", config.path, "-cpuprofile", profile}, streams...)
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // this program itself
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Env, cmd.Stderr = config.environment, w.stage.log
	began := time.Now()
	said, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("sync %v: %w", streams, err)
	}
	result := &synced{process: time.Since(began), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	var answer worked
	if err := json.Unmarshal(said, &answer); err != nil {
		return nil, fmt.Errorf("read what the worker did: %w", err)
	}
	result.runs, result.peak = answer.Runs, answer.Peak
	return result, nil
}
