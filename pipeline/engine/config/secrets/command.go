package secrets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// commandLimit bounds a command of exec:. closing is how long its output may stay open after
	// its end, because a process that it started has it.
	commandLimit = 10 * time.Second
	closing      = time.Second
)

// command runs a command and returns what it printed. It runs without a shell, with nothing to
// read, in a process group of its own, which ends with it. It does not get the sealing key. Errors
// name the program alone: its arguments may hold values of variables, and what it says a secret.
func (s Source) command(line string) (string, error) {
	words, err := s.words(line)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(words[0]) {
		return "", errors.New("the program of exec: has to be an absolute path: write exec:/usr/bin/vault kv get …")
	}
	limit := s.Limit
	if limit <= 0 {
		limit = commandLimit
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the operator's configuration names it
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, encryptionKey) })
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = closing
	output := bounded{full: cancel}
	cmd.Stdout = &output
	if err = cmd.Run(); errors.Is(err, exec.ErrWaitDelay) {
		_ = cmd.Cancel() // what the command left behind
	}
	exited, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case output.overflown:
		return "", fmt.Errorf("the command %s printed more than %d bytes: it has to print the secret and nothing else", words[0], maxSecret)
	case errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil:
		return "", fmt.Errorf("the command %s ended, and a process that it started kept its output open", words[0])
	case ctx.Err() != nil:
		return "", fmt.Errorf("the command %s did not end within %s, and was killed", words[0], limit)
	case ended:
		return "", fmt.Errorf("the command %s ended with %s: run it by hand to see why", words[0], exited.ProcessState)
	case err != nil:
		return "", fmt.Errorf("the command %s did not start: %w", words[0], reason(err))
	}
	return output.text.String(), nil
}

// reason is why a program did not start, without its path and arguments.
func reason(err error) error {
	if failed, ok := errors.AsType[*os.PathError](err); ok {
		return failed.Err
	}
	if failed, ok := errors.AsType[*exec.Error](err); ok {
		return failed.Err
	}
	return err
}

// bounded takes what a secret may have at most, and calls full at more.
type bounded struct {
	text      bytes.Buffer
	full      func()
	overflown bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.text.Len()+len(p) > maxSecret {
		b.overflown = true
		b.full()
		return len(p), nil
	}
	return b.text.Write(p)
}

// words splits a command line at blanks. ${NAME} is replaced after the splitting, so the value of a
// variable stays one word.
func (s Source) words(line string) ([]string, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, errors.New("exec: names no command: write exec:/path/of/program argument …")
	}
	for i := range words {
		var err error
		if words[i], err = s.Expand(words[i]); err != nil {
			return nil, err
		}
	}
	return words, nil
}
