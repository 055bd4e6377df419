package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"sluice/cmd/sluice-lake/catalog"
	"sluice/cmd/sluice-lake/publish"
	"sluice/cmd/sluice-lake/shape"
	"sluice/cmd/sluice-lake/storage"
	"sluice/cmd/sluice/cli/view"
	"sluice/connectors"
	"sluice/migrations"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/warehouse/postgres"
)

type commands struct {
	env

	config   string
	json     bool
	logLevel string
}

func newRoot(e env) *cobra.Command {
	c := &commands{env: e}
	root := &cobra.Command{
		Use:   "sluice-lake",
		Short: "Publish the warehouse as Iceberg tables",
		Long: `sluice-lake publishes the tables of the warehouse as Iceberg tables: where lake.warehouse
of the configuration says, for engines that read columns (DuckDB, Spark, Trino and others).
All tables of a publication are of one instant. The catalog is in the warehouse's own database.

Exit codes: 0 fine, 1 something failed, 2 usage or configuration, 3 database or storage out
of reach, or another process works on the lake.`,
		SilenceUsage: true, SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fmt.Errorf("%w: %w", errUsage, err) })
	flags := root.PersistentFlags()
	flags.StringVar(&c.config, "config", "", "configuration file (default: $SLUICE_CONFIG, then config.yaml)")
	flags.BoolVar(&c.json, "json", false, "print JSON instead of text")
	flags.StringVar(&c.logLevel, "log-level", "", "log level: debug, info, warn, error (default: warn)")
	root.AddCommand(c.publishCommand(), c.statusCommand(), c.verifyCommand(), c.compactCommand(), c.expireCommand(), c.takeOverCommand(),
		c.serveCommand())
	return root
}

func (c *commands) show(document any, parts ...view.Part) error {
	return view.Printer{Out: c.stdout, JSON: c.json}.Show(document, parts...)
}

// work is what a command does.
type work func(ctx context.Context, p *publish.Publisher, lake config.Lake) error

// with opens database and storage, does the work, and closes them.
func (c *commands) with(ctx context.Context, do work) (err error) {
	path := c.config
	if path == "" {
		path, _ = c.lookupEnv("SLUICE_CONFIG")
	}
	if path == "" {
		path = "config.yaml"
	}
	app, err := engine.Load(engine.Options{
		Catalogue: connectors.All(), ConfigPath: path, LookupEnv: c.lookupEnv, ReadFile: c.readFile, Now: time.Now, LogTo: c.stderr,
		LogLevel: c.logLevel, Quiet: true, Purpose: config.ForOffline, Scrub: c.scrub,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, app.Close(ctx)) }()
	lake := app.Config.Lake
	if lake.Warehouse == "" {
		return fmt.Errorf("%w: the configuration has no lake.warehouse: name a folder or a bucket (s3://…)", errUsage)
	}
	if err := app.OpenDatabase(ctx); err != nil {
		return err
	}
	if err := app.Migrated(ctx); err != nil {
		return err
	}
	pool, err := postgres.NewPool(ctx, app.URL, connections, app.Password(), settings())
	if err != nil {
		return err
	}
	defer pool.Close()
	var shared *pgxpool.Pool
	if url := lake.Catalog.Reveal(); url != "" {
		pending, err := migrations.Pending(ctx, url)
		if err == nil && pending {
			err = engine.ErrNotMigrated
		}
		if err != nil {
			return fmt.Errorf("the database of lake.catalog: %w", err)
		}
		if shared, err = postgres.NewPool(ctx, url, 1, nil, settings()); err != nil {
			return err
		}
		defer shared.Close()
	}
	store, err := storage.Open(ctx, lake.Warehouse)
	if err != nil {
		return err
	}
	return do(ctx, publish.New(publish.Options{
		Pool: pool, Catalog: shared, Store: store, Tables: shape.Tables(app.Catalogue), Buckets: lake.Buckets, Log: app.Log,
	}), lake)
}

// connections are those that a publication needs: its own, and those that copy beside each other.
const connections = 4

// settings are those of its sessions: a publication may take long, and waits for no lock.
func settings() map[string]string {
	return map[string]string{
		"application_name": "sluice-lake", "statement_timeout": "0", "idle_in_transaction_session_timeout": "0", "lock_timeout": "20s",
		"client_connection_check_interval": "1s", "jit": "off",
	}
}

func (c *commands) publishCommand() *cobra.Command {
	var watch bool
	var whole []string
	cmd := &cobra.Command{
		Use:   "publish",
		Short: "Publish what changed since the last publication",
		Long: `Publish what changed since the last publication, or all tables the first time. Where the
log of changes was pruned in between, all tables are published whole, and the result says so.
Nothing changed: nothing is written.`,
		Example: "  sluice-lake publish\n  sluice-lake publish --watch\n  sluice-lake publish --whole inventory.bills",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.with(cmd.Context(), func(ctx context.Context, p *publish.Publisher, lake config.Lake) error {
				if watch {
					return c.watch(ctx, p, lake.Every)
				}
				result, err := p.PublishWhole(ctx, whole...)
				if err != nil {
					return err
				}
				return c.published(&result)
			})
		},
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "publish every lake.every, compact and expire once a day, until interrupted")
	cmd.Flags().StringSliceVar(&whole, "whole", nil, "read these tables whole, such as inventory.bills")
	cmd.MarkFlagsMutuallyExclusive("watch", "whole")
	return cmd
}

// busyPause is the time until the next look whether another process still works on the lake.
const busyPause = 5 * time.Second

// watch publishes again and again. A failure is logged, and the next turn tries again.
func (c *commands) watch(ctx context.Context, p *publish.Publisher, every time.Duration) error {
	const daily = 24 * time.Hour
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	kept := time.Now()
	for {
		turn := p.Publish
		keeps := time.Since(kept) >= daily
		if keeps {
			turn, kept = p.Compact, time.Now()
		}
		result, err := turn(ctx)
		if err == nil && keeps {
			_, err = p.Expire(ctx, publish.Kept)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, catalog.ErrBusy): // another cell does, for some moments
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(busyPause):
				continue
			}
		case err != nil:
			p.Log.ErrorContext(ctx, "a publication to the lake failed", "error", err)
		default:
			p.Log.InfoContext(ctx, "published to the lake", "tables", len(result.Tables))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func (c *commands) published(result *publish.Result) error {
	table := view.Table(result.Tables, "TABLE  HOW  ADDED  REMOVED  ROWS", func(t *publish.TableResult) view.Row {
		return view.Row{t.Table, t.How, t.Added, t.Removed, t.Rows}
	}).Or("Nothing changed since the last publication.")
	return c.show(result, table, view.Text(func(page *view.Page) {
		if result.Whole != "" {
			page.Linef("All tables were published whole: %s", result.Whole)
		}
	}))
}

func (c *commands) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show what is published, and how far behind it is", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.with(cmd.Context(), func(ctx context.Context, p *publish.Publisher, _ config.Lake) error {
				status, err := p.Status(ctx)
				if err != nil {
					return err
				}
				table := view.Table(status.Tables, "TABLE  ROWS  FILES  DELETED  SNAPSHOTS  LAST", func(t *publish.TableStatus) view.Row {
					return view.Row{t.Table, t.Rows, t.Files, t.Deleted, t.Snapshots, view.Instant(&t.SnapshotAt, time.UTC)}
				}).Or("Nothing is published yet.")
				return c.show(status, table, view.Text(func(page *view.Page) {
					switch {
					case status.PublishedAt == nil:
					case status.Lost != "":
						page.Linef("The next publication is whole: %s", status.Lost)
					case status.Behind:
						page.Linef("The oldest change that is not published is %s old.", view.Age(time.Duration(status.LagSeconds*float64(time.Second))))
					default:
						page.Linef("Every change is published; the cut is of %s.", view.Instant(status.PublishedAt, time.UTC))
					}
				}))
			})
		},
	}
}

func (c *commands) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [TABLE]...",
		Short: "Hold the lake against the warehouse: every row, every value",
		Long: `Hold the last publication against the warehouse: the number of rows, and a sum over all
values of all rows. Records that changed since are left out on both sides. Exit code 1 if a
table differs: sluice-lake publish --whole TABLE repairs it.`,
		Example: "  sluice-lake verify\n  sluice-lake verify inventory.bills",
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.with(cmd.Context(), func(ctx context.Context, p *publish.Publisher, _ config.Lake) error {
				found, err := p.Verify(ctx, args...)
				if err != nil {
					return err
				}
				differ := false
				table := view.Table(found, "TABLE  RESULT  WAREHOUSE  LAKE  LEFT OUT", func(v *publish.Verification) view.Row {
					result := "equal"
					if !v.Equal {
						result, differ = "differs", true
					}
					return view.Row{v.Table, result, v.Warehouse.Rows, v.Lake.Rows, v.LeftOut}
				}).Or("There is no table to compare.")
				if err := c.show(found, table); err != nil {
					return err
				}
				for i := range found {
					differ = differ || !found[i].Equal
				}
				if differ {
					return errFailed
				}
				return nil
			})
		},
	}
}

func (c *commands) compactCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: "Publish, and write files with rows that are gone, or many small ones, again",
		Long: `Publish what changed, and write each bucket of organizations again that has rows which are
gone or many small files. publish --watch does so once a day.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.with(cmd.Context(), func(ctx context.Context, p *publish.Publisher, _ config.Lake) error {
				result, err := p.Compact(ctx)
				if err != nil {
					return err
				}
				return c.published(&result)
			})
		},
	}
}

func (c *commands) expireCommand() *cobra.Command {
	var age time.Duration
	cmd := &cobra.Command{
		Use:   "expire",
		Short: "Remove old snapshots, and files that nothing refers to",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.with(cmd.Context(), func(ctx context.Context, p *publish.Publisher, _ config.Lake) error {
				done, err := p.Expire(ctx, age)
				if err != nil {
					return err
				}
				return c.show(done, view.Line("%s expired, %s removed.", view.Plural(done.Snapshots, "snapshot"), view.Plural(done.Files, "file")))
			})
		},
	}
	cmd.Flags().DurationVar(&age, "older", publish.Kept, "the age from which on a snapshot is removed; the current one stays")
	return cmd
}

func (c *commands) takeOverCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "take-over",
		Short: "Make this database the one that the lake belongs to",
		Long: `Make this database the one that the lake belongs to, after it took the place of another one:
after a promotion, a restore, or a move to another server. Until then nothing is removed from
the lake, and into a catalog that several warehouses share nothing is published. Never run it
on a copy beside the original: each would remove what the other one publishes.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.with(cmd.Context(), func(ctx context.Context, p *publish.Publisher, lake config.Lake) error {
				if err := p.TakeOver(ctx); err != nil {
					return err
				}
				return c.show(struct {
					Lake string `json:"lake"`
				}{lake.Warehouse}, view.Line("The lake in %s belongs to this database now.", lake.Warehouse))
			})
		},
	}
}
