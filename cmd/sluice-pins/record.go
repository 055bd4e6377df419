package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// options say what to record.
type options struct {
	out, sluice, configs, simulated, only string
	seeds                                 int
	verbose                               bool
	log                                   io.Writer
}

// recorder writes pins.
type recorder struct {
	options
	postgres *postgres
	began    time.Time
	folder   string // for configurations; removed at the end
	masks    *masker
	anyOrder bool // of a journey whose order is a matter of time
}

// part is one group of pins.
type part struct {
	name   string
	waits  bool // most of its time it waits
	record func(*recorder, context.Context) error
}

// parts are all groups, the quick ones first.
func parts() []part {
	return []part{
		{"help", false, (*recorder).help},             // --help of every command
		{"documents", false, (*recorder).documents},   // what is printed out of the declarations
		{"schema", false, (*recorder).schema},         // the tables that the migrations make
		{"configs", false, (*recorder).tryConfigs},    // what is said about configurations, right and wrong
		{"whole", true, (*recorder).whole},            // one organization whose lists give whole records
		{"headers", true, (*recorder).headers},        // two organizations whose lists leave out what single records give
		{"full", true, (*recorder).full},              // two organizations, all streams of both with one command
		{"simulation", false, (*recorder).simulation}, // traces of simulated schedules
	}
}

func partNames() string {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return strings.Join(names, ",")
}

// record records all parts, or those that were asked for.
func record(ctx context.Context, o options) error {
	chosen, err := chooseParts(o.only)
	if err != nil {
		return err
	}
	if o.out == "" {
		return errors.New("name a folder: -out DIR")
	}
	for _, path := range []*string{&o.sluice, &o.out} {
		if *path, err = filepath.Abs(*path); err != nil {
			return fmt.Errorf("find the program and the folder: %w", err)
		}
	}
	r := &recorder{options: o, began: time.Now()}
	r.masks = newMasker(r.began)
	if r.folder, err = os.MkdirTemp("", "sluice-pins-"); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	return errors.Join(r.recordParts(ctx, chosen), r.close())
}

// close ends and removes what the recording needed.
func (r *recorder) close() error {
	var stopped error
	if r.postgres != nil {
		stopped = r.postgres.stop()
	}
	return errors.Join(stopped, os.RemoveAll(r.folder))
}

func (r *recorder) recordParts(ctx context.Context, chosen []part) error {
	if err := os.Chmod(r.folder, 0o711); err != nil {
		return fmt.Errorf("open the folder for Postgres: %w", err)
	}
	var err error
	if r.postgres, err = startPostgres(ctx, r.folder); err != nil {
		return err
	}
	// Parts that wait for the minute of the limits go on beside the others.
	var (
		wait sync.WaitGroup
		lock sync.Mutex
		errs []error
	)
	one := func(p part) {
		if err := r.recordPart(ctx, p); err != nil {
			lock.Lock()
			defer lock.Unlock()
			errs = append(errs, fmt.Errorf("record %s: %w", p.name, err))
		}
	}
	for _, p := range chosen {
		if p.waits {
			wait.Go(func() { one(p) })
		}
	}
	for _, p := range chosen {
		if !p.waits {
			one(p)
		}
	}
	wait.Wait()
	return errors.Join(errs...)
}

// recordPart records one part in a folder of its own.
func (r *recorder) recordPart(ctx context.Context, p part) error {
	began := time.Now()
	if err := os.RemoveAll(filepath.Join(r.out, p.name)); err != nil {
		return fmt.Errorf("remove what an earlier recording left: %w", err)
	}
	own := *r
	own.folder = filepath.Join(r.folder, p.name)
	if err := os.Mkdir(own.folder, 0o700); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	if err := p.record(&own, ctx); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(r.log, "%-12s %5.1f s\n", p.name, time.Since(began).Seconds()) // a line for people
	return nil
}

func chooseParts(only string) ([]part, error) {
	if only == "" {
		return parts(), nil
	}
	var chosen []part
	for name := range strings.SplitSeq(only, ",") {
		at := slices.IndexFunc(parts(), func(p part) bool { return p.name == name })
		if at < 0 {
			return nil, fmt.Errorf("there is no part %q: use %s", name, partNames())
		}
		chosen = append(chosen, parts()[at])
	}
	return chosen, nil
}

// pin writes one file of the recording.
func (r *recorder) pin(name, text string) error {
	path := filepath.Join(r.out, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make a folder for pins: %w", err)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write a pin: %w", err)
	}
	return nil
}

// sayf tells people about a step, if they want to know.
func (r *recorder) sayf(format string, args ...any) {
	if r.verbose {
		_, _ = fmt.Fprintf(r.log, "%6.1f s  "+format+"\n", append([]any{time.Since(r.began).Seconds()}, args...)...) // for people
	}
}
