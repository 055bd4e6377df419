package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
)

// TestJourney runs three syncs: of everything, of what changed, and of nothing.
func TestJourney(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]sandbox.Options{
		"without limits":              {Seed: 11, Records: 1200, Limits: sandbox.Limits{Off: true}},
		"small, with limits":          {Seed: 12, Records: 300},
		"an export without its title": {Seed: 13, Records: 300, NoCSVHeader: true, TimeZone: "America/New_York"},
		"an export in pages":          {Seed: 14, Records: 600, ChatPage: 50, ChatEpoch: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			journey(newFixture(t, options).narrow(), options.ChatPage > 0)
		})
	}
}

func journey(s *fixture, paged bool) {
	s.t.Helper()
	s.expect(s.sync(codeFine), nil)

	s.pass(time.Hour)
	changed, err := s.world.Change(sandbox.Change{Seed: 3, Inserts: 4, Edits: 9, Deletes: 2})
	must(s.t, err)
	s.expect(s.sync(codeFine), changed)

	s.pass(time.Hour)
	before, calls := s.written(), s.calls()
	third := s.sync(codeFine)
	s.equal()
	if after := s.written(); after != before {
		s.t.Errorf("rows written (inserted, updated, deleted) were %v and are %v after a sync of nothing", before, after)
	}
	for i := range third.Streams {
		r := &third.Streams[i]
		if r.Inserted+r.Updated+r.Quarantined > 0 {
			s.t.Errorf("%s: the third sync says that it wrote: %+v", r.Key, r)
		}
		// Credit notes have neither filter nor sort, so they are read whole. So is an export, which
		// may have several answers.
		whole := r.Resource == "credit_notes" || paged && r.Resource == "conversations"
		want := int64(1)
		if strings.HasSuffix(r.Resource, ".details") {
			want = 0 // lists show lines, so no row waits for its single record
		}
		if !whole && r.Calls != want {
			s.t.Errorf("%s: the third sync cost %d calls, want %d", r.Key, r.Calls, want)
		}
	}
	if now := s.calls(); now <= calls {
		s.t.Errorf("%d calls after the third sync, %d before", now, calls)
	}
}

// expect compares a sync's result with upstream and with the changes that were made; nil means that
// everything was new.
func (s *fixture) expect(result syncResult, changed sandbox.Changed) {
	s.t.Helper()
	gone, undeclared := s.equal()
	deleted := 0
	if lists := len(result.Streams) - withDetails(result.Streams); lists != len(resources()) {
		s.t.Errorf("%d lists were synced, want %d", lists, len(resources()))
	}
	for i := range result.Streams {
		r := &result.Streams[i]
		var inserted, updated int64
		if c, ok := changed[r.Resource]; ok {
			inserted, updated = int64(len(c.Inserted)), int64(len(c.Edited))
			deleted += len(c.Deleted)
		} else {
			inserted = int64(s.upstreamHas(r.Service, r.Resource))
		}
		if r.Inserted != inserted || r.Updated != updated || r.Outcome != "done" || r.State != "idle" || r.Quarantined != 0 {
			s.t.Errorf("%s: %+v; want done, %d new and %d changed", r.Key, r, inserted, updated)
		}
	}
	if gone != deleted || undeclared != 0 {
		s.t.Errorf("%d rows without a record upstream, want the %d deleted ones; %d with keys that no column takes", gone, deleted, undeclared)
	}
	if stats := s.world.Stats(); stats.Calls != s.calls() || len(stats.Refused) > 0 {
		s.t.Errorf("the call log has %d calls, upstream counted %d and refused %v", s.calls(), stats.Calls, stats.Refused)
	}
	if stats := s.world.Stats(); one[int](s, `SELECT count(*) FROM sluice.calls WHERE resource = 'token'`) != stats.TokenRequests {
		s.t.Errorf("upstream counted %d token requests, the call log others", stats.TokenRequests)
	}
}

// withDetails counts the streams of single records.
func withDetails(streams []streamResult) int {
	n := 0
	for i := range streams {
		if strings.HasSuffix(streams[i].Resource, ".details") {
			n++
		}
	}
	return n
}

// upstreamHas counts the records of a list; where lists show lines, there are no single records to
// read.
func (s *fixture) upstreamHas(service, resource string) int {
	n := 0
	if !strings.HasSuffix(resource, ".details") {
		for range s.world.Truth(service, resource) {
			n++
		}
	}
	return n
}

// calls counts the call log without the calls for tokens.
func (s *fixture) calls() int {
	s.t.Helper()
	return one[int](s, `SELECT count(*) FROM sluice.calls WHERE resource <> 'token'`)
}

// written are the server's counts of writes to the tables of the services.
func (s *fixture) written() [3]int64 {
	s.t.Helper()
	s.quiet()
	conn, err := pgx.Connect(s.t.Context(), s.environment["SLUICE_DATABASE_URL"]) // only a new session sees the latest figures
	must(s.t, err)
	var n [3]int64
	must(s.t, conn.QueryRow(s.t.Context(), `SELECT coalesce(sum(n_tup_ins), 0), coalesce(sum(n_tup_upd), 0), coalesce(sum(n_tup_del), 0)
		FROM pg_stat_user_tables WHERE schemaname IN ('accounting', 'inventory', 'chat')`).Scan(&n[0], &n[1], &n[2]))
	must(s.t, conn.Close(s.t.Context()))
	return n
}

// quiet waits until no other session is connected to the database: then every session of an ended
// process has reported what it did.
func (s *fixture) quiet() {
	s.t.Helper()
	s.until("all sessions have ended", `SELECT count(*) = 0 FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`)
}
