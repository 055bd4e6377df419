package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Asker asks for one row.
type Asker interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// pg_locks shows a key of 64 bits as two halves.
const sqlHolder = `
SELECT a.pid, coalesce(a.usename::text, ''), coalesce(a.application_name, '')
FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND (l.classid::bigint << 32) | l.objid::bigint = $1::bigint
	AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
LIMIT 1`

// LockHolder describes the session that holds an advisory lock. Any role that may connect can take
// one. So the text names the role and the process of the server, which an administrator can end.
func LockHolder(ctx context.Context, conn Asker, key int64) (string, error) {
	var pid int32
	var role, application string
	switch err := conn.QueryRow(ctx, sqlHolder, key).Scan(&pid, &role, &application); {
	case errors.Is(err, pgx.ErrNoRows):
		return "a session that has released it meanwhile", nil
	case err != nil:
		return "", Fail("looking which session holds a lock", err)
	}
	if application == "" {
		return fmt.Sprintf("pid %d, role %q", pid, role), nil
	}
	return fmt.Sprintf("pid %d, role %q, application %q", pid, role, application), nil
}
