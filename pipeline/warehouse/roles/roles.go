// Package roles makes the roles of the database that the processes of the program connect with, and
// gives each what it needs and no more: owner, worker, receiver, publisher of the lake, console,
// and the groups of readers.
//
// They are groups without login: the operator makes the roles that log in, and grants each of them
// one group. It never drops a role, revokes nothing, and never touches a role that it did not make.
// The rights themselves stand in the functions of the database that grant them, and in package
// readers.
//
// Start reading at Apply.
package roles

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/readers"
)

// Comment is the comment of each role that this package made: it touches no other one.
const Comment = "Made by sluice migrate --roles"

var (
	// ErrForeign says that a role of the name exists that sluice did not make.
	ErrForeign = errors.New("a role of that name exists that sluice did not make")
	// ErrRights says that the session's role may not do what has to be done. The error has the
	// statements for an administrator.
	ErrRights = readers.ErrRights
)

// Names are the names of the roles. Readers keep theirs: the views know them.
type Names struct {
	Owner, Worker, Receiver, Publisher, Console string
	Readers                                     readers.Groups
}

// Standard are the names with a prefix, such as "sluice_".
func Standard(prefix string) Names {
	return Names{
		Owner: prefix + "owner", Worker: prefix + "worker", Receiver: prefix + "receiver", Publisher: prefix + "publisher", Console: prefix + "console",
		Readers: readers.Standard(),
	}
}

// Done is what Apply did, or would do.
type Done struct {
	// Statements are those that changed something, in their order.
	Statements []string
	// Owner is the role that owns the tables, or is to own them.
	Owner string
	// Tables says that the database has the program's tables. Without them there are no rights on
	// them to grant.
	Tables bool
}

const (
	sqlSession = `
SELECT current_user::text, session_user::text, pg_catalog.current_database()::text,
	(SELECT pg_catalog.pg_get_userbyid(c.relowner)::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'sluice' AND c.relname = 'schema_version'),
	(SELECT r.rolsuper OR r.rolcreaterole FROM pg_catalog.pg_roles r WHERE r.rolname = session_user),
	(SELECT r.rolsuper OR r.rolcreaterole FROM pg_catalog.pg_roles r WHERE r.rolname = current_user)`

	sqlRole = `
SELECT r.oid IS NOT NULL, coalesce(pg_catalog.shobj_description(r.oid, 'pg_authid'), ''),
	coalesce(pg_catalog.has_database_privilege(r.oid, pg_catalog.current_database(), 'CONNECT'), false),
	coalesce(pg_catalog.has_schema_privilege(r.oid, (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = 'analytics'), 'USAGE'), false)
FROM (SELECT $1::text AS name) AS wanted LEFT JOIN pg_catalog.pg_roles r ON r.rolname = wanted.name`

	// A role that is still to be made owns nothing, and is no member.
	sqlOwns = `
SELECT coalesce(pg_catalog.has_database_privilege(pg_catalog.to_regrole($1::text), pg_catalog.current_database(), 'CREATE'), false),
	coalesce(pg_catalog.pg_has_role(session_user, pg_catalog.to_regrole($1::text), 'MEMBER'), false)`

	sqlMember = `
SELECT coalesce(pg_catalog.pg_has_role(pg_catalog.to_regrole($1::text), pg_catalog.to_regrole($2::text), 'MEMBER'), false)`

	// sqlRights sums up all rights in the database.
	sqlRights = `
SELECT pg_catalog.md5(pg_catalog.string_agg(t.acl, ',' ORDER BY t.acl)) FROM (
	SELECT 'c' || c.oid || c.relacl::text AS acl FROM pg_catalog.pg_class c WHERE c.relacl IS NOT NULL
	UNION ALL SELECT 'n' || n.oid || n.nspacl::text FROM pg_catalog.pg_namespace n WHERE n.nspacl IS NOT NULL
	UNION ALL SELECT 'p' || p.oid || p.proacl::text FROM pg_catalog.pg_proc p WHERE p.proacl IS NOT NULL
	UNION ALL SELECT 'd' || d.oid || d.defaclacl::text FROM pg_catalog.pg_default_acl d
) AS t`
)

// Apply makes the roles that are missing and grants what they lack, in one transaction, and returns
// what that was. With plan it changes nothing. It returns ErrForeign for a role of another maker,
// and ErrRights if the session's role may not do it. It is called before the first migration, which
// makes the owner, and after each migration.
func Apply(ctx context.Context, url string, names Names, plan bool) (Done, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return Done{}, postgres.CheckAddress(url)
	}
	postgres.SetUp(config, map[string]string{"application_name": "sluice roles", "lock_timeout": "20s"})
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return Done{}, postgres.Fail("connecting to make roles", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // the transaction has ended
	tx, err := conn.Begin(ctx)
	if err != nil {
		return Done{}, postgres.Fail("making roles", err)
	}
	defer postgres.Rollback(ctx, tx)
	w := &work{tx: tx, names: names}
	if err := w.all(ctx); err != nil {
		return Done{}, err
	}
	if plan {
		return w.done, nil
	}
	return w.done, postgres.Fail("making roles", tx.Commit(ctx))
}

// work is one call of Apply.
type work struct {
	tx    pgx.Tx
	names Names
	done  Done

	current, session, database string
	// admin is the role of this session that may make roles; "" if none may.
	admin string
}

func (w *work) all(ctx context.Context) error {
	if err := w.look(ctx); err != nil {
		return err
	}
	if err := w.make(ctx); err != nil {
		return err
	}
	if !w.done.Tables {
		return nil
	}
	if w.current != w.done.Owner {
		if err := w.exec(ctx, "SET LOCAL ROLE "+ident(w.done.Owner)); err != nil {
			return fmt.Errorf("the tables belong to %s, of which this session is no member: %w", w.done.Owner, err)
		}
	}
	return w.grant(ctx)
}

// look finds out who this session is, and who owns the tables.
func (w *work) look(ctx context.Context) error {
	var owner *string
	var session, current bool
	if err := w.tx.QueryRow(ctx, sqlSession).Scan(&w.current, &w.session, &w.database, &owner, &session, &current); err != nil {
		return postgres.Fail("looking what this role may do", err)
	}
	switch {
	case session:
		w.admin = w.session
	case current:
		w.admin = w.current
	}
	w.done.Owner, w.done.Tables = w.names.Owner, owner != nil
	if owner != nil {
		w.done.Owner = *owner
	}
	return nil
}

// make makes the roles that are missing. All statements for an administrator come in one error.
func (w *work) make(ctx context.Context) error {
	var statements []string
	groups := w.names.Readers
	wanted := []string{w.names.Worker, w.names.Receiver, w.names.Publisher, w.names.Console, groups.Masked, groups.Personal, groups.Raw}
	if !w.done.Tables && w.current != w.names.Owner {
		wanted = append([]string{w.names.Owner}, wanted...)
	}
	for _, name := range wanted {
		missing, err := w.lacking(ctx, name)
		if err != nil {
			return err
		}
		statements = append(statements, missing...)
	}
	memberships, err := w.memberships(ctx)
	if err != nil {
		return err
	}
	statements = append(statements, memberships...)
	if len(statements) == 0 {
		return nil
	}
	if w.admin == "" {
		return fmt.Errorf("%w: %q may not make roles. Let an administrator execute this, then run it again:\n%s;",
			ErrRights, w.session, strings.Join(statements, ";\n"))
	}
	if err := w.exec(ctx, "SET LOCAL ROLE "+ident(w.admin)); err != nil {
		return err
	}
	for _, statement := range statements {
		if err := w.exec(ctx, statement); err != nil {
			return err
		}
		w.done.Statements = append(w.done.Statements, statement)
	}
	return w.exec(ctx, "SET LOCAL ROLE "+ident(w.current))
}

// lacking are the statements that make a role and let it connect. It refuses a role that sluice did
// not make; a group of readers that reads this database already is one of sluice readers.
func (w *work) lacking(ctx context.Context, name string) ([]string, error) {
	var exists, connects, reads bool
	var comment string
	if err := w.tx.QueryRow(ctx, sqlRole, name).Scan(&exists, &comment, &connects, &reads); err != nil {
		return nil, postgres.Fail("looking for the role "+name, err)
	}
	groups := w.names.Readers
	ofReaders := name == groups.Masked || name == groups.Personal || name == groups.Raw
	comments := fmt.Sprintf("COMMENT ON ROLE %s IS '%s'", ident(name), Comment)
	var statements []string
	switch {
	case !exists:
		statements = append(statements, "CREATE ROLE "+ident(name)+" NOLOGIN", comments)
	case comment != Comment && (!ofReaders || !reads):
		return nil, fmt.Errorf("%w: %s: choose another --role-prefix, or hand it over to sluice: %s", ErrForeign, name, comments)
	}
	if exists && !connects {
		statements = append(statements, fmt.Sprintf("GRANT CONNECT ON DATABASE %s TO %s", ident(w.database), ident(name)))
	}
	if name != w.names.Owner {
		return statements, nil
	}
	owns, err := w.ownership(ctx)
	return append(statements, owns...), err
}

// ownership are the statements that let the owner make schemas, and this session act as the owner.
func (w *work) ownership(ctx context.Context) ([]string, error) {
	var makes, member bool
	if err := w.tx.QueryRow(ctx, sqlOwns, ident(w.names.Owner)).Scan(&makes, &member); err != nil {
		return nil, postgres.Fail("looking what the owner may do", err)
	}
	var statements []string
	if !makes {
		statements = append(statements, fmt.Sprintf("GRANT CREATE ON DATABASE %s TO %s", ident(w.database), ident(w.names.Owner)))
	}
	if !member {
		statements = append(statements, fmt.Sprintf("GRANT %s TO %s", ident(w.names.Owner), ident(w.session)))
	}
	return statements, nil
}

// memberships are the statements that make each group of readers a member of the one before.
func (w *work) memberships(ctx context.Context) ([]string, error) {
	groups := w.names.Readers
	var statements []string
	for _, pair := range [][2]string{{groups.Masked, groups.Personal}, {groups.Personal, groups.Raw}} {
		var is bool
		if err := w.tx.QueryRow(ctx, sqlMember, ident(pair[1]), ident(pair[0])).Scan(&is); err != nil {
			return nil, postgres.Fail("looking for members", err)
		}
		if !is {
			statements = append(statements, fmt.Sprintf("GRANT %s TO %s", ident(pair[0]), ident(pair[1])))
		}
	}
	return statements, nil
}

// grant grants what the roles lack, as the owner of the tables.
func (w *work) grant(ctx context.Context) error {
	state, err := readers.Look(ctx, w.tx, w.names.Readers)
	if err != nil {
		return err
	}
	var statements []string
	for _, lack := range state.Lacks { // first: they may make the schema of declared resources
		statements = append(statements, lack.SQL)
	}
	statements = append(statements, "SELECT sluice.grant_worker("+literal(w.names.Worker)+")",
		"SELECT sluice.grant_receiver("+literal(w.names.Receiver)+")", "SELECT sluice.grant_publisher("+literal(w.names.Publisher)+")",
		"SELECT sluice.grant_console("+literal(w.names.Console)+")")
	for _, statement := range statements {
		before, err := w.rights(ctx)
		if err != nil {
			return err
		}
		if err := w.exec(ctx, statement); err != nil {
			return err
		}
		after, err := w.rights(ctx)
		if err != nil {
			return err
		}
		if after != before {
			w.done.Statements = append(w.done.Statements, statement)
		}
	}
	return nil
}

func (w *work) rights(ctx context.Context) (string, error) {
	var sum string
	err := w.tx.QueryRow(ctx, sqlRights).Scan(&sum)
	return sum, postgres.Fail("reading the rights", err)
}

func (w *work) exec(ctx context.Context, statement string) error {
	_, err := w.tx.Exec(ctx, statement)
	if postgres.LacksRight(err) {
		return fmt.Errorf("%w: let an administrator execute this, then run it again:\n%s;\n%w", ErrRights, statement, err)
	}
	return postgres.Fail("executing "+statement, err)
}

func ident(name string) string { return pgx.Identifier{name}.Sanitize() }

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
