// Package engine wires the packages of the program together for every command that works on the
// warehouse.
//
// It never prints, and it never decides what a command means. Start reading at Open.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/engine/metrics"
	"sluice/pipeline/engine/traces"
	"sluice/pipeline/outside"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema"
	"sluice/schema/redact"
	"sluice/schema/validate"
)

// ErrNotMigrated says that the database lacks tables or columns that this version or its
// configuration needs.
var ErrNotMigrated = errors.New("the database is not migrated: run sluice migrate")

// Options are the environment of a process.
type Options struct {
	// Catalogue are the built-in declarations; the configuration may declare more.
	Catalogue  []schema.Service
	ConfigPath string
	LookupEnv  func(string) (string, bool)
	ReadFile   func(string) ([]byte, error)
	Now        func() time.Time
	// Retries are the waits between the attempts of a chunk that failed; nil means
	// jobs.DefaultRetries.
	Retries []time.Duration
	// Minute is the length of the limits' minute; zero means a minute. Tests and benchmarks scale
	// it down, here and in the sandbox.
	Minute time.Duration
	// LogTo gets the log. Terminal, if not nil, gets it instead, in lines for people. LogLevel
	// overrides the configured level. Quiet omits lines below a warning, for commands that report
	// their work themselves.
	LogTo    io.Writer
	Terminal io.Writer
	LogLevel string
	Quiet    bool
	// Purpose is what the process is for. If it makes no call, secrets may be missing, and Client
	// fails.
	Purpose config.Purpose
	// Version is the version of the program, for traces.
	Version string
	// Scrub removes the secrets of the configuration from texts; nil means a new one.
	Scrub *outside.Scrubber
}

// App is the wired program.
type App struct {
	Config *config.Config
	// Catalogue are the services of this process, with the built-in declarations and those of the
	// configuration.
	Catalogue []schema.Service
	DB        *warehouse.DB
	Log       *slog.Logger
	// Hints counts what became of change notifications in the runs of this process.
	Hints *metrics.Hints
	// Calls counts the time of the calls of this process.
	Calls *metrics.Calls
	// URL is the address of the database in use, which gives sessions. It may hold a password:
	// never print it.
	URL string
	// pooled is the address of the same database through a pooler in transaction mode; "" if there
	// is none.
	pooled string

	options Options
	secrets *inForce
	// deployer is the address of the session that makes roles; "" if none are made.
	deployer string
	// traces sends spans; nil where traces are off.
	traces *traces.Traces
	// organizations are the configured organizations and the others that the warehouse has, by key.
	organizations map[string]*pipeline.Organization
	// redactors leave columns out of the records of resources, by their full names.
	redactors map[string]*redact.Redactor
	// hashKey says that the database has hashes of another key; nil if it has not.
	hashKey error
}

// Load reads the configuration and prepares the log. It opens no connection.
func Load(options Options) (*App, error) {
	if err := validate.Services(options.Catalogue); err != nil {
		return nil, fmt.Errorf("the built-in declarations are broken: %w", err)
	}
	var text []byte // as it was read first: secrets are read again by its references, whatever became of the file
	read := func(path string) ([]byte, error) {
		var err error
		text, err = options.ReadFile(path)
		return text, err
	}
	conf, err := config.Load(options.ConfigPath, options.LookupEnv, read, options.Catalogue, options.Purpose)
	if _, mistakes := errors.AsType[*config.Error](err); mistakes {
		return nil, err // the error names the file and all mistakes in it
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	if options.Scrub == nil {
		options.Scrub = outside.NewScrubber()
	}
	keepSecrets(options, conf)
	log, err := newLog(options, conf.Log.Level)
	if err != nil {
		return nil, err
	}
	a := &App{
		Config: conf, Catalogue: conf.Services, Log: log, Hints: metrics.NewHints(), Calls: metrics.NewCalls(calledServices(conf)...), options: options,
		organizations: make(map[string]*pipeline.Organization), redactors: redactors(conf),
	}
	a.secrets = &inForce{conf: conf, refused: make(chan struct{}, 1), load: func() (*config.Config, error) {
		return config.Load(options.ConfigPath, options.LookupEnv, func(string) ([]byte, error) { return text, nil },
			options.Catalogue, options.Purpose)
	}}
	for i := range conf.Organizations {
		a.organizations[conf.Organizations[i].Key] = a.resolve(&conf.Organizations[i])
	}
	return a, nil
}

// Open loads the configuration and connects to the database, which has to be migrated.
func Open(ctx context.Context, options Options) (*App, error) {
	return opened(ctx, options, (*App).Reach)
}

// OpenReading loads the configuration and makes the database available, for work that opens a
// connection of its own: its role may be one that only reads. DB is nil.
func OpenReading(ctx context.Context, options Options) (*App, error) {
	return opened(ctx, options, (*App).OpenDatabase)
}

func opened(ctx context.Context, options Options, reach func(*App, context.Context) error) (*App, error) {
	a, err := Load(options)
	if err != nil {
		return nil, err
	}
	if err := reach(a, ctx); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	return a, nil
}

// Reach connects to the database, which has to be migrated.
func (a *App) Reach(ctx context.Context) error {
	if err := a.OpenDatabase(ctx); err != nil {
		return err
	}
	if err := a.Migrated(ctx); err != nil {
		return err
	}
	return a.Connect(ctx)
}

// OpenDatabase checks that the configured database gives sessions.
func (a *App) OpenDatabase(ctx context.Context) error {
	password := a.Config.Database.Password.Reveal()
	a.URL = postgres.WithPassword(a.Config.Database.URL.Reveal(), password)
	if direct := a.Config.Database.SessionURL.Reveal(); direct != "" {
		a.pooled, a.URL = a.URL, postgres.WithPassword(direct, password)
	}
	return warehouse.CheckSessions(ctx, a.URL)
}

// Password reads database.password for each new connection; nil if the configuration has none.
func (a *App) Password() postgres.Password {
	from := a.Config.Database.PasswordFrom
	if from == "" {
		return nil
	}
	return func(context.Context) (string, error) {
		read, err := secrets.Source{Getenv: a.options.LookupEnv}.Secret(from) //nolint:contextcheck // a command has a limit of its own
		a.options.Scrub.Know(read.Reveal())
		return read.Reveal(), err
	}
}

// Exposed says why others may read or forge the traffic between this process and the database; ""
// if they cannot, or if the configuration allows it.
func (a *App) Exposed() string {
	database := a.Config.Database
	if database.AllowInsecure {
		return ""
	}
	key, host := "database.url", postgres.Exposed(database.URL.Reveal())
	if direct := database.SessionURL.Reveal(); host == "" && direct != "" {
		key, host = "database.session_url", postgres.Exposed(direct)
	}
	if host == "" {
		return ""
	}
	return fmt.Sprintf("%s is another host, and without sslmode=verify-full what goes there may be read and answered by others: "+
		"add sslmode=verify-full to %s (and sslrootcert=FILE for an authority of your own), "+
		"or write database.allow_insecure: true if the network between is yours alone", host, key)
}

// WarnExposed logs what Exposed says, once.
func (a *App) WarnExposed(ctx context.Context) {
	if why := a.Exposed(); why != "" {
		a.Log.WarnContext(ctx, "the connection to the database is not protected", "reason", why)
	}
}

// migrating are the options of migrations. The configuration decides of which tables the past can
// be read.
func (a *App) migrating(patience time.Duration) migrations.Options {
	return migrations.Options{Log: a.Log, Patience: patience, History: a.pastTables()}
}

// Migrate brings the database up to date. Patience is how long it waits for locks of other
// sessions; zero means a minute.
func (a *App) Migrate(ctx context.Context, patience time.Duration) error {
	if err := migrations.Migrate(ctx, a.URL, a.migrating(patience)); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// Outlook says what Migrate would do. It changes nothing.
func (a *App) Outlook(ctx context.Context) (migrations.Outlook, error) {
	outlook, err := migrations.Foresee(ctx, a.URL, a.migrating(0))
	if err != nil {
		return outlook, fmt.Errorf("look at what is pending: %w", err)
	}
	return outlook, nil
}

// Pending reports whether Migrate would change anything.
func (a *App) Pending(ctx context.Context) (bool, error) {
	pending, err := migrations.Pending(ctx, a.URL)
	if err == nil && !pending {
		pending, err = migrations.PendingViews(ctx, a.URL, a.pastTables())
	}
	if err != nil {
		return false, fmt.Errorf("look at the database's version: %w", err)
	}
	return pending, nil
}

// Migrated returns ErrNotMigrated if a migration is pending, or if the database lacks tables or
// columns of the configuration's own declarations.
func (a *App) Migrated(ctx context.Context) error {
	pending, err := migrations.Pending(ctx, a.URL)
	if err == nil && pending {
		err = ErrNotMigrated
	}
	if err != nil {
		return err
	}
	// Missing tables of built-in resources stop only the streams that need them (invariant 9);
	// sluice check names them.
	sql, changed, err := a.declared(ctx)
	plan := Plan{}
	if err == nil {
		plan, err = planOf(sql, changed, a.plannable())
	}
	if err == nil && plan.needed() {
		err = fmt.Errorf("%w: it lacks tables or columns of the resources that the configuration declares", ErrNotMigrated)
	}
	return err
}

// Connect opens the warehouse and registers the configured streams. A process that only offers the
// console registers none.
func (a *App) Connect(ctx context.Context) error {
	// Each worker holds one connection while it loads. The gate, the tick and the reports need a
	// few more.
	conns := int32(min(a.Config.Workers, 64)) + 8 //nolint:gosec // bounded by the configuration
	rules, absence := a.rules(), pipeline.TombstoneRules(a.Config.Tombstones)
	db, err := warehouse.Open(ctx, a.URL, warehouse.Options{
		MaxConns: conns, Ledger: calls.RulesOf(a.options.Minute), Absence: &absence, Scrub: a.options.Scrub, Rules: &rules,
		Due: planning.Due, Observer: a.Hints, Password: a.Password(), Pooled: a.pooled,
	})
	if err != nil {
		return fmt.Errorf("open the warehouse: %w", err)
	}
	a.DB = db
	if err := a.checkHashKey(ctx); err != nil {
		return err
	}
	a.startTraces() //nolint:contextcheck // spans are sent after the work that they describe, also if it was ended
	if a.options.Purpose == config.ForConsole {
		return a.readZones(ctx) // its role may be one that only reads
	}
	if err := a.learnTokens(ctx); err != nil {
		return err
	}
	if err := db.RenewChanges(ctx); err != nil {
		return err
	}
	if err := a.readZones(ctx); err != nil {
		return err
	}
	return a.register(ctx)
}

// register makes the database fit the configuration.
func (a *App) register(ctx context.Context) error {
	if err := a.DB.RegisterStreams(ctx, a.settings()); err != nil {
		return fmt.Errorf("register the streams of the configuration: %w", err)
	}
	if err := a.declareCapabilities(ctx); err != nil {
		return err
	}
	if err := a.listParents(ctx); err != nil {
		return err
	}
	return postgres.Fail("set up the history that the configuration asks for", a.DB.EnableHistory(ctx, a.histories()))
}

// Close ends what Open began, even if the context has ended.
func (a *App) Close(ctx context.Context) error {
	a.traces.Close(ctx)
	if a.DB != nil {
		a.DB.Close()
	}
	return nil
}

// ErrUsage says that the command line or the configuration is wrong.
var ErrUsage = errors.New("usage")

// Key names a stream.
type Key = pipeline.Key
