package cells_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/cells"
)

// fewTables keeps the tables of ours, and a list with an array of a made-up service, so that a move
// has few statements.
func fewTables(ctx context.Context, address string) error {
	if err := migratedThings(ctx, address); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	_, err = conn.Exec(ctx, `
DROP SCHEMA accounting, inventory, invoicing, billing, chat CASCADE;
DELETE FROM sluice.service_schemas WHERE name <> 'shop';
CREATE TABLE shop.things_parts (
	organization_id text COLLATE "C" NOT NULL, _parent_id text COLLATE "C" NOT NULL, _position integer NOT NULL, name text,
	PRIMARY KEY (organization_id, _parent_id, _position),
	FOREIGN KEY (organization_id, _parent_id) REFERENCES shop.things (organization_id, thing_id) ON DELETE CASCADE)`)
	return errors.Join(err, conn.Close(ctx))
}

// killer ends a move around one of its statements, counted over both cells, and looks after each
// whether the cells contradict each other.
type killer struct {
	testing.TB
	members []*member

	mu     sync.Mutex
	n, at  int
	after  bool // the statement was executed
	kill   func()
	said   []string // all statements
	killed string
}

type started struct{}

func (k *killer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.n++
	sql := strings.Join(strings.Fields(data.SQL), " ")
	k.said = append(k.said, sql)
	if k.n == k.at && !k.after {
		k.killed = sql
		k.kill()
	}
	return context.WithValue(ctx, started{}, k.n)
}

func (k *killer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	n, _ := ctx.Value(started{}).(int)
	k.mu.Lock()
	defer k.mu.Unlock()
	if n == k.at && k.after {
		k.killed = k.said[n-1]
		k.kill()
	}
	if strings.Contains(k.said[n-1], "sluice.homes") {
		oneHome(k.TB, k.members)
	}
}

// arm begins to count anew: the move is killed before or after its at-th statement, 0 for none.
func (k *killer) arm(at int, after bool, kill func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.n, k.at, k.after, k.kill, k.said, k.killed = 0, at, after, kill, nil, ""
}

// traced lets a killer see the statements of all members.
func traced(tb testing.TB, members []*member) *killer {
	tb.Helper()
	k := &killer{TB: tb, members: members}
	for _, m := range members {
		m.must(m.Trace(tb.Context(), k))
	}
	return k
}

// oneHome checks that no organization is at home in two cells.
func oneHome(tb testing.TB, members []*member) {
	tb.Helper()
	at := map[string]string{}
	for _, m := range members {
		rows, err := m.pool.Query(context.WithoutCancel(tb.Context()), `SELECT organization_id FROM sluice.homes WHERE state IN ('here', 'leaving', 'sealed')`)
		if err != nil {
			tb.Error(err)
			return
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			tb.Error(err)
			return
		}
		for _, organization := range found {
			if at[organization] != "" {
				tb.Errorf("organization %s is at home in the cells %s and %s", organization, at[organization], m.Database.Name)
			}
			at[organization] = m.Database.Name
		}
	}
}

// line is a way to a database that can be cut.
type line struct {
	testing.TB
	network, address string // of the server
	listens          string

	mu       sync.Mutex
	listener net.Listener
	conns    map[net.Conn]bool
}

// through returns a line to the database of an address, and the address through it.
func through(tb testing.TB, address string) (*line, string) {
	tb.Helper()
	config, err := pgx.ParseConfig(address)
	if err != nil {
		tb.Fatal(err)
	}
	l := &line{TB: tb, network: "tcp", address: net.JoinHostPort(config.Host, fmt.Sprint(config.Port)), listens: "127.0.0.1:0", conns: map[net.Conn]bool{}}
	if strings.HasPrefix(config.Host, "/") {
		l.network, l.address = "unix", fmt.Sprintf("%s/.s.PGSQL.%d", config.Host, config.Port)
	}
	l.mend()
	tb.Cleanup(l.cut)
	u := url.URL{Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: l.listens, Path: "/" + config.Database, RawQuery: "sslmode=disable"}
	return l, u.String()
}

// mend lets connections through.
func (l *line) mend() {
	l.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	listener, err := new(net.ListenConfig).Listen(l.Context(), "tcp", l.listens)
	if err != nil {
		l.Fatal(err)
	}
	l.listener, l.listens = listener, listener.Addr().String()
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go l.carry(near, listener)
		}
	}()
}

func (l *line) carry(near net.Conn, by net.Listener) {
	far, err := new(net.Dialer).DialContext(context.Background(), l.network, l.address)
	if err != nil {
		_ = near.Close()
		return
	}
	l.mu.Lock()
	if l.listener != by {
		_, _ = near.Close(), far.Close()
	} else {
		l.conns[near], l.conns[far] = true, true
	}
	l.mu.Unlock()
	go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
	_, _ = io.Copy(near, far)
	_ = near.Close()
}

// cut breaks all connections, and refuses further ones.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != nil {
		_ = l.listener.Close()
	}
	l.listener = nil
	for conn := range l.conns {
		_ = conn.Close()
	}
	clear(l.conns)
}

var _ pgx.QueryTracer = (*killer)(nil)

// undone reports whether a move that ended early had not let go of the organization.
func undone(state cells.State) bool { return state == cells.Leaving || state == cells.Sealed }
