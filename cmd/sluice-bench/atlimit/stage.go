package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-bench/server"
	"sluice/migrations"
	"sluice/pipeline/warehouse/postgres/local"
)

const (
	// records make lists of well over a thousand pages of ten.
	records  = 60_000
	keyBytes = 32
	// countLimit bounds the wait for the sandbox's count.
	countLimit = 10 * time.Second
)

// streams are lists of business services, which share the minute.
func streams() []string {
	return []string{"inventory.items", "inventory.bills", "inventory.credit_notes", "accounting.vendor_payments"}
}

// stage is what the processes run on.
type stage struct {
	plan     plan
	postgres *local.Server
	folder   string
	key      string
	made     int
}

func openStage(ctx context.Context, p plan) (_ *stage, err error) {
	s := &stage{plan: p}
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
	if s.folder, err = os.MkdirTemp("", "sluice-atlimit-"); err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	if s.postgres, err = local.Start(ctx, local.Options{Durable: true}); err != nil {
		return nil, fmt.Errorf("start Postgres: %w", err)
	}
	return s, nil
}

// close ends and removes everything, also after an interruption.
func (s *stage) close(ctx context.Context) error {
	var errs []error
	if s.postgres != nil {
		errs = append(errs, s.postgres.Stop(context.WithoutCancel(ctx)))
	}
	if s.folder != "" {
		errs = append(errs, os.RemoveAll(s.folder))
	}
	return errors.Join(errs...)
}

// sandbox is the upstream of a measurement, and its judge.
type sandbox struct {
	*server.Sandbox

	client *http.Client
}

// upstream starts a sandbox that enforces the limits and answers so late.
func (s *stage) upstream(ctx context.Context, latency time.Duration) (*sandbox, error) {
	running, err := server.Start(ctx, s.plan.Program, os.Stderr,
		"--plan", s.plan.Tariff, "--minute", s.plan.Minute.String(), "--latency", latency.String(), "--records", strconv.Itoa(records))
	return &sandbox{Sandbox: running, client: &http.Client{Timeout: countLimit}}, err
}

// warehouse is a migrated database with a configuration for it.
type warehouse struct {
	stage       *stage
	config      string
	environment []string
}

func (s *stage) fresh(ctx context.Context, upstream *sandbox) (*warehouse, error) {
	s.made++
	name := "atlimit_" + strconv.Itoa(s.made)
	admin, err := pgx.Connect(ctx, s.postgres.URL())
	if err != nil {
		return nil, fmt.Errorf("connect to Postgres: %w", err)
	}
	_, err = admin.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	if err = errors.Join(err, admin.Close(ctx)); err != nil {
		return nil, fmt.Errorf("make a database: %w", err)
	}
	address, err := url.Parse(s.postgres.URL())
	if err != nil {
		return nil, fmt.Errorf("read the address of Postgres: %w", err)
	}
	address.Path = "/" + name
	if err := migrations.Migrate(ctx, address.String(), migrations.Options{}); err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	w := &warehouse{stage: s, config: filepath.Join(s.folder, name+".yaml")}
	w.environment = append(os.Environ(), "BENCH_DATABASE_URL="+address.String(), "BENCH_CLIENT_SECRET="+upstream.ClientSecret,
		"BENCH_REFRESH_TOKEN="+upstream.RefreshToken, "SLUICE_ENCRYPTION_KEY="+s.key)
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
log: {level: error}
`, upstream.URL, upstream.Organization, upstream.ClientID, s.plan.Tariff)
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		return nil, fmt.Errorf("write the configuration: %w", err)
	}
	return w, nil
}

// worker is a process that reads.
type worker struct {
	cmd  *exec.Cmd
	said bytes.Buffer
}

func (w *warehouse) start(ctx context.Context, prepare bool) (*worker, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	args := append([]string{
		workerRole, "-config", w.config, "-minute", w.stage.plan.Minute.String(), "-prepare=" + strconv.FormatBool(prepare),
	}, streams()[:w.stage.plan.Lists]...)
	one := &worker{cmd: exec.CommandContext(ctx, program, args...)} //nolint:gosec // this program itself
	one.cmd.Env, one.cmd.Stdout, one.cmd.Stderr = w.environment, &one.said, os.Stderr
	if err := one.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	return one, nil
}

// stop ends the worker and gives how long its decisions took.
func (w *worker) stop() ([]time.Duration, error) {
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return nil, fmt.Errorf("end a worker: %w", err)
	}
	if err := w.cmd.Wait(); err != nil {
		return nil, fmt.Errorf("a worker did not end well: %w", err)
	}
	var took []time.Duration
	if err := json.Unmarshal(w.said.Bytes(), &took); err != nil {
		return nil, fmt.Errorf("read how long decisions took: %w", err)
	}
	return took, nil
}
