package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"testing"
)

// echo returns a server that repeats its input, behind a proxy.
func echo(t *testing.T, tap Tap) *Proxy {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				_, _ = io.Copy(conn, conn) // the client breaks it on purpose
				_ = conn.Close()
			})
		}
	})
	p, err := Listen(t.Context(), func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", listener.Addr().String())
	}, tap)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		_ = listener.Close()
		serving.Wait()
	})
	return p
}

func dial(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", p.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// say writes a text and reads a number of bytes of the answer.
func say(t *testing.T, conn net.Conn, text string, n int) (string, error) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		return "", err
	}
	answer := make([]byte, n)
	read, err := io.ReadFull(conn, answer)
	return string(answer[:read]), err
}

func TestPassesAndResets(t *testing.T) {
	t.Parallel()
	p := echo(t, nil)
	conn := dial(t, p)
	if got, err := say(t, conn, "hello", 5); got != "hello" || err != nil {
		t.Fatalf("got %q, %v", got, err)
	}
	if n := p.Reset(); n != 1 {
		t.Errorf("%d connections were reset, want 1", n)
	}
	if _, err := io.ReadAll(conn); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client sees %v, want a reset", err)
	}
	if got, err := say(t, dial(t, p), "again", 5); got != "again" || err != nil {
		t.Errorf("a new connection: %q, %v", got, err)
	}
}

func TestCutsInTheMiddle(t *testing.T) {
	t.Parallel()
	p := echo(t, nil)
	conn := dial(t, p)
	if _, err := say(t, conn, "x", 1); err != nil {
		t.Fatal(err)
	}
	p.Cut(3)
	got, err := say(t, conn, "hello", 5)
	if len(got) > 3 || got != "hello"[:len(got)] || err == nil {
		t.Errorf("got %q, %v, want three bytes at most and an error", got, err)
	}
	if got, err := say(t, dial(t, p), "whole", 5); got != "whole" || err != nil {
		t.Errorf("after the cut: %q, %v", got, err)
	}
}

func TestHeldBytesAreLateAndSwallowedOnesLost(t *testing.T) {
	t.Parallel()
	arrived := make(chan string, 10)
	p := echo(t, func(_ int, fromClient bool, data []byte) int {
		if fromClient {
			arrived <- string(data)
		}
		return len(data)
	})
	held := dial(t, p)
	p.Hold()
	if _, err := io.WriteString(held, "late"); err != nil {
		t.Fatal(err)
	}
	<-arrived
	p.Heal()
	answer := make([]byte, 4)
	if _, err := io.ReadFull(held, answer); err != nil || string(answer) != "late" {
		t.Errorf("held: %q, %v", answer, err)
	}
	for name, end := range map[string]func(){"healed": p.Heal, "another fault": p.Hold} {
		lost := dial(t, p)
		p.Swallow()
		if _, err := io.WriteString(lost, "lost"); err != nil {
			t.Fatal(err)
		}
		<-arrived
		end()
		if text, err := io.ReadAll(lost); err == nil || len(text) > 0 {
			t.Errorf("swallowed, then %s: %q, %v, want an error and nothing", name, text, err)
		}
	}
}

func TestATapThatLetsAPartPass(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 10)
	p := echo(t, func(_ int, fromClient bool, data []byte) int {
		if !fromClient {
			heard <- string(data)
			return len(data)
		}
		if at := bytes.IndexByte(data, '!'); at >= 0 {
			return at
		}
		return len(data)
	})
	conn := dial(t, p)
	if got, err := say(t, conn, "yes", 3); got != "yes" || err != nil {
		t.Fatalf("got %q, %v", got, err)
	}
	<-heard
	if _, err := say(t, conn, "no!more", 7); err == nil {
		t.Error("what the tap kept back was answered")
	}
}
