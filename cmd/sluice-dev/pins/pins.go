// Package pins writes down what the program does: its schema, the rows and calls of a seeded run,
// what its commands and pages show, its messages about wrong configurations, its metrics and the
// traces of the simulation. Two versions that do the same write the same files:
//
//	sluice-dev pins -dir before    # at one commit
//	sluice-dev pins -dir after     # at another one, on the same day
//	diff -r before after
//
// What differs from run to run is masked: times, durations, numbers of calls and runs, digests. The
// day is in the records of the simulated upstream, so both are written on one day. Start reading at
// Run, then scenario.go.
package pins

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/cmd/sluice-dev/harness"
)

// pinned is one writing of the files.
type pinned struct {
	dir     string
	renames []rename
	log     io.Writer
}

// rename replaces a word of an older version.
type rename struct {
	old *regexp.Regexp
	new string
}

// Run writes the files.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("sluice-dev pins", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("dir", "", "folder for the files; required")
	renames := flags.String("renames", "", "file of renames, a line each: the word of this version, a tab, the word that is written")
	tests := flags.Bool("tests", false, "write the covered share of each package and the deliberate bugs that are caught, too: hours")
	schedules := flags.Int("schedules", 10000, "schedules of the simulation whose traces are written; 0 for none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" || flags.NArg() > 0 || *schedules < 0 {
		return errors.New("-dir names the folder, -schedules is not negative, and there are no arguments: see -help")
	}
	p := &pinned{log: stderr}
	if p.dir, err = filepath.Abs(*dir); err != nil {
		return err
	}
	if p.renames, err = readRenames(*renames); err != nil {
		return err
	}
	if err := os.MkdirAll(p.dir, 0o750); err != nil {
		return err
	}
	server, err := harness.StartServer(ctx, harness.ServerOptions{InMemory: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(ctx)) }()
	s, err := p.openScenario(ctx, server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"schema", s.schema},
		{"configurations", s.configurations},
		{"the seeded run", s.play},
		{"rows and calls", s.rows},
		{"commands", s.commands},
		{"pages", s.pages},
	} {
		fmt.Fprintln(p.log, step.name)
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	if *schedules > 0 {
		fmt.Fprintln(p.log, "traces")
		if err := p.traces(ctx, *schedules); err != nil {
			return err
		}
	}
	if *tests {
		fmt.Fprintln(p.log, "tests and deliberate bugs")
		if err := p.tests(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintln(stdout, p.dir)
	return nil
}

// traces writes a line for each schedule of the simulation: its seed, and the SHA-256 of its trace
// and its last state.
func (p *pinned) traces(ctx context.Context, schedules int) error {
	args := []string{
		"test", "./pipeline/simulation", "-run", "^TestSchedules$", "-count=1", "-timeout=1h",
		"-args", "-schedules", strconv.Itoa(schedules), "-traces", filepath.Join(p.dir, "traces.txt"),
	}
	output, err := exec.CommandContext(ctx, "go", args...).CombinedOutput() //nolint:gosec // flags of ours
	if err != nil {
		return fmt.Errorf("play the simulation: %w: %s", err, output)
	}
	return nil
}

// tests writes the covered share of each package in whole percent, and the deliberate bugs that were
// caught.
func (p *pinned) tests(ctx context.Context) error {
	for _, run := range []struct {
		file    string
		command []string
		line    *regexp.Regexp
	}{
		{
			"coverage.txt", []string{"./cmd/sluice-dev", "test", "go", "test", "-vet=off", "-timeout=1h", "-cover", "./..."},
			regexp.MustCompile(`(?m)^ok +\t(\S+)\t.*(coverage: \d+)`),
		},
		{"bugs.txt", []string{"./cmd/sluice-dev", "mutate"}, regexp.MustCompile(`(?m)^(.*\S) +\d+\.\d s  (caught|NOT \w+)`)},
	} {
		output, err := exec.CommandContext(ctx, "go", append([]string{"run"}, run.command...)...).CombinedOutput() //nolint:gosec // commands of ours
		var lines []string
		for _, found := range run.line.FindAllSubmatch(output, -1) {
			lines = append(lines, fmt.Sprintf("%s: %s\n", found[1], found[2]))
		}
		slices.Sort(lines)
		if werr := p.write(run.file, []byte(strings.Join(lines, ""))); err != nil || werr != nil {
			return fmt.Errorf("%s: %w", run.command[0], errors.Join(err, werr))
		}
	}
	return nil
}

// write writes a file, masked and with the renames.
func (p *pinned) write(name string, text []byte) error {
	text = mask(text)
	for _, r := range p.renames {
		text = r.old.ReplaceAll(text, []byte(r.new))
	}
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// readRenames reads the file of renames; none if it has no name.
func readRenames(path string) ([]rename, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var renames []rename
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		if lines.Text() == "" || strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		old, replacement, found := strings.Cut(lines.Text(), "\t")
		if !found {
			return nil, fmt.Errorf("%s:%d: a line is a word, a tab and its replacement", path, n)
		}
		renames = append(renames, rename{regexp.MustCompile(`\b` + regexp.QuoteMeta(old) + `\b`), replacement})
	}
	return renames, lines.Err()
}

// masks replace what differs between two runs of the same version. Their order counts.
var masks = []struct { //nolint:gochecknoglobals // compiled once
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?(Z|UTC|[+-]\d\d(:?\d\d)?))?`), "<time>"},
	{regexp.MustCompile(`\b\d\d:\d\d(:\d\d(\.\d+)?)?\b`), "<clock>"},
	{regexp.MustCompile(`\b(127\.0\.0\.1|localhost):\d+`), "<host>"},
	{regexp.MustCompile(`\b\d+(\.\d+)?(µs|ms|s|m|h)(\d+(\.\d+)?(ms|s|m))*\b`), "<duration>"},
	{regexp.MustCompile(`\b\d+(\.\d+)? (ms|s|min|h)\b`), "<duration>"},
	{regexp.MustCompile(`\b[0-9a-f]{32,}\b`), "<digest>"},
	{regexp.MustCompile(`\b\d{19}/[0-9A-Fa-f]{8}(/\d+)*`), "<timeline>"},
	// Payload hashes; identifiers of the simulated upstream begin with 46.
	{regexp.MustCompile(`(?m)^(-\d{15,}|\d{19}|[1-35-9]\d{17}|4[0-57-9]\d{16})$|\\x[0-9a-f]{16,}`), "<digest>"},
	{regexp.MustCompile(`("calls_per_day": \d+\.\d)\d*`), "$1"},
	{regexp.MustCompile(`/tmp/[A-Za-z0-9._/-]+|/dev/shm/[A-Za-z0-9._/-]+`), "<path>"},
	{regexp.MustCompile(`("(?:[a-z_]*_)?(?:ms|seconds|milliseconds|microseconds|elapsed|took|lag)":) ?-?[0-9.]+`), "$1 <duration>"},
	{regexp.MustCompile(`("(?:[a-z_]*_)?(?:bytes|size)":) ?[0-9]+`), "$1 <size>"},
	{regexp.MustCompile(`("(?:id|[a-z_]*(?:run|call|job)(?:_id)?|[a-z_]*_hash|(?:_raw_)?position|xid|cursor)":) ?"?-?[0-9][0-9-]*"?`), "$1 <number>"},
}

// mask replaces what differs between two runs.
func mask(text []byte) []byte {
	for _, m := range masks {
		text = m.what.ReplaceAll(text, []byte(m.by))
	}
	return text
}
