//go:build e2e

package cli

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"sluice/sandbox"
)

// bouncer is a PgBouncer before a cluster, with an entry for each way to use it.
func (c *cluster) bouncer() {
	c.t.Helper()
	page := sure(os.ReadFile("../../../docs/operations/poolers-and-failover.md"))(c.t)
	query := regexp.MustCompile(`connect_query='[^']+'`).FindString(string(page))
	if query == "" {
		c.t.Fatal("the page has no connect_query")
	}
	entry := fmt.Sprintf("host=%s dbname=postgres user=postgres", c.folder)
	lines := []string{
		"[databases]", "session = " + entry + " pool_mode=session pool_size=60",
		"transaction = " + entry + " pool_mode=transaction pool_size=4 " + query,
		"bare = " + entry + " pool_mode=transaction pool_size=4",
		"other = " + strings.Replace(entry, "dbname=postgres", "dbname=template1", 1) + " pool_mode=transaction pool_size=4 " + query,
		"[pgbouncer]", "listen_addr =", "listen_port = 6432", "unix_socket_dir = " + c.folder, "auth_type = any", "max_client_conn = 300",
		"logfile = " + c.folder + "/bouncer.log", "pidfile = " + c.folder + "/bouncer.pid",
	}
	c.sh("cat >bouncer.ini <<'END'\n" + strings.Join(lines, "\n") + "\nEND\npgbouncer --quiet --daemon bouncer.ini\n" +
		"timeout 60 sh -c 'until [ -S .s.PGSQL.6432 ]; do sleep 0.1; done'")
	c.t.Cleanup(func() { _, _ = c.try(`kill "$(cat bouncer.pid)"`) }) // its folder goes next
}

// through is the address of an entry of the bouncer.
func (c *cluster) through(entry string) string {
	return "postgres://postgres@/" + entry + "?port=6432&host=" + url.QueryEscape(c.folder)
}

// TestPgBouncer copies through PgBouncer in session mode, and in transaction mode with a way past
// it. Without that way, without the settings, and with a way to another database, it refuses.
func TestPgBouncer(t *testing.T) {
	t.Parallel()
	h := newTold(t, sandbox.Options{Seed: 99, Records: 60, HeadersOnly: true, Plan: "elite", Limits: sandbox.Limits{Off: true}}, "")
	h.environment[withMinute] = "10s" // the plan allows a hundred calls a minute, and there are some hundred single records
	c := h.newCluster("pgbouncer")
	c.sh("$START")
	h.on(c.url())
	must(t, migrated(t.Context(), c.url()))
	c.bouncer()
	uses := func(address, direct string) {
		h.environment["SLUICE_DATABASE_URL"], h.environment["SLUICE_SESSION_URL"] = address, direct
	}
	refused := func(want string) {
		t.Helper()
		h.complains(codeEnvironment, want, "sync")
	}

	uses(c.through("session"), "")
	h.sync(codeFine)
	h.equal()
	uses(c.through("transaction"), "")
	refused("database.session_url")

	h.rewrite("  url: ${SLUICE_DATABASE_URL}\n", "  url: ${SLUICE_DATABASE_URL}\n  session_url: ${SLUICE_SESSION_URL}\n")
	uses(c.through("bare"), c.url())
	refused("connect_query")
	uses(c.through("other"), c.url())
	refused("two databases")
	for seed, direct := range []string{c.url(), c.through("session")} {
		uses(c.through("transaction"), direct)
		h.changed(int64(1 + seed))
		h.sync(codeFine)
		h.equal("inventory.items")
		h.equal("inventory.bills")
	}

	h.exec(`UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`) // nothing is due by schedule
	serve := h.serve()
	h.rules()
	sure(h.world.Change(sandbox.Change{Seed: 3, Inserts: 1, Edits: 3, Resources: []string{"bills", "items"}}))(t)
	h.waitUntil("what was told is read", func() bool {
		return one[bool](h.fixture, `SELECT count(*) = 8 AND bool_and(read_at IS NOT NULL) FROM sluice.hints`)
	})
	if !one[bool](h.fixture, `SELECT count(*) > 0 FROM pg_stat_activity WHERE query ~ 'LISTEN'`) {
		t.Error("nothing listens")
	}
	serve.terminate()
	serve.ends(codeFine, patience)
	h.equal("inventory.bills")
	h.equal("inventory.items")
}
