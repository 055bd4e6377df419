package places

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
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
// text, and of few others: Holds decides. The condition needs a session of Search.
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
