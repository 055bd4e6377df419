package cli

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/poster"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/postgres/local"
	"sluice/sandbox"
)

// demoFlags are the flags of the demo.
type demoFlags struct {
	records int
	seed    int64
	keep    bool
}

// demoStage is what a demo needs to run.
type demoStage struct {
	cli      *cli
	postgres *local.Server
	upstream *runningSandbox
	app      *engine.App
	// hooks is where callbacks will be received; nil once a receiver has taken it over.
	hooks net.Listener
	// config is the configuration, environment are the variables to which it refers. kept is the
	// folder with the configuration for other commands; "" if nothing is kept.
	config      string
	environment map[string]string
	kept        string
}

func (s *demoStage) show(parts ...view.Part) error { return s.cli.printer().Print(parts...) }

func (s *demoStage) say(format string, args ...any) error { return s.show(view.Line(format, args...)) }

func (s *demoStage) title(text string) error { return s.say("\n== %s", text) }

// open starts the database and the sandbox, and migrates.
func (s *demoStage) open(ctx context.Context, flags demoFlags) error {
	if err := s.title("A private Postgres, a simulated upstream, the tables"); err != nil {
		return err
	}
	var err error
	if s.postgres, err = local.Start(ctx, local.Options{}); err != nil {
		return fmt.Errorf("%w: %w", engine.ErrNoServer, err)
	}
	s.upstream, err = startSandbox(ctx, "127.0.0.1:0", sandbox.Options{
		Seed: flags.seed, Records: flags.records, Plan: "standard", Now: s.cli.env.Now,
		Networks: demoNetworks(), CustomModules: demoModules(), Demo: true, World: sandbox.WorldBooks, AsLive: true, Poster: new(poster.Poster),
	})
	if err != nil {
		return err
	}
	if s.hooks, err = (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
		return fmt.Errorf("listen for callbacks: %w: %w", errEnvironment, err)
	}
	options, err := s.options(flags.keep)
	if err != nil {
		return err
	}
	began := s.cli.env.Now()
	migrating, err := engine.Load(options)
	if err != nil {
		return err
	}
	if err := migrating.OpenDatabase(ctx); err != nil {
		return err
	}
	if err := migrating.Migrate(ctx, 0); err != nil {
		return err
	}
	if _, err := migrating.Declare(ctx); err != nil {
		return err
	}
	if s.app, err = engine.Open(ctx, options); err != nil {
		return err
	}
	return s.say("upstream: %s, %s records, limits of the plan 'standard'\ndatabase: migrated in %.1f s", s.upstream.URL,
		view.Count(flags.records), s.cli.env.Now().Sub(began).Seconds())
}

// options are those of a process with a configuration made for this demo. With --keep its secrets
// are printed: they belong to a made-up company and open nothing else.
func (s *demoStage) options(keep bool) (engine.Options, error) {
	key := make([]byte, keyBytes)
	if _, err := rand.Read(key); err != nil {
		return engine.Options{}, fmt.Errorf("make a key: %w", err)
	}
	s.environment = map[string]string{
		"SLUICE_ENCRYPTION_KEY": base64.StdEncoding.EncodeToString(key),
		"SANDBOX_CLIENT_SECRET": s.upstream.ClientSecret,
		"SANDBOX_REFRESH_TOKEN": s.upstream.RefreshToken,
		"DEMO_DATABASE_URL":     s.postgres.URL(),
		"DEMO_HOOK_SECRET":      rand.Text(),
	}
	s.config = demoConfig(s.upstream, s.hooks.Addr().String())
	options := s.cli.options()
	options.ConfigPath = "demo.yaml"
	options.ReadFile = func(string) ([]byte, error) { return []byte(s.config), nil }
	options.LookupEnv = func(name string) (string, bool) {
		value, ok := s.environment[name]
		return value, ok
	}
	if options.LogLevel == "" {
		options.LogLevel = "error"
	}
	if keep {
		options.Scrub = outside.NewScrubber() // output passes the process's scrubber, which does not learn these secrets
	}
	return options, nil
}

// keyBytes is the size of the encryption key, in bytes.
const keyBytes = 32

// demoConfig is the configuration; callbacks are received at hooks.
func demoConfig(upstream *runningSandbox, hooks string) string {
	const credentials = "    credentials:\n"
	return "database:\n  url: ${DEMO_DATABASE_URL}\n" +
		strings.Replace(upstream.config("standard"), credentials, "    notifications: {secret: \"${DEMO_HOOK_SECRET}\"}\n"+credentials, 1) +
		fmt.Sprintf("notifications: {listen: %q, public_url: %q}\n", hooks, "http://"+hooks) + demoTombstones + demoResources
}

// demoTombstones let a small company show in seconds which deletions wait for a person.
const demoTombstones = "tombstones: {max_rows: 3, apart: 0s}\n"

// demoResources enables every resource. It bounds the calls of runs under parents and for single
// records, so that both syncs together stay below 100 calls, those of one minute.
const demoResources = `resources:
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

// demoNetworks are the chat networks of the simulated company.
func demoNetworks() []string { return []string{"partners", "suppliers"} }

// demoModules are the custom modules of the simulated company.
func demoModules() []string { return []string{"cm_vehicles", "cm_visits"} }

// dueWithin names the resources whose lists are due within a time, as service.resource.
func (s *demoStage) dueWithin(wait time.Duration) []string {
	var due []string
	for _, stream := range s.app.Streams() {
		name := stream.Service.Name + "." + stream.Resource.Name
		if chosen := s.app.Config.Resources[name]; stream.Work == pipeline.WorkList && chosen.Enabled && chosen.Every <= wait {
			due = append(due, name)
		}
	}
	return due
}

// sync runs one batch sync of the named resources, or of all, like the command, with its progress.
func (s *demoStage) sync(ctx context.Context, title string, names []string) (*syncResult, error) {
	if err := s.title(title); err != nil {
		return nil, err
	}
	result, err := s.cli.syncOnce(ctx, s.app, names, "")
	if err != nil {
		return nil, err
	}
	if code := result.code(s.app.Config.Quarantine.MaxShare); code != codeFine {
		return nil, &exitError{code: code, err: errors.New("the sync of the demo did not go well: see above")}
	}
	return result, s.say("%s", result.text())
}

// The numbers of changes of the demo, per resource.
const (
	demoInserts = 3
	demoEdits   = 7
)

// change simulates an hour of the company's business, in the resources that the next sync reads.
func (s *demoStage) change(seed int64, names []string) error {
	resources := make([]string, 0, len(names))
	for _, name := range names {
		_, resource := splitName(name)
		resources = append(resources, resource)
	}
	changed, err := s.upstream.world.Change(sandbox.Change{
		Seed: seed + 1, Inserts: demoInserts, Edits: demoEdits, Resources: resources,
	})
	if err != nil {
		return fmt.Errorf("change the company: %w", err)
	}
	inserts, edits := 0, 0
	for _, c := range changed {
		inserts, edits = inserts+len(c.Inserted), edits+len(c.Edited)
	}
	return s.say("\nMeanwhile, upstream: %d new records and %d edited ones.", inserts, edits)
}

func (s *demoStage) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	var errs []error
	if s.app != nil {
		errs = append(errs, s.app.Close(ctx))
	}
	if s.upstream != nil {
		errs = append(errs, s.upstream.stop(ctx))
	}
	if s.hooks != nil {
		errs = append(errs, s.hooks.Close())
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Stop(ctx))
	}
	if s.kept != "" {
		errs = append(errs, os.RemoveAll(s.kept))
	}
	return errors.Join(errs...)
}
