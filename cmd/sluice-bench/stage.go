package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres/local"
)

// stage is the environment of the measured processes: one durable Postgres, a migrated database to
// copy fresh ones from, a folder for files.
type stage struct {
	program  string
	postgres *local.Server
	// admin is the database of the server's own, in which others are made.
	admin  *warehouse
	folder string
	key    string
	made   int
}

const (
	// template has empty tables, empty has none: it is Postgres's own.
	template = "template"
	empty    = "template0"
	keyBytes = 32
)

// onStage runs work on a stage, and removes the stage afterwards, also after an interruption.
func onStage(ctx context.Context, program string, work func(s *stage) error) error {
	s := &stage{program: program}
	err := s.open(ctx)
	if err == nil {
		err = work(s)
	}
	return errors.Join(err, s.close(context.WithoutCancel(ctx)))
}

func (s *stage) open(ctx context.Context) error {
	key := make([]byte, keyBytes)
	if _, err := rand.Read(key); err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	s.key = base64.StdEncoding.EncodeToString(key)
	var err error
	if s.folder, err = os.MkdirTemp("", "sluice-bench-"); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	// Durable, as a user's warehouse is.
	if s.postgres, err = local.Start(ctx, local.Options{Durable: true}); err != nil {
		return fmt.Errorf("start Postgres: %w", err)
	}
	s.admin = &warehouse{stage: s, url: s.postgres.URL()}
	if err := s.admin.execute(ctx, "CREATE DATABASE "+quoted(template)); err != nil {
		return err
	}
	w, err := s.warehouse(template)
	if err != nil {
		return err
	}
	// No call is made upstream: any address will do.
	none := &sandbox{URL: "http://127.0.0.1:1", Organization: "1", ClientID: "none", ClientSecret: "none", RefreshToken: "none"}
	return w.command(ctx, none, "migrate")
}

func (s *stage) close(ctx context.Context) error {
	var errs []error
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
	stage     *stage
	name, url string
}

func (s *stage) warehouse(name string) (*warehouse, error) {
	address, err := url.Parse(s.postgres.URL())
	if err != nil {
		return nil, fmt.Errorf("read the address of Postgres: %w", err)
	}
	address.Path = "/" + name
	return &warehouse{stage: s, name: name, url: address.String()}, nil
}

// fresh runs work on a database with empty tables, and drops it afterwards.
func (s *stage) fresh(ctx context.Context, work func(w *warehouse) error) error {
	return s.copied(ctx, template, work)
}

// copied runs work on a copy of a database, and drops it afterwards.
func (s *stage) copied(ctx context.Context, from string, work func(w *warehouse) error) error {
	s.made++
	w, err := s.warehouse(fmt.Sprintf("bench_%d", s.made))
	if err != nil {
		return err
	}
	if err := s.admin.execute(ctx, "CREATE DATABASE "+quoted(w.name)+" TEMPLATE "+quoted(from)); err != nil {
		return err
	}
	return errors.Join(work(w), s.admin.execute(context.WithoutCancel(ctx), "DROP DATABASE "+quoted(w.name)+" WITH (FORCE)"))
}

// do runs work on a connection of its own.
func (w *warehouse) do(ctx context.Context, work func(conn *pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, w.url)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", w.name, err)
	}
	return errors.Join(work(conn), conn.Close(context.WithoutCancel(ctx)))
}

// execute runs statements one by one.
func (w *warehouse) execute(ctx context.Context, statements ...string) error {
	return w.do(ctx, func(conn *pgx.Conn) error {
		for _, sql := range statements {
			if _, err := conn.Exec(ctx, sql); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
		return nil
	})
}

func quoted(name ...string) string { return pgx.Identifier(name).Sanitize() }

// command runs a command of the program on the warehouse, as users do.
func (w *warehouse) command(ctx context.Context, upstream *sandbox, args ...string) error {
	config, environment, err := w.configure(upstream)
	if err != nil {
		return err
	}
	return w.run(ctx, environment, append(args, "--config", config, "--log-level", "error")...)
}

// run runs the program in an environment.
func (w *warehouse) run(ctx context.Context, environment []string, args ...string) error {
	cmd := exec.CommandContext(ctx, w.stage.program, args...) //nolint:gosec // the program under test
	cmd.Env, cmd.Stderr = environment, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run %s %s (make build builds it): %w", w.stage.program, args[0], err)
	}
	return nil
}

// configure writes what a process needs to work on the warehouse: a file, whose path it returns,
// and an environment.
func (w *warehouse) configure(upstream *sandbox) (string, []string, error) {
	environment := append(os.Environ(), "BENCH_DATABASE_URL="+w.url, "BENCH_CLIENT_SECRET="+upstream.ClientSecret,
		"BENCH_REFRESH_TOKEN="+upstream.RefreshToken, "SLUICE_ENCRYPTION_KEY="+w.stage.key)
	text := fmt.Sprintf(`database: {url: "${BENCH_DATABASE_URL}"}
vendor: {api_url: "%[1]s", chat_url: "%[1]s", auth_url: "%[1]s"}
organizations:
  - name: bench
    id: "%[2]s"
    data_center: com
    time_zone: Asia/Kolkata
    credentials: {client_id: "%[3]s", client_secret: "${BENCH_CLIENT_SECRET}", refresh_token: "${BENCH_REFRESH_TOKEN}"}
    services:
      accounting: {plan: %[4]s}
      inventory: {plan: %[4]s}
      chat: {plan: free}
tombstones: {apart: 0s} # the second look follows at once
log: {level: error}
`, upstream.URL, upstream.Organization, upstream.ClientID, tariff)
	path := filepath.Join(w.stage.folder, w.name+".yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", nil, fmt.Errorf("write the configuration: %w", err)
	}
	return path, environment, nil
}
