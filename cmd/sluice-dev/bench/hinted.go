package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-dev/harness"
	"sluice/cmd/sluice-sandbox/poster"
	"sluice/sandbox"
)

const (
	// changesPause is the time from a row to the next change, on average. Each differs, so that
	// changes come at no fixed instant between two looks for hints.
	changesPause = 1500 * time.Millisecond
	// fewItems are the items of the company, which has as many bills. The first copy reads each by
	// a call, and has to leave some of the 100 calls of a minute for the changes.
	fewItems = 30
	// patience bounds each wait: for a row, and for the program's start.
	patience = time.Minute
	// callTakes is how long one call takes after the first copies.
	callTakes = time.Second
)

// measureHinted times the way from a callback to the committed row: bills and items change in turn,
// upstream tells of it, and sluice serve reads the record with a call of a second.
func measureHinted(ctx context.Context, s *stage, p *plan, t *table) error {
	for _, debounce := range []string{"2s", "0s"} {
		took, err := s.rows(ctx, p, debounce)
		if err != nil {
			return err
		}
		if debounce == "0s" {
			t.add("hinted at once", harness.Quantile(took, 0.5))
			continue
		}
		t.add("hinted row p50", harness.Quantile(took, 0.5))
		t.add("hinted row p99", harness.Quantile(took, 0.99))
	}
	return nil
}

// rows returns how many seconds it took from each callback to its row.
func (s *stage) rows(ctx context.Context, p *plan, debounce string) ([]float64, error) {
	lists := []list{items, bills}
	options := unlimited(companyOf(fewItems))
	options.HeadersOnly, options.SortsModified, options.Poster = true, true, new(poster.Poster)
	var took []float64
	var slow atomic.Bool // after the first copies
	err := inWorld(ctx, options, func(world http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if slow.Load() {
				harness.Sleep(r.Context(), callTakes)
			}
			world.ServeHTTP(w, r)
		})
	}, func(u *world) error {
		return s.fresh(ctx, func(w *warehouse) error {
			listen, err := harness.FreeAddress(ctx)
			if err != nil {
				return err
			}
			config, environment, err := w.configure(harness.Config{
				Upstream: u.address, Notifications: `{secret: "${HOOK_SECRET}"}`,
				Settings: fmt.Sprintf("notifications: {listen: %[1]q, public_url: \"http://%[1]s\", hinted_per_minute: 100, debounce: %[2]s}\n",
					listen, debounce),
				Resources: map[string]string{items.stream(): "every: 24h, sweep: off", bills.stream(): "every: 24h, sweep: off"},
			})
			if err != nil {
				return err
			}
			if err := w.command(ctx, environment, "sync", "--config", config, nameItems, nameBills); err != nil {
				return err
			}
			slow.Store(true)
			if err := u.SetWebhooks(harness.Rules("http://" + listen)); err != nil {
				return err
			}
			serve, err := harness.Start("serve", filepath.Join(s.folder, w.name+"-serve.log"), environment, s.program,
				"serve", "--config", config, "--listen", "127.0.0.1:0")
			if err != nil {
				return err
			}
			err = harness.Wait(ctx, patience, "sluice serve does not listen", func(ctx context.Context) (bool, error) {
				conn, err := new(net.Dialer).DialContext(ctx, "tcp", listen)
				if err != nil {
					return false, nil //nolint:nilerr // not yet
				}
				return true, conn.Close()
			})
			if err == nil {
				took, err = w.changed(ctx, u, lists, p.notified)
			}
			return errors.Join(err, serve.Stop(ctx))
		})
	})
	return took, err
}

// changed changes one record after the other and returns how long after its callback was answered
// each was in its table.
func (w *warehouse) changed(ctx context.Context, u *world, lists []list, changes int) ([]float64, error) {
	var took []float64
	err := w.do(ctx, func(conn *pgx.Conn) error {
		chance := rand.New(rand.NewPCG(1, 1)) // it has to be repeatable
		for i := range changes {
			l := lists[i%len(lists)]
			changed, err := u.Change(sandbox.Change{Seed: int64(i), Edits: 1, Resources: []string{l.stream()}})
			if err != nil {
				return err
			}
			id := changed[l.resource].Edited[0]
			at := time.Now()
			if u.Deliver(ctx) != 1 {
				return fmt.Errorf("upstream did not tell of %s %s", l.stream(), id)
			}
			accepted := time.Now()
			err = harness.Wait(ctx, patience, fmt.Sprintf("the change of %s %s does not come", l.stream(), id), func(ctx context.Context) (bool, error) {
				var there bool
				err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+quoted(l.service, l.resource)+
					" WHERE "+quoted(l.id)+" = $1 AND last_modified_time >= $2)", id, at.Truncate(time.Second)).Scan(&there)
				return there, err
			})
			if err != nil {
				return err
			}
			took = append(took, time.Since(accepted).Seconds())
			harness.Sleep(ctx, changesPause/2+time.Duration(chance.Int64N(int64(changesPause))))
		}
		return ctx.Err()
	})
	return took, err
}
