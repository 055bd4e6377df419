package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-bench/server"
	"sluice/pipeline/warehouse/postgres/local"
)

// stage is what the measured processes run on: one durable Postgres, a migrated
// database to copy fresh ones from, and a folder for files.
type stage struct {
	program  string
	postgres *local.Server
	admin    *pgx.Conn
	folder   string
	key      string
	made     int
	log      io.Writer
}

const (
	template = "template"
	keyBytes = 32
)

func openStage(ctx context.Context, program string, log io.Writer) (_ *stage, err error) {
	s := &stage{program: program, log: log}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(ctx))
		}
	}()
	key := make([]byte, keyBytes)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	s.key = base64.StdEncoding.EncodeToString(key)
	if s.folder, err = os.MkdirTemp("", "sluice-bench-"); err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	// Durable: a warehouse that loses commits is not what users have.
	if s.postgres, err = local.Start(ctx, local.Options{Durable: true}); err != nil {
		return nil, fmt.Errorf("start Postgres: %w", err)
	}
	if s.admin, err = pgx.Connect(ctx, s.postgres.URL()); err != nil {
		return nil, fmt.Errorf("connect to Postgres: %w", err)
	}
	if err := s.execute(ctx, "CREATE DATABASE "+quoted(template)); err != nil {
		return nil, err
	}
	return s, s.migrate(ctx)
}

// migrate makes the tables of the template, by the command that users run.
func (s *stage) migrate(ctx context.Context) error {
	w, err := s.warehouse(template)
	if err != nil {
		return err
	}
	// No upstream is asked: any address will do.
	config, err := w.configure(&sandbox{&server.Sandbox{
		URL: "http://127.0.0.1:1", Organization: "1", ClientID: "none", ClientSecret: "none", RefreshToken: "none",
	}})
	if err != nil {
		return err
	}
	return s.run(ctx, config, "migrate")
}

// run runs a command of the program, as users do.
func (s *stage) run(ctx context.Context, config configuration, args ...string) error {
	cmd := exec.CommandContext(ctx, s.program, append(args, "--config", config.path, "--log-level", "error")...) //nolint:gosec // the program under test
	cmd.Env, cmd.Stderr = config.environment, s.log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run %s %s (make build builds it): %w", s.program, args[0], err)
	}
	return nil
}

func (s *stage) execute(ctx context.Context, sql string) error {
	if _, err := s.admin.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// close ends and removes everything, also after an interruption.
func (s *stage) close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	var errs []error
	if s.admin != nil {
		errs = append(errs, s.admin.Close(ctx))
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Stop(ctx))
	}
	if s.folder != "" {
		errs = append(errs, os.RemoveAll(s.folder))
	}
	return errors.Join(errs...)
}

// warehouse is one database of the stage.
type warehouse struct {
	stage *stage
	name  string
	url   string
}

// fresh makes a database with empty tables.
func (s *stage) fresh(ctx context.Context) (*warehouse, error) {
	s.made++
	w, err := s.warehouse(fmt.Sprintf("bench_%d", s.made))
	if err != nil {
		return nil, err
	}
	return w, s.execute(ctx, "CREATE DATABASE "+quoted(w.name)+" TEMPLATE "+quoted(template))
}

func (s *stage) warehouse(name string) (*warehouse, error) {
	address, err := url.Parse(s.postgres.URL())
	if err != nil {
		return nil, fmt.Errorf("read the address of Postgres: %w", err)
	}
	address.Path = "/" + name
	return &warehouse{stage: s, name: name, url: address.String()}, nil
}

func (w *warehouse) drop(ctx context.Context) error {
	return w.stage.execute(ctx, "DROP DATABASE "+quoted(w.name)+" WITH (FORCE)")
}

// do runs work on a connection of its own.
func (w *warehouse) do(ctx context.Context, work func(context.Context, *pgx.Conn) error) (err error) {
	conn, err := pgx.Connect(ctx, w.url)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", w.name, err)
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	return work(ctx, conn)
}

func quoted(name ...string) string { return pgx.Identifier(name).Sanitize() }

// configuration is what a process needs to work on a warehouse.
type configuration struct {
	path        string
	environment []string
}

func (w *warehouse) configure(upstream *sandbox) (configuration, error) {
	c := configuration{
		path: filepath.Join(w.stage.folder, w.name+".yaml"),
		environment: append(os.Environ(), "BENCH_DATABASE_URL="+w.url, "BENCH_CLIENT_SECRET="+upstream.ClientSecret,
			"BENCH_REFRESH_TOKEN="+upstream.RefreshToken, "SLUICE_ENCRYPTION_KEY="+w.stage.key),
	}
	text := fmt.Sprintf(`database:
  url: ${BENCH_DATABASE_URL}
vendor:
  api_url: %[1]s
  chat_url: %[1]s
  auth_url: %[1]s
organizations:
  - name: bench
    id: "%[2]s"
    data_center: com
    time_zone: Asia/Kolkata
    credentials:
      client_id: %[3]s
      client_secret: ${BENCH_CLIENT_SECRET}
      refresh_token: ${BENCH_REFRESH_TOKEN}
    services:
      accounting: {plan: standard}
      inventory: {plan: standard}
      chat: {plan: free}
log:
  level: error
`, upstream.URL, upstream.Organization, upstream.ClientID)
	if err := os.WriteFile(c.path, []byte(text), 0o600); err != nil {
		return c, fmt.Errorf("write the configuration: %w", err)
	}
	return c, nil
}
