package demo

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sluice/cmd/sluice-sandbox/local"
	"sluice/cmd/sluice-sandbox/poster"
	"sluice/cmd/sluice-sandbox/server"
	"sluice/sandbox"
)

// Stage is what a demo needs to run.
type Stage struct {
	// Upstream is the simulated upstream.
	Upstream *server.Running
	// Config is the configuration, Environment are the variables to which it refers. They belong to
	// a made-up company and open nothing else.
	Config      string
	Environment map[string]string

	options  Options
	postgres *local.Server
	// folder holds the configuration. Callbacks arrive at hooks, the console is at console.
	folder, hooks, console string
}

// stopLimit bounds the time for cleaning up.
const stopLimit = 30 * time.Second

func (s *Stage) say(format string, args ...any) error {
	_, err := fmt.Fprintf(s.options.Stdout, format+"\n", args...)
	return err
}

func (s *Stage) title(text string) error { return s.say("\n== %s", text) }

// Open starts the database and the upstream, and migrates.
func Open(ctx context.Context, options Options) (_ *Stage, err error) {
	s := &Stage{options: options}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close(ctx))
		}
	}()
	if err := s.title("A private Postgres, a simulated upstream, the tables"); err != nil {
		return nil, err
	}
	if s.postgres, err = local.Start(ctx, local.Options{}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoPostgres, err)
	}
	s.Upstream, err = server.Start(ctx, "127.0.0.1:0", sandbox.Options{
		Seed: options.Seed, Records: options.Records, Plan: plan, Now: time.Now, Networks: []string{"partners", "suppliers"},
		CustomModules: []string{"cm_vehicles", "cm_visits"}, Demo: true, World: sandbox.WorldBooks, AsLive: true, Poster: new(poster.Poster),
	})
	if err != nil {
		return nil, err
	}
	if err := s.configure(ctx); err != nil {
		return nil, err
	}
	if err := s.say("upstream: %s, %d records, limits of the plan '%s'\n", s.Upstream.URL, options.Records, plan); err != nil {
		return nil, err
	}
	return s, s.show(ctx, "migrate")
}

// plan is the organization's plan upstream.
const plan = "standard"

// configure writes the configuration and chooses addresses.
func (s *Stage) configure(ctx context.Context) error {
	var err error
	if s.hooks, err = freeAddress(ctx); err == nil {
		s.console, err = freeAddress(ctx)
	}
	if err != nil {
		return err
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	if s.folder, err = os.MkdirTemp("", "sluice-demo-"); err != nil {
		return fmt.Errorf("make a folder for the configuration: %w", err)
	}
	const credentials = "    credentials:\n"
	s.Config = "database:\n  url: ${DEMO_DATABASE_URL}\n" +
		strings.Replace(s.Upstream.Config(plan), credentials, "    notifications: {secret: \"${DEMO_HOOK_SECRET}\"}\n"+credentials, 1) +
		fmt.Sprintf("notifications: {listen: %q, public_url: %q}\nconsole: {listen: %q}\n", s.hooks, "http://"+s.hooks, s.console) +
		tombstones + resources
	config := filepath.Join(s.folder, "config.yaml")
	if err := os.WriteFile(config, []byte(s.Config), 0o600); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	s.Environment = map[string]string{
		"SLUICE_CONFIG":         config,
		"SLUICE_ENCRYPTION_KEY": base64.StdEncoding.EncodeToString(key),
		"SANDBOX_CLIENT_SECRET": s.Upstream.ClientSecret,
		"SANDBOX_REFRESH_TOKEN": s.Upstream.RefreshToken,
		"DEMO_DATABASE_URL":     s.postgres.URL(),
		"DEMO_HOOK_SECRET":      rand.Text(),
	}
	return nil
}

// freeAddress returns an address of this machine that no program listens on.
func freeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("%w: %w", server.ErrListen, err)
	}
	return listener.Addr().String(), listener.Close()
}

// tombstones let a small company show in seconds which deletions wait for a person.
const tombstones = "tombstones: {max_rows: 3, apart: 0s}\n"

// resources enables every resource. It bounds the calls of runs under parents and for single
// records, so that both syncs together stay below 100 calls, those of one minute.
const resources = `resources:
  accounting.expenses: {enabled: true, calls_per_run: 1}
  accounting.contact_persons: {calls_per_run: 3}
  accounting.base_currency_adjustments: {calls_per_run: 2}
  accounting.chart_of_accounts: {calls_per_run: 1}
  accounting.vendor_payments: {calls_per_run: 2}
  inventory.bills: {calls_per_run: 5}
  inventory.credit_notes: {calls_per_run: 1}
  inventory.composite_items: {calls_per_run: 1}
  invoicing.contact_persons: {enabled: true, calls_per_run: 2}
  billing.contact_persons: {calls_per_run: 2}
`

// Close ends what Open began, and removes what it made.
func (s *Stage) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	var errs []error
	if s.Upstream != nil {
		errs = append(errs, s.Upstream.Stop(ctx))
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Stop(ctx))
	}
	if s.folder != "" {
		errs = append(errs, os.RemoveAll(s.folder))
	}
	return errors.Join(errs...)
}
