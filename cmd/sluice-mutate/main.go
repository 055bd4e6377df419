// Command sluice-mutate puts deliberate bugs into the program, one at a time, and demands that the
// tests catch each: an invariant that no test would miss is not kept by the tests. make mutate runs
// it, and -list lists the bugs with the tests that catch them.
//
// No bug is in the program's own files: go test reads changed copies of them instead (-overlay). A
// bug whose place in the code is gone fails, too, so that the list keeps up with the code.
//
// Start reading at bugs.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"sluice/cmd/sluice-sandbox/local"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sluice-mutate:", err)
		os.Exit(1)
	}
}

// A bug is one possible mistake.
type bug struct {
	// Name is one word or a few, Says what goes wrong.
	Name, Says string
	// Edits make the bug; each Old occurs exactly once in its file.
	Edits []edit
	// Package and Run name the tests that catch it, Args their additional arguments.
	Package, Run string
	Args         []string
}

type edit struct{ File, Old, New string }

// verdict is the result of a bug.
type verdict struct {
	bug    bug
	by     string
	took   time.Duration
	caught bool
	err    error
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("sluice-mutate", flag.ContinueOnError)
	only := flags.String("only", "", "only bugs whose name matches this expression")
	jobs := flags.Int("jobs", 3, "how many are tried at once")
	list := flags.Bool("list", false, "list the bugs and try none")
	oneIn := flags.Int("one-in", 1, "try one in so many of the bugs")
	offset := flags.Int("offset", 0, "which of them: another number, other bugs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *oneIn < 1 || *offset < 0 {
		return errors.New("-one-in is positive and -offset not negative: see -help")
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	var chosen []bug
	all := bugs()
	for i, b := range all {
		if i%*oneIn == *offset%*oneIn && match.MatchString(b.Name) {
			chosen = append(chosen, b)
		}
	}
	if *list {
		for _, b := range chosen {
			fmt.Fprintf(out, "%-34s %s: %s (%s)\n", b.Name, b.Says, strings.Trim(b.Run, "^$"), b.Package)
		}
		return nil
	}
	dir, err := os.MkdirTemp("", "zoo")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// One server for all: starting one takes longer than most of the tests.
	server, err := local.Start(ctx, local.Options{InMemory: true})
	if err != nil {
		return fmt.Errorf("start Postgres: %w", err)
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	if err := errors.Join(os.Unsetenv("SLUICE_TEST_TEMPLATES"), // a bug may be in the code that makes them
		os.Setenv("SLUICE_TEST_POSTGRES", "auto"), os.Setenv("SLUICE_TEST_DATABASE_URL", server.URL())); err != nil {
		return err
	}
	escaped := 0
	for v := range tried(ctx, dir, chosen, *jobs) {
		how := "caught by " + v.by
		if !v.caught {
			escaped++
			how = "NOT CAUGHT"
		}
		if v.err != nil {
			how = "NOT TRIED: " + v.err.Error()
		}
		fmt.Fprintf(out, "%-34s %5.1f s  %s\n", v.bug.Name, v.took.Seconds(), how)
	}
	fmt.Fprintf(out, "%d of %d bugs caught, of %d in all\n", len(chosen)-escaped, len(chosen), len(all))
	if escaped > 0 || len(chosen) == 0 {
		return fmt.Errorf("%d bugs were not caught", escaped)
	}
	return ctx.Err()
}

// tried tries the bugs, a few at once, and yields the verdicts in the order of their ends.
func tried(ctx context.Context, dir string, chosen []bug, jobs int) <-chan verdict {
	todo, done := make(chan int), make(chan verdict)
	var workers sync.WaitGroup
	for range max(jobs, 1) {
		workers.Go(func() {
			for i := range todo {
				begun := time.Now()
				by, err := chosen[i].try(ctx, filepath.Join(dir, strconv.Itoa(i)))
				done <- verdict{bug: chosen[i], by: by, caught: by != "", err: err, took: time.Since(begun)}
			}
		})
	}
	go func() {
		for i := range chosen {
			todo <- i
		}
		close(todo)
		workers.Wait()
		close(done)
	}()
	return done
}

// try runs the tests of a bug over the changed files; it returns the failed test, "" if none
// failed.
func (b bug) try(ctx context.Context, dir string) (string, error) {
	overlay, err := b.overlay(dir)
	if err != nil {
		return "", err
	}
	// Leave out the linker's debug notes, and vet, which the bugs pass anyway: that saves half of
	// the time.
	args := []string{"test", "-tags=e2e", "-vet=off", "-ldflags=-s -w", "-count=1", "-failfast", "-timeout=15m", "-overlay=" + overlay, "-run=" + b.Run}
	args = append(append(args, "./"+b.Package), b.Args...)
	command := exec.CommandContext(ctx, "go", args...) //nolint:gosec // arguments of ours
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	said, err := command.CombinedOutput()
	switch {
	case err == nil:
		if bytes.Contains(said, []byte("no tests to run")) {
			return "", fmt.Errorf("no test of %s is called %s", b.Package, b.Run)
		}
		return "", nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	if b.Package == simulated {
		// Only a broken invariant counts there: it names the seed.
		if seed := regexp.MustCompile(`seed (\d+): (.*)`).FindSubmatch(said); seed != nil {
			return fmt.Sprintf("seed %s: %s", seed[1], seed[2]), nil
		}
	} else if failed := regexp.MustCompile(`--- FAIL: (\w+)`).FindSubmatch(said); failed != nil {
		return string(failed[1]), nil
	}
	if bytes.Contains(said, []byte("test timed out")) {
		return "", fmt.Errorf("%s was not done after 15 minutes", b.Run)
	}
	if bytes.Contains(said, []byte("panic:")) {
		return b.Run + " (it ended in a panic)", nil
	}
	return "", fmt.Errorf("%w: %s", err, lastLines(said))
}

// overlay writes the changed files and the overlay file that replaces the originals by them.
func (b bug) overlay(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	texts := map[string]string{}
	for _, e := range b.Edits {
		text, known := texts[e.File]
		if !known {
			raw, err := os.ReadFile(e.File)
			if err != nil {
				return "", err
			}
			text = string(raw)
		}
		if n := strings.Count(text, e.Old); n != 1 {
			return "", fmt.Errorf("%q occurs %d times in %s: adapt the bug to the code as it is now", e.Old, n, e.File)
		}
		texts[e.File] = strings.Replace(text, e.Old, e.New, 1)
	}
	replace := map[string]string{}
	for name, text := range texts {
		path, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		changed := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[path] = changed
	}
	if len(replace) == 0 {
		return "", errors.New("a bug without an edit is none")
	}
	note, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, note, 0o600)
}

func lastLines(said []byte) string {
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return strings.Join(lines[max(0, len(lines)-4):], " | ")
}
