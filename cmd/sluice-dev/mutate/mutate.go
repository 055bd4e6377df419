// Package mutate puts deliberate bugs into the program, one at a time, and demands that the tests
// catch each: an invariant that no test would miss is not kept by the tests. make mutate runs it,
// and -list lists the bugs with what they break and the tests that catch them.
//
// No bug is in the program's own files: go test reads changed copies of them instead (-overlay). A
// bug whose place in the code is gone fails, too, so that the list keeps up with the code.
//
// Start reading at bugs.
package mutate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"sluice/pipeline/warehouse/warehousetest"
)

// A bug is one possible mistake.
type bug struct {
	// Breaks is the invariant or the proof that it breaks.
	Breaks string
	// Name is one word or a few, Says what goes wrong.
	Name, Says string
	// Edits make the bug; each Old occurs exactly once in its file.
	Edits []edit
	// Package and Run name the tests that catch it, Args their additional arguments.
	Package, Run string
	Args         []string
}

type edit struct{ File, Old, New string }

// Run tries the bugs.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("sluice-dev mutate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", "", "only bugs whose name matches this expression")
	list := flags.Bool("list", false, "list the bugs and try none")
	oneIn := flags.Int("one-in", 1, "try one in so many of the bugs")
	offset := flags.Int("offset", 0, "which of them: another number, other bugs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *oneIn < 1 || *offset < 0 || flags.NArg() > 0 {
		return errors.New("-one-in is positive, -offset not negative, and there are no arguments: see -help")
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	var chosen []bug
	for i, b := range bugs {
		if i%*oneIn == *offset%*oneIn && match.MatchString(b.Name) {
			chosen = append(chosen, b)
		}
	}
	if *list {
		for _, b := range chosen {
			fmt.Fprintf(stdout, "%-30s %-12s %s: %s (%s)\n", b.Name, b.Breaks, b.Says, strings.Trim(b.Run, "^$"), b.Package)
		}
		return nil
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// One server for all: starting one takes longer than most of the tests. Their templates are their
	// own, since a bug may be in the code that makes them.
	end, err := warehousetest.Share(ctx)
	if err != nil {
		return fmt.Errorf("no Postgres for the tests: %w", err)
	}
	defer func() { err = errors.Join(err, end(context.WithoutCancel(ctx))) }()
	if err := os.Unsetenv("SLUICE_TEST_TEMPLATES"); err != nil {
		return err
	}
	caught := tryAll(ctx, dir, chosen, stdout)
	fmt.Fprintf(stdout, "%d of %d bugs caught, of %d in all\n", caught, len(chosen), len(bugs))
	if caught < len(chosen) || len(chosen) == 0 {
		return fmt.Errorf("%d bugs were not caught", len(chosen)-caught)
	}
	return ctx.Err()
}

// tryAll tries the bugs, three at once, prints a line for each and returns how many were caught.
func tryAll(ctx context.Context, dir string, chosen []bug, out io.Writer) int {
	var caught int
	var printing sync.Mutex
	var group errgroup.Group
	group.SetLimit(3)
	for i, b := range chosen {
		group.Go(func() error {
			began := time.Now()
			by, err := b.try(ctx, filepath.Join(dir, strconv.Itoa(i)))
			printing.Lock()
			defer printing.Unlock()
			result := "caught by " + by
			switch {
			case err != nil:
				result = "NOT TRIED: " + err.Error()
			case by == "":
				result = "NOT CAUGHT"
			default:
				caught++
			}
			fmt.Fprintf(out, "%-30s %5.1f s  %s\n", b.Name, time.Since(began).Seconds(), result)
			return nil
		})
	}
	_ = group.Wait() // errors are results
	return caught
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
	output, err := command.CombinedOutput()
	switch {
	case err == nil && bytes.Contains(output, []byte("no tests to run")):
		return "", fmt.Errorf("no test of %s is called %s", b.Package, b.Run)
	case err == nil:
		return "", nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	if b.Package == simulated {
		// Only a broken invariant counts there: it names the seed.
		if seed := regexp.MustCompile(`seed (\d+): (.*)`).FindSubmatch(output); seed != nil {
			return fmt.Sprintf("seed %s: %s", seed[1], seed[2]), nil
		}
	} else if failed := regexp.MustCompile(`--- FAIL: (\w+)`).FindSubmatch(output); failed != nil {
		return string(failed[1]), nil
	}
	if bytes.Contains(output, []byte("test timed out")) {
		return "", fmt.Errorf("%s was not done after 15 minutes", b.Run)
	}
	if bytes.Contains(output, []byte("panic:")) {
		return b.Run + " (it ended in a panic)", nil
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return "", fmt.Errorf("%w: %s", err, strings.Join(lines[max(0, len(lines)-4):], " | "))
}

// overlay writes the changed files and the overlay file that replaces the originals by them.
func (b bug) overlay(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, e := range b.Edits {
		path, err := filepath.Abs(e.File)
		if err != nil {
			return "", err
		}
		text, err := os.ReadFile(cmp.Or(replace[path], path))
		if err != nil {
			return "", err
		}
		if n := strings.Count(string(text), e.Old); n != 1 {
			return "", fmt.Errorf("%q occurs %d times in %s: adapt the bug to the code as it is now", e.Old, n, e.File)
		}
		replace[path] = filepath.Join(dir, strings.ReplaceAll(e.File, "/", "_"))
		text = bytes.Replace(text, []byte(e.Old), []byte(e.New), 1)
		if err := os.WriteFile(replace[path], text, 0o600); err != nil { //nolint:gosec // into a folder of its own
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, overlay, 0o600)
}
