//go:build e2e

package cli

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// cluster is a Postgres of a test that administers it as an operator does: by the shell, under the
// account of the server, with the tools of Postgres and others.
type cluster struct {
	t *testing.T
	// folder holds all that the account writes; data is the server's folder in it.
	folder, data string
	environment  []string
	lent         *syscall.Credential
}

// newCluster makes a cluster that is not started. Each of these tools has to be installed.
func (s *fixture) newCluster(tools ...string) *cluster {
	s.t.Helper()
	c := s.newAccount(tools...)
	c.sh(`initdb --username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync >/dev/null
cat >>"$CONF" <<END
listen_addresses = ''
unix_socket_directories = '$PGHOST'
fsync = off
END`)
	return c
}

// newAccount prepares the account, without a cluster.
func (s *fixture) newAccount(tools ...string) *cluster {
	s.t.Helper()
	for _, tool := range tools {
		_, err := exec.LookPath(tool)
		if err != nil {
			_, err = os.Stat("/usr/sbin/" + tool)
		}
		if err != nil {
			s.t.Fatalf("%s is missing, and this test works through it: run .ci/poolers, or apt-get install -y --no-install-recommends %s", tool, tool)
		}
	}
	// Not t.TempDir: the account that a server of root runs as cannot enter it.
	folder := sure(os.MkdirTemp("", "sluice-pg-"))(s.t)
	s.t.Cleanup(func() { _ = os.RemoveAll(folder) })
	c := &cluster{t: s.t, folder: folder, data: filepath.Join(folder, "data")}
	if os.Geteuid() == 0 {
		account, err := user.Lookup("postgres")
		if err != nil {
			account, err = user.Lookup("nobody")
		}
		must(s.t, err)
		uid := sure(strconv.Atoi(account.Uid))(s.t)
		gid := sure(strconv.Atoi(account.Gid))(s.t)
		must(s.t, os.Chown(folder, uid, gid))
		c.lent = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	bin := one[string](s, `SELECT setting FROM pg_config WHERE name = 'BINDIR'`)
	if _, err := os.Stat(filepath.Join(bin, "pg_basebackup")); err != nil {
		s.t.Fatalf("the tests need the server's binaries on this machine: run .ci/setup binaries (%v)", err)
	}
	c.set("PATH", bin+":/usr/sbin:/usr/bin:/sbin:/bin")
	c.set("PGDATA", c.data)
	c.set("CONF", filepath.Join(c.data, "postgresql.conf"))
	c.set("PGHOST", folder)
	c.set("PGUSER", "postgres")
	c.set("START", "pg_ctl --silent --wait --log="+folder+"/log start")
	c.set("STOP", "pg_ctl --silent --wait --mode=fast stop")
	s.t.Cleanup(func() {
		if _, err := os.Stat(filepath.Join(c.data, "postmaster.pid")); err == nil {
			_, _ = c.try("pg_ctl --silent --mode=immediate stop") // the folder goes next
		}
	})
	return c
}

// set sets a variable of the account's environment.
func (c *cluster) set(name, value string) { c.environment = append(c.environment, name+"="+value) }

// sh executes lines under the account of the server, and demands that each succeeds.
func (c *cluster) sh(lines string) {
	c.t.Helper()
	if said, err := c.try(lines); err != nil {
		log, _ := os.ReadFile(filepath.Join(c.folder, "log")) // it may not have started yet
		c.t.Fatalf("%v\n%s\n%s\n%s", err, lines, said, log[max(0, len(log)-3000):])
	}
}

func (c *cluster) try(lines string) (string, error) {
	cmd := exec.CommandContext(context.WithoutCancel(c.t.Context()), "bash", "-euo", "pipefail", "-c", lines)
	cmd.Env, cmd.Dir = c.environment, c.folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.lent}
	said, err := cmd.CombinedOutput()
	return string(said), err
}

// url is the address of the database.
func (c *cluster) url() string {
	return "postgres://postgres@/postgres?host=" + url.QueryEscape(c.folder)
}

// on leads the fixture to a database.
func (s *fixture) on(address string) {
	s.t.Helper()
	_ = s.conn.Close(s.t.Context()) // the old server may be gone
	s.environment["SLUICE_DATABASE_URL"] = address
	conn := sure(pgx.Connect(s.t.Context(), address))(s.t)
	s.conn = conn
	s.t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(s.t.Context())) })
}

// linesOf are the blocks of shell lines of a page below a heading, in their order.
func linesOf(t *testing.T, page, heading string) []string {
	t.Helper()
	text := sure(os.ReadFile(filepath.Join("../../../docs", filepath.FromSlash(page))))(t)
	_, section, found := strings.Cut(string(text), "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var blocks []string
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(section, -1) {
		blocks = append(blocks, block[1])
	}
	if !found || len(blocks) == 0 {
		t.Fatalf("%s has no lines below %s", page, heading)
	}
	return blocks
}
