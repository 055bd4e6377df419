package warehouse_test

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/warehouse"
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
	if err := warehouse.CheckSessions(t.Context(), direct); err != nil {
		t.Fatalf("without a pooler: %v", err)
	}
	config, err := pgx.ParseConfig(direct)
	if err != nil {
		t.Fatal(err)
	}
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	for _, newest := range []bool{true, false} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
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
		err = warehouse.CheckSessions(t.Context(), pooled.String())
		if !errors.Is(err, warehouse.ErrSharedSessions) || !strings.Contains(err.Error(), "session mode") {
			t.Errorf("newest first %t: %v", newest, err)
		}
		_ = listener.Close()
		clients.Wait()
		for _, session := range p.free {
			_ = session.Close()
		}
	}
}
