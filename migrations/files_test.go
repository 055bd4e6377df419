package migrations_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline/check"
)

// frozen holds the digest of each released file, as sha256sum prints it.
const frozen = "testdata/frozen.sum"

// TestReleasedFilesStayAsTheyAre: a database that has applied a file never sees a later change of
// it, so databases would differ for ever.
func TestReleasedFilesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	text := check.Sure(os.ReadFile(frozen))(t)
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		digest, name, found := strings.Cut(strings.TrimSpace(line), "  ")
		check.FatalIf(t, !found, "%s has the line %q, want what sha256sum prints", frozen, line)
		known[name] = digest
	}
	names := check.Sure(fs.Glob(migrations.FS, "*.sql"))(t)
	next := fmt.Sprintf("%05d_….sql", len(names)+migrations.First)
	for n, name := range names {
		file := check.Sure(fs.ReadFile(migrations.FS, name))(t)
		digest := fmt.Sprintf("%x", sha256.Sum256(file))
		switch known[name] {
		case digest:
		case "":
			t.Errorf("%s is new: once it is right, freeze it by the line\n%s  %s\nin %s", name, digest, name, frozen)
		default:
			t.Errorf("%s has changed, and databases have it as it was: restore it, and write what is to change into a new file, %s", name, next)
		}
		delete(known, name)
		number := fmt.Sprintf("%05d_", n+migrations.First)
		check.ErrorIf(t, !strings.HasPrefix(name, number), "%s does not begin with %s: files are numbered without gaps", name, number)
	}
	for name := range known {
		t.Errorf("%s is missing, and databases have it: restore it", name)
	}
}

// synthetic returns the files of the next version, which expands, and those of the one behind it,
// which contracts, by their names.
func synthetic(t *testing.T) (map[string]string, map[string]string) {
	t.Helper()
	read := func(name string) string {
		text := check.Sure(os.ReadFile("testdata/next/" + name + ".sql"))(t)
		_, behind, _ := strings.Cut(strings.ReplaceAll(string(text), "NEXT", fmt.Sprint(next())), "\n")
		return behind
	}
	first, second := fmt.Sprintf("%05d_expand.sql", next()), fmt.Sprintf("%05d_contract.sql", next()+1)
	expand := map[string]string{first: read("expand")}
	return expand, map[string]string{first: expand[first], second: read("contract")}
}

// atWork returns the session of a process of a version that is at work.
func atWork(t *testing.T, url, name string, program any) *pgx.Conn {
	t.Helper()
	conn := session(t, url, name)
	var number int32
	err := conn.QueryRow(t.Context(), `INSERT INTO sluice.processes (name, program, lock_pid) VALUES ($1, $2, pg_backend_pid()) RETURNING id::integer`, name, program).Scan(&number)
	check.Must(t, err)
	check.Must(t, check.Failure(conn.Exec(t.Context(), `SELECT pg_advisory_lock(20928, $1)`, number)))
	return conn
}

// TestTheNextVersionComesGoesAndContracts: the next version adds columns and fills them while a
// process of this one works. It goes back to this one, and comes again. The version behind it takes
// columns away once no process of this one is left, and then this one is refused.
func TestTheNextVersionComesGoesAndContracts(t *testing.T) {
	url := parallel(t)
	expand, contract := synthetic(t)
	past := migrations.Options{History: migrations.History{Tables: []string{"inventory.bills"}}} // its view reads the columns
	check.Must(t, migrations.Migrate(t.Context(), url, past))
	coming := migrations.Upgraded(past, released(t, expand))
	contracting := migrations.Upgraded(past, released(t, contract))
	bill := func(id string) { // as this version writes it
		run(t, url, `INSERT INTO inventory.bills (organization_id, bill_id, `+own+`) VALUES ('o', '`+id+`', `+ownValues+`) RETURNING 'made'`)
	}
	bills := func(want ...string) {
		t.Helper()
		check.Same(t, "bills", want, list(t, url, `SELECT bill_id || ' ' || _next_turn FROM inventory.bills ORDER BY 1`))
	}
	unchanged := func(what string, opts migrations.Options, want error) {
		t.Helper()
		before := catalogue(t, url)
		check.FailsWith(t, migrations.Migrate(t.Context(), url, opts), want)
		check.Same(t, fmt.Sprintf("%s: changed", what), before, catalogue(t, url))
	}

	bill("1")
	old := atWork(t, url, "old", next()-1)
	check.Must(t, migrations.Migrate(t.Context(), url, coming))
	bill("2")
	bills("1 1", "2 0")

	unchanged("back to this version", migrations.Options{}, nil)
	pending, err := migrations.Pending(t.Context(), url)
	check.ErrorIf(t, err != nil || pending, "back to this version: pending is %t, %v", pending, err)
	bill("3")
	unchanged("forth again", coming, nil)
	bills("1 1", "2 0", "3 0")

	unchanged("a contract beside this version", contracting, migrations.ErrBelow)
	check.Must(t, old.Close(t.Context()))
	atWork(t, url, "new", next())
	check.Must(t, migrations.Migrate(t.Context(), url, contracting))
	if left := list(t, url, `SELECT attrelid::regclass::text FROM pg_attribute WHERE attname = 'next_turn' AND NOT attisdropped AND attrelid = ANY ('{sluice.runs,sluice.streams}'::regclass[])`); len(left) > 0 {
		t.Errorf("the contract left columns of %q", left)
	}
	bills("1 1", "2 0", "3 0")
	unchanged("this version after the contract", migrations.Options{}, migrations.ErrNewer)
	unchanged("the next version after the contract", coming, nil)
}
