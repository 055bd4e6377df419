// Package demo shows the whole journey of sluice on a made-up company. The database and the upstream
// belong to this process; each command of sluice is a process of its own, as an operator starts it.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// Options say which demo to show.
type Options struct {
	// Sluice is the program under show: a path that Find returns.
	Sluice string
	// Records and Seed are size and seed of the company.
	Records int
	Seed    int64
	// Keep lets the demo stay up at its end, until the context ends.
	Keep bool
	// Environment are further variables for the processes, as NAME=VALUE.
	Environment []string
	// Stdout gets what the demo shows, Stderr progress and logs.
	Stdout, Stderr io.Writer
}

// ErrNoSluice says that there is no program to show, ErrNoPostgres that no database could be
// started.
var (
	ErrNoSluice   = errors.New("the program sluice is missing")
	ErrNoPostgres = errors.New("the private Postgres did not start")
)

// Find returns the path of sluice: the named file, else the one in the folder of this program, else
// the one in PATH.
func Find(named string) (string, error) {
	const name = "sluice"
	if named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("%w: --sluice names %s: %w", ErrNoSluice, named, err)
		}
		return filepath.Abs(path)
	}
	folder := "the folder of this program"
	if self, err := os.Executable(); err == nil {
		folder = filepath.Dir(self)
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%w: it is neither in %s nor in PATH; --sluice FILE names it, and \"make build\" builds it", ErrNoSluice, folder)
	}
	return path, nil
}

// Run shows the demo.
func Run(ctx context.Context, options Options) (err error) {
	stage, err := Open(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.Close(ctx)) }()
	if err := stage.Copy(ctx); err != nil {
		return err
	}
	if err := stage.tour(ctx); err != nil {
		return err
	}
	if options.Keep {
		return stage.stay(ctx)
	}
	return nil
}
