package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

var (
	// value is the figure at the end of a line of metrics, labelValue that of a label.
	value      = regexp.MustCompile(` \S+$`)
	labelValue = regexp.MustCompile(`="(\\.|[^"\\])*"`)
)

// serve starts the service for a moment and records its pages: of the metrics names, labels and
// help. It comes after all other pins of a journey, for which streams are copied meanwhile is a
// matter of time.
func (j *journey) serve(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("find a free port: %w", err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return fmt.Errorf("find a free port: %w", err)
	}
	cmd := exec.CommandContext(ctx, j.sluice, "--config", "config.yaml", "serve", "--listen", address)
	cmd.Dir, cmd.Env = j.folder, append(plainEnvironment(j.folder), j.environment...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start sluice serve: %w", err)
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = cmd.Wait()                          // what it says of its end is not recorded
	}()
	if err := waitFor(ctx, "http://"+address+"/readyz"); err != nil {
		return err
	}
	for _, page := range []string{"healthz", "readyz", "metrics", "nonsense"} {
		text, err := get(ctx, "http://"+address+"/"+page)
		if err != nil {
			return err
		}
		if page == "metrics" {
			text = metrics(text)
		}
		if err := j.pin(j.name+"/serve/"+page+".txt", j.masks.printed(text)); err != nil {
			return err
		}
	}
	return nil
}

// metrics are the lines of metrics about what they mean, and their names with those of their
// labels, sorted. Figures, and which streams are in which state by now, are left out.
func metrics(text string) string {
	var kept []string
	for _, line := range lines(text) {
		if !strings.HasPrefix(line, "#") {
			line = labelValue.ReplaceAllString(value.ReplaceAllString(line, ""), "=")
		}
		kept = append(kept, line)
	}
	slices.Sort(kept)
	return strings.Join(slices.Compact(kept), "\n")
}

// waitFor waits until a page answers well.
func waitFor(ctx context.Context, page string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		if text, err := get(ctx, page); err == nil && strings.HasPrefix(text, "HTTP 200") {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("sluice serve was not ready within a minute")
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// get gives the status and the body of a page.
func get(ctx context.Context, page string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return "", fmt.Errorf("ask sluice serve: %w", err)
	}
	response, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		return "", fmt.Errorf("ask sluice serve: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", fmt.Errorf("read what sluice serve answers: %w", err)
	}
	return fmt.Sprintf("HTTP %d %s\n%s", response.StatusCode, response.Header.Get("Content-Type"), body), nil
}
