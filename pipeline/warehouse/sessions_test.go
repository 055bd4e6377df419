package warehouse_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/warehousetest"
)

// pooler gives a session of the database to a connection for one transaction, as poolers in
// transaction mode do.
type pooler struct {
	t        *testing.T
	listener net.Listener
	// network and address are those of the database.
	network, address string
	// newest says which of the free sessions is given: the one that was freed last, or first.
	newest bool

	mu   sync.Mutex
	free []net.Conn
}

// message reads one whole message of the protocol.
func message(from io.Reader, typed bool) (byte, []byte, error) {
	head := make([]byte, 5)
	if !typed {
		head = head[1:]
	}
	if _, err := io.ReadFull(from, head); err != nil {
		return 0, nil, err
	}
	length := binary.BigEndian.Uint32(head[len(head)-4:])
	body := make([]byte, length-4)
	_, err := io.ReadFull(from, body)
	return head[0], slices.Concat(head, body), err
}

// The server's messages of authentication that need no reply: success, and the last message of the
// proof.
const (
	proven    = 0
	lastProof = 12
)

// pass forwards a server's messages until it is ready, and says whether it is outside of a
// transaction then.
func pass(client, server io.ReadWriter) (bool, error) {
	for {
		kind, all, err := message(server, true)
		if err == nil {
			_, err = client.Write(all)
		}
		if err != nil || kind == 'Z' {
			return err == nil && all[len(all)-1] == 'I', err
		}
		if kind != 'R' {
			continue
		}
		if asks := binary.BigEndian.Uint32(all[5:]); asks != proven && asks != lastProof {
			_, proof, err := message(client, true)
			if err == nil {
				_, err = server.Write(proof)
			}
			if err != nil {
				return false, err
			}
		}
	}
}

// serve plays the server for one client.
func (p *pooler) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	_, hello, err := message(client, false)
	if err != nil {
		return
	}
	// Each client's greeting opens a session, which all clients then share.
	server, err := net.Dial(p.network, p.address)
	if err != nil {
		p.t.Error(err)
		return
	}
	if _, err = server.Write(hello); err != nil {
		return
	}
	for {
		idle, err := pass(client, server)
		if err != nil {
			return
		}
		if idle {
			p.mu.Lock()
			p.free = append(p.free, server)
			p.mu.Unlock()
			server = nil
		}
		for asked := false; !asked; {
			kind, all, err := message(client, true)
			if err != nil || kind == 'X' {
				return // the sessions stay
			}
			if server == nil {
				server = p.take()
			}
			if _, err := server.Write(all); err != nil {
				return
			}
			asked = kind == 'Q' || kind == 'S'
		}
	}
}

func (p *pooler) take() net.Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := 0
	if p.newest {
		at = len(p.free) - 1
	}
	server := p.free[at]
	p.free = append(p.free[:at], p.free[at+1:]...)
	return server
}

// A pooler that shares sessions is detected, in whatever order it gives them; the database itself
// is accepted (faults D7).
func TestAPoolerThatSharesSessionsIsFoundOut(t *testing.T) {
	t.Parallel()
	direct := warehousetest.New(t)
	err := warehouse.CheckSessions(t.Context(), direct)
	check.FatalIf(t, err != nil, "without a pooler: %v", err)
	config := check.Sure(pgx.ParseConfig(direct))(t)
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	for _, newest := range []bool{true, false} {
		listener := check.Sure(net.Listen("tcp", "127.0.0.1:0"))(t)
		p := &pooler{t: t, listener: listener, network: network, address: address, newest: newest}
		var clients sync.WaitGroup
		clients.Go(func() {
			for {
				client, err := listener.Accept()
				if err != nil {
					return
				}
				clients.Go(func() { p.serve(client) })
			}
		})
		pooled := url.URL{
			Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(), Path: config.Database,
			RawQuery: "sslmode=disable",
		}
		err := warehouse.CheckSessions(t.Context(), pooled.String())
		check.ErrorIf(t, !errors.Is(err, warehouse.ErrSharedSessions) || !strings.Contains(err.Error(), "session mode"),
			"newest first %t: %v", newest, err)
		_ = listener.Close()
		clients.Wait()
		for _, session := range p.free {
			_ = session.Close()
		}
	}
}

// TestARotatedPassword changes the password of a login role under a running pool: sessions that
// stand go on, and new ones take the new password from its file. Without the file, and with a
// password that is not in force yet, the database counts as out of reach, and no error says a
// password.
func TestARotatedPassword(t *testing.T) {
	t.Parallel()
	address := warehousetest.Owner(t)
	warehousetest.AsksForPassword(t, address)
	parsed := check.Sure(url.Parse(address))(t)
	role, file := parsed.User.Username(), filepath.Join(t.TempDir(), "password")
	parsed.User = url.User(role)
	admin := warehousetest.Connect(t, warehousetest.Admin(t, "postgres"))
	change := func(password string) {
		t.Helper()
		check.Must(t, check.Failure(admin.Exec(t.Context(), "ALTER ROLE "+role+" PASSWORD '"+password+"'")))
	}
	write := func(password string) {
		t.Helper()
		check.Must(t, os.WriteFile(file, []byte(password), 0o600))
	}
	db, err := warehouse.Open(t.Context(), parsed.String(), warehouse.Options{})
	if err == nil {
		db.Close()
		t.Fatal("the server asks for no password")
	}
	change("canary-one")
	write("canary-one")
	db = check.Sure(warehouse.Open(t.Context(), parsed.String(), warehouse.Options{Password: func(context.Context) (string, error) {
		text, err := os.ReadFile(file)
		return string(text), err
	}}))(t)
	defer db.Close()
	old := check.Sure(db.Pool().Acquire(t.Context()))(t)
	defer old.Release()
	session := func(conn interface {
		QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	}) (uint32, error) {
		var pid uint32
		return pid, conn.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&pid)
	}
	before := check.Sure(session(old))(t)

	change("canary-two")
	if now, err := session(old); err != nil || now != before {
		t.Errorf("the session that stood: %d, %v, want %d", now, err, before)
	}
	for name, prepare := range map[string]func(){
		"the old password": func() {},
		"no file":          func() { check.Must(t, os.Remove(file)) },
	} {
		prepare()
		_, err := session(db.Pool())
		failed := postgres.Fail("asking", err)
		check.ErrorIf(t, !errors.Is(failed, warehouse.ErrUnreachable) || strings.Contains(failed.Error(), "canary"), "%s: %v", name, failed)
		write("canary-one")
	}
	write("canary-two")
	now, err := session(db.Pool())
	check.ErrorIf(t, err != nil || now == before, "a new session of the pool: %d, %v", now, err)
	conn, err := postgres.Connect(t.Context(), db.Pool())
	check.FatalIf(t, err != nil, "a connection of its own: %v", err)
	check.Must(t, conn.Close(t.Context()))
	direct, err := pgx.Connect(t.Context(), postgres.WithPassword(parsed.String(), "canary-two"))
	check.FatalIf(t, err != nil, "the address with its password: %v", err)
	check.Must(t, direct.Close(t.Context()))
}

func TestOneRefreshForTheFleet(t *testing.T) {
	h := open(t)
	// Two processes with few connections: those that wait must leave some to the one that
	// refreshes.
	processes := []*warehouse.DB{h.another(warehouse.Options{MaxConns: 2}), h.another(warehouse.Options{MaxConns: 2})}
	var refreshes, seen atomic.Int64
	group, ctx := errgroup.WithContext(t.Context())
	for worker := range 20 {
		db := processes[worker%2]
		group.Go(func() error {
			return db.WithToken(ctx, "credential", func(ctx context.Context, token pipeline.Token) (pipeline.Token, bool, error) {
				if token.ExpiresIn > time.Minute && string(token.Sealed) == "sealed" && token.Version == 1 {
					seen.Add(1)
					return token, false, nil
				}
				refreshes.Add(1)
				if _, err := db.Reserve(ctx, aCall("auth"), pipeline.Limits{Shared: "auth"}); err != nil {
					return token, true, err
				}
				return pipeline.Token{Sealed: []byte("sealed"), ExpiresIn: time.Hour}, true, nil
			})
		})
	}
	check.Must(h, group.Wait())
	check.ErrorIf(t, refreshes.Load() != 1 || seen.Load() != 19, "%d refreshes, %d saw the new token", refreshes.Load(), seen.Load())
}

func TestWhatIsStoredOfAToken(t *testing.T) {
	h := open(t)
	with := func(ctx context.Context, give pipeline.Token, attempted bool, failure error) pipeline.Token {
		t.Helper()
		var had pipeline.Token
		err := h.db.WithToken(ctx, "c", func(_ context.Context, token pipeline.Token) (pipeline.Token, bool, error) {
			had = token
			return give, attempted, failure
		})
		check.FatalIf(t, !errors.Is(err, failure) || (failure == nil) != (err == nil), "WithToken = %v, want %v", err, failure)
		return had
	}
	good := pipeline.Token{Sealed: []byte("one"), Refresh: []byte("another"), DiedYoung: 2, ExpiresIn: time.Hour, Reason: "why", Scopes: []string{"a.READ", "b.ALL"}}
	if had := with(t.Context(), good, false, nil); len(had.Sealed) != 0 || had.Version != 0 || had.SinceRefresh < 1000*time.Hour {
		t.Errorf("a new credential has %+v", had)
	}
	if had := with(t.Context(), pipeline.Token{Reason: "denied"}, true, errBoom); had.SinceRefresh < 1000*time.Hour {
		t.Errorf("what was not attempted was stored: %+v", had)
	}
	if had := with(t.Context(), good, false, errBoom); had.Version != 0 || had.SinceRefresh > time.Minute || had.Reason != "denied" {
		t.Errorf("after a failed attempt: %+v", had)
	}

	// The caller's context ends while the answer arrives: the token is stored all the same.
	ctx, cancel := context.WithCancel(t.Context())
	check.Must(h, h.db.WithToken(ctx, "c", func(_ context.Context, _ pipeline.Token) (pipeline.Token, bool, error) {
		cancel()
		return good, true, nil
	}))
	had := with(t.Context(), good, false, nil)
	if string(had.Sealed) != "one" || string(had.Refresh) != "another" || had.DiedYoung != 2 || had.Version != 1 || had.Reason != "why" || had.ExpiresIn < 59*time.Minute || had.ExpiresIn > time.Hour {
		t.Errorf("after a refresh: %+v", had)
	}

	check.ErrorIf(t, !slices.Equal(had.Scopes, []string{"a.READ", "b.ALL"}), "after a refresh the scopes are %q", had.Scopes)

	// A refusal while the token is valid: its expiry and its version stay as they are.
	refused := had
	refused.Reason, refused.Refusals, refused.FellBack, refused.ExpiresIn = "", 2, true, 5*time.Hour
	with(t.Context(), refused, true, nil)
	had = with(t.Context(), good, false, nil)
	if string(had.Sealed) != "one" || had.Version != 1 || had.ExpiresIn > time.Hour || had.Refusals != 2 || !had.FellBack || !had.Worked || had.Reason != "" {
		t.Errorf("after a refusal: %+v", had)
	}
	// A token that the operator dropped is no attempt.
	ask[string](h, "UPDATE sluice.tokens SET attempted_at = attempted_at - interval '30 seconds' RETURNING credential")
	with(t.Context(), pipeline.Token{Forgotten: true}, true, nil)
	had = with(t.Context(), good, false, nil)
	if len(had.Sealed) != 0 || had.Version != 2 || had.Scopes != nil || had.Refusals != 0 || had.FellBack || !had.Worked || had.SinceRefresh < 30*time.Second {
		t.Errorf("after it was forgotten: %+v", had)
	}
}
