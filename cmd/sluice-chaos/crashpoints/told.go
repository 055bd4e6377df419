package main

import (
	"context"
	"fmt"
	"net"
	"sync"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-chaos/testbed"
	"sluice/cmd/sluice-chaos/watch"
)

// reach connects the public address to the process that receives, and waits until there is one.
func (l *lane) reach(ctx context.Context) (net.Conn, error) {
	address := ""
	watch.Until(ctx, func() bool {
		if p := l.receiver.Load(); p != nil && p.Alive() {
			address = p.Receives()
		}
		return address != ""
	})
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("reach the receiver: %w", err)
	}
	return conn, nil
}

// tell lets upstream tell a process of its changes, and asks the process to end when it has nothing
// more to do. It returns earlier if the process ends before.
func (l *lane) tell(ctx context.Context, p *testbed.Process, pool *pgxpool.Pool) error {
	sending, stop := context.WithCancel(ctx)
	var upstream sync.WaitGroup
	defer upstream.Wait()
	defer stop()
	l.receiver.Store(p)
	upstream.Go(func() { l.bed.World.Run(sending) })
	var failed error
	watch.Until(ctx, func() bool {
		switch {
		case !p.Alive():
			return true
		case p.Receives() == "": // it is starting, and could not be told to end yet
			return false
		}
		told, err := l.bed.Told(ctx)
		if err == nil && told {
			told, err = l.read(ctx, pool, p)
		}
		failed = err
		return told || err != nil
	})
	p.Signal(syscall.SIGTERM)
	return failed
}

// The work that hints lead to. A second read that waits for readers upstream is due at once.
const (
	sqlReadAgain = `UPDATE sluice.hints SET due_at = clock_timestamp() WHERE read_again AND read_at IS NULL AND due_at > clock_timestamp()`
	sqlAllRead   = `SELECT NOT EXISTS (SELECT FROM sluice.hints WHERE read_at IS NULL)
		AND NOT EXISTS (SELECT FROM sluice.streams WHERE enabled AND (run_id IS NOT NULL OR requested_gen > served_gen))`
)

// read reports whether a process has read everything that upstream told of. One that only receives
// reads nothing.
func (l *lane) read(ctx context.Context, pool *pgxpool.Pool, p *testbed.Process) (bool, error) {
	if p.Receiver {
		return true, nil
	}
	if _, err := pool.Exec(ctx, sqlReadAgain); err != nil {
		return false, fmt.Errorf("let a pause of hints pass: %w", err)
	}
	var read bool
	if err := pool.QueryRow(ctx, sqlAllRead).Scan(&read); err != nil {
		return false, fmt.Errorf("ask for hints: %w", err)
	}
	return read, nil
}
