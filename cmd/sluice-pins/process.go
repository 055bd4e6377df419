package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// commandLimit bounds one command of the program.
const commandLimit = 5 * time.Minute

// key seals tokens in these databases; it opens nothing else.
const key = "cGlucy1waW5zLXBpbnMtcGlucy1waW5zLXBpbnMtcGk="

// said is what a command printed, and its exit code.
type said struct {
	out, err string
	code     int
}

// text is all of it, for a pin.
func (s said) text() string {
	var b strings.Builder
	b.WriteString(s.out)
	if s.err != "" {
		fmt.Fprintf(&b, "-- standard error\n%s", s.err)
	}
	fmt.Fprintf(&b, "-- exit code %d\n", s.code)
	return b.String()
}

// sluiceWith runs the program with no more environment than it is given.
func (r *recorder) sluiceWith(ctx context.Context, environment []string, args ...string) (said, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	r.sayf("sluice %s", strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, r.sluice, args...)
	cmd.Dir = r.folder
	cmd.Env = append(plainEnvironment(r.folder), environment...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return said{}, fmt.Errorf("sluice %s did not end: %w\n%s", strings.Join(args, " "), ctx.Err(), errs.String())
	}
	if err != nil {
		if _, exited := errors.AsType[*exec.ExitError](err); !exited {
			return said{}, fmt.Errorf("start sluice: %w", err)
		}
	}
	return said{out: out.String(), err: errs.String(), code: cmd.ProcessState.ExitCode()}, nil
}

// plainEnvironment is that of every process: nothing of what a person has set reaches it, but for
// where Postgres is.
func plainEnvironment(home string) []string {
	environment := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LC_ALL=C", "TZ=UTC"}
	if bin := os.Getenv("SLUICE_POSTGRES_BIN"); bin != "" {
		environment = append(environment, "SLUICE_POSTGRES_BIN="+bin)
	}
	return environment
}

// upstream is a running sandbox.
type upstream struct {
	URL           string `json:"url"`
	Organization  string `json:"organization_id"`
	ClientID      string `json:"client_id"`
	ClientSecret  string `json:"client_secret"`
	RefreshToken  string `json:"refresh_token"`
	Organizations []struct {
		ID           string `json:"organization_id"`
		URL          string `json:"url"`
		RefreshToken string `json:"refresh_token"`
	} `json:"organizations"`

	cmd *exec.Cmd
}

// startUpstream starts a sandbox with limits off: the program keeps within them by itself.
func (r *recorder) startUpstream(ctx context.Context, args ...string) (*upstream, error) {
	args = append([]string{"sandbox", "--json", "--listen", "127.0.0.1:0", "--no-limits"}, args...)
	cmd := exec.CommandContext(ctx, r.sluice, args...)
	cmd.Env, cmd.Dir = plainEnvironment(r.folder), r.folder
	log, err := os.Create(filepath.Join(r.folder, "sandbox.log"))
	if err != nil {
		return nil, fmt.Errorf("open the log of the sandbox: %w", err)
	}
	defer func() { _ = log.Close() }() // the process has its own handle
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("read from the sandbox: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	u := &upstream{cmd: cmd}
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(u); err != nil {
		u.stop()
		return nil, fmt.Errorf("the sandbox said nothing that can be read: %w", err)
	}
	return u, nil
}

func (u *upstream) stop() {
	_ = u.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	_ = u.cmd.Wait()                          // it says how it was ended
}

// control asks for a change of the company, and gives what is answered.
func (u *upstream) control(ctx context.Context, path, body string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.URL+"/_sandbox/"+path, strings.NewReader(body))
	if err != nil {
		return "", fmt.Errorf("ask the sandbox: %w", err)
	}
	response, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		return "", fmt.Errorf("ask the sandbox: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	var answer bytes.Buffer
	if _, err := answer.ReadFrom(response.Body); err != nil {
		return "", fmt.Errorf("read what the sandbox answers: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the sandbox answers %s with %d: %s", path, response.StatusCode, answer.String())
	}
	return answer.String(), nil
}
