package places

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

const (
	sqlSession = `CREATE TEMP TABLE sluice_patterns (escaped boolean NOT NULL, pattern text NOT NULL) ON COMMIT PRESERVE ROWS`
	sqlDrop    = `DROP TABLE IF EXISTS pg_temp.sluice_patterns`

	sqlCopyPatterns = `COPY pg_temp.sluice_patterns FROM STDIN (FORMAT binary)`
)

// Search runs fn on a session in which the conditions of Candidates find the text.
func (n *Needle) Search(ctx context.Context, pool *pgxpool.Pool, fn func(conn *pgx.Conn) error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return postgres.Fail("searching", err)
	}
	defer conn.Release()
	defer dropPatterns(ctx, conn.Conn())
	if err := n.load(ctx, conn.Conn(), sqlSession); err != nil {
		return err
	}
	return fn(conn.Conn())
}

// load puts the text into a table of the session, for the conditions of Candidates. It is copied
// there in binary form, because Postgres may log the parameters of statements, and the line of a
// failed copy.
func (n *Needle) load(ctx context.Context, conn *pgx.Conn, create string) error {
	if _, err := conn.Exec(ctx, create); err != nil {
		return postgres.Fail("making room for the text", err)
	}
	_, err := postgres.CopyFrom(ctx, conn.PgConn(), bytes.NewReader(n.binary()), sqlCopyPatterns)
	return postgres.Fail("handing the text over", err)
}

// binary returns the patterns in the binary format of COPY. Source: PostgreSQL documentation, COPY,
// "Binary Format".
func (n *Needle) binary() []byte {
	const header, end = "PGCOPY\n\xff\r\n\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00", "\xff\xff"
	copied := []byte(header)
	add := func(escaped byte, text string) {
		pattern := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
		copied = binary.BigEndian.AppendUint16(copied, 2) // columns
		copied = append(binary.BigEndian.AppendUint32(copied, 1), escaped)
		copied = binary.BigEndian.AppendUint32(copied, uint32(len(pattern))) //nolint:gosec // some times MaxText
		copied = append(copied, pattern...)
	}
	// Where JSON spells a character of the text in another way, it has an escape there. So have
	// jsonb and the text of an array.
	for _, text := range slices.Concat(n.spellings, n.escapes()) {
		add(0, text)
		add(1, escapedBytes(text))
	}
	return append(copied, end...)
}

// dropPatterns removes the text from the session, or ends the session.
func dropPatterns(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postgres.SettleLimit)
	defer cancel()
	if _, err := conn.Exec(ctx, sqlDrop); err != nil {
		_ = conn.Close(ctx) // the server drops the table with the session
	}
}
