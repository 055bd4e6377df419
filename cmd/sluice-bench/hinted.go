package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice/poster"
	simulated "sluice/sandbox"
)

const (
	// changesPause is the time from a row to the next change, on average. Each differs, so that
	// changes come at no fixed instant between two looks for hints.
	changesPause = 1500 * time.Millisecond
	// rowEvery is how often rows are looked for, and so how much too long a way may seem.
	rowEvery = 20 * time.Millisecond
	// fewItems are the items of the company, which has as many bills. The first copy reads each by
	// a call, and has to leave some of the 100 calls of a minute for the changes.
	fewItems = 30
	// patience bounds each wait: for a row, for the program's start, for its queue.
	patience = time.Minute
)

// measureHinted times the way from a callback to the committed row: bills and items change in turn,
// upstream tells of it, and sluice serve reads the record with a call of a second.
func measureHinted(ctx context.Context, s *stage, p *plan, t *table) error {
	usual, err := s.rows(ctx, p, "debounce: 2s")
	if err != nil {
		return err
	}
	t.add("hinted row p50", quantile(usual, 0.5))
	t.add("hinted row p99", quantile(usual, 0.99))
	atOnce, err := s.rows(ctx, p, "debounce: 0s")
	if err != nil {
		return err
	}
	t.add("hinted at once", quantile(atOnce, 0.5))
	return nil
}

// rows returns how many seconds it took from each callback to its row.
func (s *stage) rows(ctx context.Context, p *plan, debounce string) ([]float64, error) {
	of := told{id: simulated.DefaultOrganizationID, refreshToken: simulated.RefreshToken, lists: []list{items, bills}}
	options := simulated.Options{
		Records: companyOf(fewItems), HeadersOnly: true, SortsModified: true, Now: time.Now, Limits: simulated.Limits{Off: true},
		Poster: new(poster.Poster),
	}
	var took []float64
	var slow atomic.Bool // after the first copies
	err := withWorld(ctx, options, func(answers http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if slow.Load() {
				select {
				case <-r.Context().Done():
				case <-time.After(callTakes):
				}
			}
			answers.ServeHTTP(w, r)
		})
	}, func(u *world) error {
		return s.fresh(ctx, func(w *warehouse) error {
			listen, err := freeAddress(ctx)
			if err != nil {
				return err
			}
			public := "http://" + listen
			settings := fmt.Sprintf("listen: %q, public_url: %q, hinted_per_minute: 100, %s", listen, public, debounce)
			config, environment, err := w.narrow(u, []told{of}, settings, "every: 24h, sweep: off")
			if err != nil {
				return err
			}
			if err := w.run(ctx, environment, "sync", "--config", config, nameItems, nameBills); err != nil {
				return err
			}
			slow.Store(true)
			if err := of.rules(u, public); err != nil {
				return err
			}
			return w.serving(ctx, environment, config, listen, func() error {
				took, err = w.changed(ctx, u, of.lists, p.told)
				return err
			})
		})
	})
	return took, err
}

// freeAddress is an address of this machine on which nothing listens.
func freeAddress(ctx context.Context) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("look for a free address: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// serving runs work while the program serves, once it receives callbacks.
func (w *warehouse) serving(ctx context.Context, environment []string, config, listen string, work func() error) error {
	cmd := exec.CommandContext(ctx, w.stage.program, "serve", "--config", config, "--listen", "127.0.0.1:0") //nolint:gosec // the program under test
	cmd.Env, cmd.Stderr = environment, os.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s serve (make build builds it): %w", w.stage.program, err)
	}
	err := listens(ctx, listen)
	if err == nil {
		err = work()
	}
	return errors.Join(err, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait())
}

// listens waits until something listens at an address.
func listens(ctx context.Context, address string) error {
	return until(ctx, rowEvery, "sluice serve does not listen at "+address, func(ctx context.Context) (bool, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return false, nil //nolint:nilerr // not yet
		}
		return true, conn.Close()
	})
}

// changed changes one record after the other and returns how long after its callback was answered
// each was in its table.
func (w *warehouse) changed(ctx context.Context, u *world, lists []list, changes int) ([]float64, error) {
	var took []float64
	err := w.do(ctx, func(conn *pgx.Conn) error {
		chance := rand.New(rand.NewPCG(1, 1)) // it has to be repeatable
		for i := range changes {
			l := lists[i%len(lists)]
			changed, err := u.Change(simulated.Change{Seed: int64(i), Edits: 1, Resources: []string{l.stream()}})
			if err != nil {
				return err
			}
			id := changed[l.resource].Edited[0]
			at := time.Now()
			if u.Deliver(ctx) != 1 {
				return fmt.Errorf("upstream did not tell of %s %s", l.stream(), id)
			}
			accepted := time.Now()
			err = until(ctx, rowEvery, fmt.Sprintf("the change of %s %s does not come", l.stream(), id), func(ctx context.Context) (bool, error) {
				var there bool
				err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+quoted(l.service, l.resource)+
					" WHERE "+quoted(l.id)+" = $1 AND last_modified_time >= $2)", id, at.Truncate(time.Second)).Scan(&there)
				return there, err
			})
			if err != nil {
				return err
			}
			took = append(took, time.Since(accepted).Seconds())
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(changesPause/2 + time.Duration(chance.Int64N(int64(changesPause)))):
			}
		}
		return nil
	})
	return took, err
}

// until looks again and again until something is so.
func until(ctx context.Context, often time.Duration, otherwise string, is func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticker := time.NewTicker(often)
	defer ticker.Stop()
	for {
		if so, err := is(ctx); err != nil || so {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s within %s: %w", otherwise, patience, context.Cause(ctx))
		case <-ticker.C:
		}
	}
}
