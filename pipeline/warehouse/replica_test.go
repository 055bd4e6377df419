package warehouse_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/lineage/rebuild"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/changes"
)

// replicas is how many schedules TestAReplicaFollows plays: make replicas plays 10,000.
var replicas = flag.Int("replicas", 30, "how many schedules of writers and followers are played") //nolint:gochecknoglobals // a flag

// TestAReplicaFollows: writers of all kinds write the same bills at once, in transactions that
// commit in any order, beside transactions of others. Writers and followers are killed. A follower
// reads answers of any size meanwhile. Once the writers are quiet, the replica is the tables.
// Another follower that believes the log alone has the same bills, deleted and not.
func TestAReplicaFollows(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	ops := map[string]int{}
	t.Run("worlds", func(t *testing.T) {
		for first := 0; first < *replicas; first += schedulesOfWorld {
			t.Run(fmt.Sprint(first), func(t *testing.T) {
				told := followWorld(t, first, min(first+schedulesOfWorld, *replicas))
				mu.Lock()
				defer mu.Unlock()
				for op, rows := range told {
					ops[op] += rows
				}
			})
		}
	})
	t.Logf("%d schedules, rows of the log: %v", *replicas, ops)
	for _, op := range []string{"new", "changed", "completed", "deleted", "revived", "rewritten", "finished"} {
		check.ErrorIf(t, ops[op] == 0 && *replicas >= 100, "no %s was tried: %v", op, ops)
	}
}

// schedulesOfWorld is how many schedules one world sees: our own tables grow with them.
const schedulesOfWorld = 500

// followWorld plays schedules in a world of their own, and returns how many rows of each op the log
// has.
func followWorld(t *testing.T, from, to int) map[string]int {
	t.Helper()
	w := openWorld(t)
	cursor := check.Sure(changes.Now(t.Context(), w.others))(w)
	told := &teller{cursor: cursor, alive: map[string]bool{}}
	for n := from; n < to; n++ {
		check.FatalIf(t, !w.schedule(uint64(n)+1, told), "schedule %d of %d", n+1, *replicas)
	}
	rows := check.Sure(w.others.Query(t.Context(), `SELECT op, count(*) FROM sluice.changes GROUP BY op`))(w)
	ops := map[string]int{}
	var op string
	var count int
	check.Must(w, check.Failure(pgx.ForEachRow(rows, []any{&op, &count}, func() error { ops[op] = count; return nil })))
	return ops
}

func (w *world) schedule(seed uint64, told *teller) bool {
	w.Helper()
	ctx := w.Context()
	if seed%5 == 0 { // records come for the first time again
		w.exec(`DELETE FROM store.bills_lines`)
		w.exec(`DELETE FROM store.bills`)
		w.exec(`DELETE FROM sluice.tombstones`)
		w.exec(`DELETE FROM public.bills_lines`)
		w.exec(`DELETE FROM public.bills`)
		clear(told.alive)
	}
	var work sync.WaitGroup
	var mu sync.Mutex
	var failed []string
	fail := func(err error) {
		if !expected(err) {
			mu.Lock()
			defer mu.Unlock()
			failed = append(failed, err.Error())
		}
	}
	for process := range uint64(3) {
		work.Go(func() {
			a := &actor{world: w, Rand: rand.New(rand.NewPCG(seed, process)), linger: 4 * time.Millisecond}
			for range 1 + a.IntN(2) {
				do := []func(context.Context) error{ // the last ones are dear
					a.list, a.list, a.list, a.list, a.single, a.single, a.single, a.single, a.scan, a.scan, a.scan, a.scan, a.open, a.open,
					a.rebuild, a.fill, a.kill,
				}
				fail(do[a.IntN(len(do))](ctx))
			}
		})
	}
	work.Go(func() {
		r := rand.New(rand.NewPCG(seed, 9))
		for range r.IntN(4) {
			_, err := w.follow(ctx, 1+r.IntN(4), r.IntN(4) == 0)
			fail(err)
			_, err = told.follow(ctx, w, 1+r.IntN(4))
			fail(err)
		}
	})
	work.Wait()
	a := &actor{world: w, Rand: rand.New(rand.NewPCG(seed, 8))}
	if w.killed.Swap(false) { // sessions that were killed while they waited are noticed when they are used
		w.db.Pool().Reset()
		w.others.Reset()
	}
	if w.edited.Swap(false) { // no rebuild may have undone it
		for tries, left := 0, 1; left > 0; tries++ { // one goes on where another that lost its claim stopped
			err := a.mend(ctx, rebuild.All)
			if errors.Is(err, warehouse.ErrAtWork) { // a run that was killed
				w.settleAll()
			}
			if fail(err); tries == 5 {
				w.Errorf("seed %d: an edit is not undone, the last rebuild: %v", seed, err)
				return false
			}
			left = ask[int](w.fixture, `SELECT count(*) FROM store.bills WHERE _content_hash = `+hashOfEdit)
		}
	}
	for read := 1; read > 0; {
		var err error
		if read, err = w.follow(ctx, 1+a.IntN(8), false); err != nil {
			fail(err)
			break
		}
	}
	for read := 1; read > 0; {
		var err error
		if read, err = told.follow(ctx, w, 1+a.IntN(8)); err != nil {
			fail(err)
			break
		}
	}
	if len(failed) > 0 {
		w.Errorf("seed %d: %s", seed, strings.Join(failed, "\n"))
		return false
	}
	tables := w.held("store")
	if diff := cmp.Diff(tables, w.held("public")); diff != "" {
		w.Errorf("seed %d: the replica is another (-tables +replica):\n%s", seed, diff)
		return false
	}
	alive := map[string]bool{}
	rows := check.Sure(w.others.Query(ctx, `SELECT bill_id, _deleted_at IS NULL FROM store.bills`))(w)
	var id string
	var lives bool
	check.Must(w, check.Failure(pgx.ForEachRow(rows, []any{&id, &lives}, func() error { alive[id] = lives; return nil })))
	if diff := cmp.Diff(alive, told.alive); diff != "" {
		w.Errorf("seed %d: the log tells of other bills (-tables +log):\n%s", seed, diff)
		return false
	}
	return true
}

// follow reads one answer of at most so many records and applies it to the replica, in one
// transaction with the cursor. It returns how many records there were.
func (w *world) follow(ctx context.Context, upTo int, killed bool) (int, error) {
	read := 0
	err := pgx.BeginFunc(ctx, w.others, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT c.record_id, c.cursor FROM public.position p, analytics.changes(p.cursor, '{store.bills}', $1) c`, upTo)
		if err != nil {
			return err
		}
		var id, cursor string
		var ids []string
		_, err = pgx.ForEachRow(rows, []any{&id, &cursor}, func() error { ids = append(ids, id); return nil })
		if read = len(ids); err != nil || read == 0 {
			return err
		}
		for _, sql := range []string{
			`DELETE FROM public.bills_lines WHERE _parent_id = ANY ($1)`,
			`DELETE FROM public.bills WHERE bill_id = ANY ($1)`,
			`INSERT INTO public.bills SELECT * FROM store.bills WHERE bill_id = ANY ($1)`,
			`INSERT INTO public.bills_lines SELECT * FROM store.bills_lines WHERE _parent_id = ANY ($1)`,
		} {
			if _, err := tx.Exec(ctx, sql, ids); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
		if _, err := tx.Exec(ctx, `UPDATE public.position SET cursor = $1`, cursor); err != nil {
			return err
		}
		if killed {
			return errBoom
		}
		return nil
	})
	return read, err
}

// teller believes the log and never reads a table: which records there are, and which are deleted.
type teller struct {
	cursor string
	alive  map[string]bool
}

func (s *teller) follow(ctx context.Context, w *world, limit int) (int, error) {
	found, next, err := changes.Read(ctx, w.others, s.cursor, limit)
	if err != nil {
		return 0, err
	}
	for _, c := range found {
		for _, id := range c.Records {
			switch c.Op {
			case changes.New, changes.Restored:
				s.alive[id] = true
			case changes.Deleted:
				s.alive[id] = false
			case changes.Changed, changes.Completed, changes.Rewritten, changes.Finished, changes.AfterClose:
			}
		}
	}
	s.cursor = next
	return len(found), nil
}

// held returns what followers have of each bill.
func (w *world) held(schema string) map[string]string {
	w.Helper()
	rows := check.Sure(w.others.Query(w.Context(), fmt.Sprintf(followed, schema+".bills", schema+".bills_lines")))(w)
	all := map[string]string{}
	var id, text string
	check.Must(w, check.Failure(pgx.ForEachRow(rows, []any{&id, &text}, func() error { all[id] = text; return nil })))
	return all
}
