package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// tariff is the plan of the organization upstream: 10 calls at once.
const tariff = "premium"

// sandbox is the upstream of a measurement, a process of its own, in its own description.
type sandbox struct {
	URL          string `json:"url"`
	Organization string `json:"organization_id"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`
}

// upstream runs work beside a sandbox that is started with flags. Each measurement has a new one,
// since a sandbox issues at most ten tokens in ten minutes.
func (s *stage) upstream(ctx context.Context, work func(u *sandbox) error, flags ...string) error {
	args := append([]string{"sandbox", "--listen", "127.0.0.1:0", "--json"}, flags...)
	cmd := exec.CommandContext(ctx, s.program, args...) //nolint:gosec // the program under test
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	said, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("prepare the sandbox: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the sandbox (make build builds %s): %w", s.program, err)
	}
	var u sandbox
	if err = json.NewDecoder(said).Decode(&u); err == nil {
		err = work(&u)
	}
	return errors.Join(err, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait())
}

// stats holds the sandbox's counts.
type stats struct {
	Calls    int            `json:"calls"`
	ByStatus map[string]int `json:"by_status"`
}

// stats reads the counts.
func (u *sandbox) stats(ctx context.Context) (stats, error) {
	const limit = 10 * time.Second
	var counted stats
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.URL+"/_sandbox/stats", http.NoBody)
	if err != nil {
		return counted, fmt.Errorf("ask for the count: %w", err)
	}
	response, err := new(http.Client).Do(request)
	if err != nil {
		return counted, fmt.Errorf("ask for the count: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // it was read
	if err := json.NewDecoder(response.Body).Decode(&counted); err != nil {
		return counted, fmt.Errorf("read the count: %w", err)
	}
	return counted, nil
}
