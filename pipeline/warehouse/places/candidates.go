package places

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// Column is a column that can hold a text.
type Column struct {
	Name string
	// Type is its type, as Postgres names it: text, jsonb, _text for an array of texts.
	Type string
}

// textTypes and jsonTypes are the types that can hold any text, apart from bytea.
var (
	textTypes = []string{"text", "varchar", "bpchar", "name", "xml"}                         //nolint:gochecknoglobals // a constant
	jsonTypes = []string{"json", "jsonb"}                                                    //nolint:gochecknoglobals // a constant
	listTypes = []string{"_text", "_varchar", "_bpchar", "_name", "_xml", "_json", "_jsonb"} //nolint:gochecknoglobals // a constant
)

// bytesType holds texts of any form.
const bytesType = "bytea"

// Types are the types of columns that can hold any text. Numbers, instants and truth values hold
// none, and are not searched.
func Types() []string { return slices.Concat(textTypes, jsonTypes, listTypes, []string{bytesType}) }

// Holds reports whether a value of the column, as Value selects it, contains the text. A text or
// bytes may be JSON: then what its strings mean counts, too.
func (c Column) Holds(n *Needle, value []byte) bool {
	if slices.Contains(textTypes, c.Type) || c.Type == bytesType {
		return n.In(value) || n.InJSON(value)
	}
	return n.InJSON(value)
}

// Value returns the expression that selects a value for Holds: its text, or bytes as they are. An
// array is selected as JSON.
func (c Column) Value() string {
	name := pgx.Identifier{c.Name}.Sanitize()
	switch {
	case c.Type == bytesType:
		return name
	case slices.Contains(listTypes, c.Type):
		return "to_jsonb(" + name + ")::text"
	default:
		return name + "::text"
	}
}

const (
	// The patterns are read once for each statement, so workers in parallel can use them.
	sqlLike = `lower(%s COLLATE "C") LIKE ANY ((SELECT array_agg(p.pattern) FROM pg_temp.sluice_patterns p WHERE %s)::text[])`
)

// Candidates returns the condition that is true of every row in which one of the columns holds the
// text, and of few others: Holds decides. The condition needs what Needle.load makes.
func Candidates(columns []Column) string {
	var texts, escaped, conditions []string
	for _, c := range columns {
		name := pgx.Identifier{c.Name}.Sanitize()
		if c.Type == bytesType {
			escaped = append(escaped, "encode("+name+", 'escape')")
		} else {
			texts = append(texts, name+"::text")
		}
	}
	if len(texts) > 0 {
		conditions = append(conditions, fmt.Sprintf(sqlLike, together(texts), "NOT p.escaped"))
	}
	if len(escaped) > 0 {
		conditions = append(conditions, fmt.Sprintf(sqlLike, together(escaped), "p.escaped"))
	}
	return "(" + strings.Join(conditions, " OR ") + ")"
}

// together joins texts: one comparison of all takes a third of the time of one for each.
func together(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	return "concat_ws(chr(31), " + strings.Join(texts, ", ") + ")"
}

// escapedBytes spells a text as encode(…, 'escape') does.
func escapedBytes(text string) string {
	var escaped strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c == '\\':
			escaped.WriteString(`\\`)
		case c >= utf8.RuneSelf:
			fmt.Fprintf(&escaped, `\%03o`, c)
		default:
			escaped.WriteByte(c)
		}
	}
	return escaped.String()
}

const (
	sqlPatterns = `CREATE TEMP TABLE sluice_patterns (escaped boolean NOT NULL, pattern text NOT NULL) ON COMMIT PRESERVE ROWS`
	sqlDrop     = `DROP TABLE IF EXISTS pg_temp.sluice_patterns`

	sqlCopyPatterns = `COPY pg_temp.sluice_patterns FROM STDIN (FORMAT binary)`
)

// load puts the text into a table of the session, for the conditions of Candidates. It is copied
// there in binary form, because Postgres may log the parameters of statements, and the line of a
// failed copy.
func (n *Needle) load(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, sqlPatterns); err != nil {
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
