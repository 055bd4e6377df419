package pins

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-dev/harness"
	"sluice/cmd/sluice-sandbox/poster"
	"sluice/cmd/sluice/cli"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// scenario is a company upstream, an empty database, and the program between them, in this process.
type scenario struct {
	*pinned

	database    string
	folder      string
	config      string
	environment map[string]string
	world       *sandbox.Server
	hangUp      func() error
	public      string
	conn        *pgx.Conn
}

// patience bounds the start of a server.
const patience = 10 * time.Second

// minute is the length of a minute of the limits: the seeded run waits for many of them.
const minute = 2 * time.Second

// configuration is that of the scenario: each service, a list with history, and callbacks.
const configuration = `database:
  url: ${SLUICE_DATABASE_URL}
vendor: {name: Svc, api_url: "http://%[1]s", chat_url: "http://%[1]s", auth_url: "http://%[1]s"}
organizations:
  - name: pinned
    id: "%[2]s"
    data_center: com
    time_zone: Asia/Kolkata
    credentials: {client_id: %[3]s, client_secret: "${CLIENT_SECRET}", refresh_token: "${REFRESH_TOKEN}"}
    notifications:
      secret: ${HOOK_SECRET}
    services:
      accounting: {plan: premium}
      invoicing: {plan: free}
      billing: {plan: paid}
      inventory: {plan: premium}
      chat: {plan: free}
workers: 1
tombstones: {apart: 0s, max_rows: 100000}
notifications: {listen: "%[4]s", public_url: "http://%[4]s"}
resources:
  inventory.bills: {history: true}
`

func (p *pinned) openScenario(ctx context.Context, server *harness.Server) (_ *scenario, err error) {
	const database = "pinned"
	s := &scenario{pinned: p, database: server.URL(database)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(ctx))
		}
	}()
	if s.folder, err = os.MkdirTemp("", "pins"); err != nil {
		return nil, err
	}
	if err := server.Create(ctx, database, ""); err != nil {
		return nil, err
	}
	s.world, err = sandbox.New(sandbox.Options{
		Seed: 7, Records: 40, Plan: "premium", Now: time.Now, AsLive: true, Limits: sandbox.Limits{Off: true}, Poster: new(poster.Poster),
	})
	if err != nil {
		return nil, err
	}
	upstream, hangUp, err := harness.Listen(ctx, s.world)
	if err != nil {
		return nil, err
	}
	s.hangUp = hangUp
	if s.public, err = harness.FreeAddress(ctx); err != nil {
		return nil, err
	}
	s.environment = map[string]string{
		"SLUICE_DATABASE_URL": s.database, "SLUICE_ENCRYPTION_KEY": base64.StdEncoding.EncodeToString([]byte("a key of pins which seals little")),
		"CLIENT_SECRET": sandbox.ClientSecret, "REFRESH_TOKEN": sandbox.RefreshToken, "HOOK_SECRET": harness.HookSecret,
	}
	s.config = filepath.Join(s.folder, "config.yaml")
	// Its lines are among what is written down, so it has a text of its own.
	text := fmt.Sprintf(configuration, upstream, sandbox.DefaultOrganizationID, sandbox.ClientID, s.public)
	if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	if o := s.command(ctx, "migrate"); o.code != 0 {
		return nil, o.failed()
	}
	if s.conn, err = pgx.Connect(ctx, s.database); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *scenario) close(ctx context.Context) error {
	var errs []error
	if s.conn != nil {
		errs = append(errs, s.conn.Close(context.WithoutCancel(ctx)))
	}
	if s.hangUp != nil {
		errs = append(errs, s.hangUp())
	}
	if s.folder != "" {
		errs = append(errs, os.RemoveAll(s.folder))
	}
	return errors.Join(errs...)
}

// output is what a command printed, and its exit code.
type output struct {
	args           []string
	code           int
	stdout, stderr string
}

func (o output) failed() error {
	return fmt.Errorf("%s: exit code %d\n%s%s", strings.Join(o.args, " "), o.code, o.stdout, o.stderr)
}

// command runs a command of the program.
func (s *scenario) command(ctx context.Context, args ...string) output {
	var stdout, stderr locked
	code := s.commandTo(ctx, s.config, &stdout, &stderr, args...)
	return output{args, code, stdout.String(), stderr.String()}
}

func (s *scenario) commandTo(ctx context.Context, config string, stdout, stderr io.Writer, args ...string) int {
	return cli.Main(ctx, append([]string{"--config", config}, args...), cli.Env{
		Stdin: strings.NewReader(""), Stdout: stdout, Stderr: stderr, ReadFile: os.ReadFile, Now: time.Now, Minute: minute,
		Retries: []time.Duration{time.Millisecond, time.Millisecond},
		LookupEnv: func(name string) (string, bool) {
			value, set := s.environment[name]
			return value, set
		},
	})
}

// play is the seeded run. Each step is one that an operator or upstream takes.
func (s *scenario) play(ctx context.Context) (err error) {
	var said bytes.Buffer
	defer func() { err = errors.Join(err, s.write("run.txt", said.Bytes())) }()
	do := func(args ...string) {
		o := s.command(ctx, args...)
		fmt.Fprintf(&said, "$ sluice %s\nexit code %d\n%s%s\n", strings.Join(args, " "), o.code, o.stdout, o.stderr)
		if o.code > 1 { // it was not done at all
			err = errors.Join(err, o.failed())
		}
	}
	do("check", "--json")
	do("sync")
	edited := []string{"bills", "items", "credit_notes", "vendor_payments", "chart_of_accounts", "conversations"}
	if _, err := s.world.Change(sandbox.Change{Seed: 3, Inserts: 3, Edits: 5, Resources: edited}); err != nil {
		return err
	}
	if err := warehousetest.Shift(ctx, s.conn, time.Hour); err != nil {
		return err
	}
	do("sync")
	// Records that fit no declaration. Those of items are asked for again later, those of taxes stay.
	poisoned := []sandbox.Fault{{Path: "/inventory/v1/items", Kind: "all_poison"}, {Path: "/inventory/v1/settings/taxes", Kind: "all_poison"}}
	if err := s.world.SetFaults(poisoned); err != nil {
		return err
	}
	if _, err := s.world.Change(sandbox.Change{Seed: 4, Edits: 2, Resources: []string{"items"}}); err != nil {
		return err
	}
	if err := warehousetest.Shift(ctx, s.conn, 24*time.Hour); err != nil {
		return err
	}
	do("sync", "inventory.items", "inventory.taxes")
	if err := s.world.SetFaults(poisoned[1:]); err != nil {
		return err
	}
	// Deletions: two scans prove them.
	if _, err := s.world.Change(sandbox.Change{Seed: 5, Deletes: 2, Resources: []string{"bills", "vendor_payments"}}); err != nil {
		return err
	}
	for range 2 {
		if err := warehousetest.Shift(ctx, s.conn, 24*time.Hour); err != nil {
			return err
		}
		do("sync", "inventory.bills.sweep", "accounting.vendor_payments.sweep")
	}
	do("backfill", "inventory.credit_notes")
	if err := s.notified(ctx); err != nil {
		return err
	}
	if err := warehousetest.Shift(ctx, s.conn, time.Hour); err != nil {
		return err
	}
	do("sync")
	do("quarantine", "retry", "--resource", "inventory.items")
	id, err := s.text(ctx, `SELECT min(item_id) FROM inventory.items`)
	if err != nil {
		return err
	}
	do("erase", "inventory.items", id)
	do("verify", "--calls", "200", "inventory", "chat", "invoicing") // no list under parents: a sample of these is drawn by chance
	do("rebuild", "inventory.bills")
	return nil
}

// notified edits a bill, and lets a webhook of upstream tell of it.
func (s *scenario) notified(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var stdout, stderr locked
	ended := make(chan int, 1)
	go func() {
		ended <- s.commandTo(ctx, s.config, &stdout, &stderr, "notifications", "serve", "--listen", "127.0.0.1:0")
	}()
	defer func() { cancel(); <-ended }()
	listens := func(ctx context.Context) (bool, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.public)
		if err != nil {
			return false, nil //nolint:nilerr // not yet
		}
		return true, conn.Close()
	}
	if err := harness.Wait(ctx, patience, "nothing receives callbacks", listens); err != nil {
		return fmt.Errorf("%w\n%s", err, stderr.String())
	}
	err := s.world.SetWebhooks(sandbox.Webhooks{Rules: []sandbox.WebhookRule{{
		Resource: "inventory.bills", Body: `{"bill_id":"${bill_id}"}`, Secret: harness.HookSecret,
		Address: "http://" + s.public + "/notifications/rule/" + sandbox.DefaultOrganizationID + "/inventory.bills",
	}}})
	if err != nil {
		return err
	}
	if _, err := s.world.Change(sandbox.Change{Seed: 6, Edits: 1, Resources: []string{"bills"}}); err != nil {
		return err
	}
	if s.world.Deliver(ctx) != 1 {
		return errors.New("upstream sent no callback")
	}
	return nil
}

func (s *scenario) text(ctx context.Context, sql string) (string, error) {
	var value string
	err := s.conn.QueryRow(ctx, sql).Scan(&value)
	return value, err
}

// locked is a bytes.Buffer for several writers.
type locked struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

// Write implements io.Writer.
func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.String()
}

// indented is a JSON document, a value a line; what is none stays as it is.
func indented(text string) []byte {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", " ") != nil {
		return []byte(text)
	}
	return b.Bytes()
}
