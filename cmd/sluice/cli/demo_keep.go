package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// stay lets the company live until the context ends.
func (s *demoStage) stay(ctx context.Context, seed int64) (err error) {
	if err := s.trouble(ctx, seed); err != nil {
		return err
	}
	life, err := s.live(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, life.close(ctx)) }()
	if err := s.keep(life.console.url); err != nil {
		return err
	}
	return life.until(ctx)
}

// keep writes the configuration to a folder and says how other commands use what keeps running.
func (s *demoStage) keep(console string) error {
	var err error
	if s.kept, err = os.MkdirTemp("", "sluice-demo-"); err != nil {
		return fmt.Errorf("make a folder for the configuration of the demo: %w", err)
	}
	config := filepath.Join(s.kept, "config.yaml")
	if err := os.WriteFile(config, []byte(s.config), 0o600); err != nil {
		return fmt.Errorf("write the configuration of the demo: %w", err)
	}
	lines := []string{"export SLUICE_CONFIG=" + quoted(config)}
	for _, name := range slices.Sorted(maps.Keys(s.environment)) {
		lines = append(lines, "export "+name+"="+quoted(s.environment[name]))
	}
	if err := s.say("\nThe console is at %s\n"+
		"The sandbox stays at %s, the database as above; the company changes three times a minute. Ctrl-C ends all.\n"+
		"Other commands work on them (sluice status, check, sync, explain) in a shell with these lines, whose secrets open nothing else:\n",
		console, s.upstream.URL); err != nil {
		return err
	}
	return s.say("%s", strings.Join(lines, "\n"))
}

// quoted quotes a text as one word for a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
