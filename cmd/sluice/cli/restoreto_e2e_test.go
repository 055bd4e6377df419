//go:build e2e

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// TestRestoreToAPointInTime executes the lines of docs/operations/restore.md for both tools. The
// database goes back to an instant between two syncs; the next sync makes both sides equal.
func TestRestoreToAPointInTime(t *testing.T) {
	t.Parallel()
	const (
		minute            = 3 * time.Second
		perMinute, atOnce = 100, 10 // of the plan premium: docs/upstream.md U40 and U41
	)
	for heading, tools := range map[string][]string{"With pg_basebackup": nil, "With pgBackRest": {"pgbackrest"}} {
		t.Run(heading, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t, sandbox.Options{Seed: 97, Records: 300, Limits: sandbox.Limits{Minute: minute}}).narrow()
			s.environment[withMinute] = minute.String()
			c := s.newCluster(tools...)
			c.prepare()
			c.sh("$START")
			s.on(c.url())
			must(t, migrated(t.Context(), c.url()))
			lines := linesOf(t, "operations/restore.md", heading)
			if len(lines) != 3 {
				t.Fatalf("the recipe has %d blocks, want what is done once, each night, and to restore", len(lines))
			}
			once, nightly, restore := lines[0], lines[1], lines[2]

			s.sync(codeFine, "items", "bills")
			must(t, s.conn.Close(t.Context())) // or the stop would wait for it
			c.sh(once)
			c.sh(nightly)
			s.on(c.url())
			saved := one[time.Time](s, `SELECT clock_timestamp()`)
			s.changed(1)
			s.sync(codeFine, "items", "bills")
			s.equal("inventory.items")
			// pgBackRest knows by the second when a backup ended, and wants one before the instant.
			s.exec(`SELECT pg_sleep_for(date_trunc('second', $1::timestamptz) + interval '1 second' - clock_timestamp())`, saved)
			instant := one[string](s, `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00')`)
			then := one[int](s, `SELECT count(*) FROM sluice.calls`)
			s.changed(2)
			s.sync(codeFine, "items", "bills")
			s.equal("inventory.items")
			after := one[int](s, `SELECT count(*) FROM sluice.calls`)

			bases := sure(filepath.Glob(c.folder + "/backup/base/*"))(t)
			c.set("BASE", strings.Join(bases, " ")) // there is one, or none
			c.set("TARGET", instant)
			must(t, s.conn.Close(t.Context()))
			lost := time.Now()
			c.sh(restore)
			s.on(c.url())
			usable := time.Now()
			if known := one[int](s, `SELECT count(*) FROM sluice.calls`); known != then || known == after {
				t.Fatalf("the database has %d calls after the restore, and had %d at the instant and %d later", known, then, after)
			}
			s.changed(3)
			for line := range strings.Lines(linesOf(t, "operations/restore.md", "After each restore")[0]) {
				command, _, _ := strings.Cut(line, "#")
				s.prints(codeFine, "", strings.Fields(command)[1:]...)
			}
			s.equal("inventory.items")
			s.equal("inventory.bills")
			s.withinLimits(perMinute, atOnce, minute)
			s.noneReserved(usable, lost, 2*minute)
		})
	}
}

// changed makes changes upstream.
func (s *fixture) changed(seed int64) {
	s.t.Helper()
	sure(s.world.Change(sandbox.Change{Seed: seed, Inserts: 4, Edits: 12, Deletes: 2, Resources: []string{"items", "bills"}}))(s.t)
}

// prepare sets the variables of the page's section about folders to those of the test. Each has
// to be among them.
func (c *cluster) prepare() {
	c.t.Helper()
	c.set("BACKUP", filepath.Join(c.folder, "backup"))
	c.set("PGBACKREST_CONFIG", filepath.Join(c.folder, "pgbackrest.conf"))
	for _, line := range regexp.MustCompile(`(\w+)=`).FindAllStringSubmatch(linesOf(c.t, "operations/restore.md", "The folders")[0], -1) {
		if !slices.ContainsFunc(c.environment, func(set string) bool { return strings.HasPrefix(set, line[1]+"=") }) {
			c.t.Errorf("the page sets %s, and the test does not", line[1])
		}
	}
	// What only the test needs: folders of its own, and the socket that it connects to.
	for name, value := range map[string]string{"LOG_PATH": "logs", "LOCK_PATH": "locks", "SPOOL_PATH": "spool"} {
		folder := filepath.Join(c.folder, value)
		c.sh(fmt.Sprintf("mkdir -p %q", folder))
		c.set("PGBACKREST_"+name, folder)
	}
	c.set("PGBACKREST_PG1_SOCKET_PATH", c.folder)
	c.set("PGBACKREST_PG1_USER", "postgres")
	c.set("TMPDIR", os.TempDir())
}
