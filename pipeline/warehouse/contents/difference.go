package contents

import (
	"fmt"
	"strconv"
	"strings"

	"sluice/schema"
)

// Difference is a value that differs between a record and its row.
type Difference struct {
	// Path is the key, with array positions.
	Path string
	// Detail says what the table has and what the record has.
	Detail string
}

// Sentence names the first differences and the number of the others.
func Sentence(differences []Difference) string {
	const spelled = 3
	var b strings.Builder
	for i, d := range differences {
		if i == spelled {
			fmt.Fprintf(&b, "; and %d more", len(differences)-spelled)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(d.Path + ": " + d.Detail)
	}
	return b.String()
}

// elementPath names an element: line_items[2].serials[0]. With an id before it, the path is a key
// of this package.
func elementPath(path []string, id string, positions []int) string {
	var b strings.Builder
	b.WriteString(id)
	for i, name := range path {
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(name)
		if i < len(positions) {
			b.WriteString("[" + strconv.Itoa(positions[i]) + "]")
		}
	}
	return b.String()
}

// maxShown bounds the length of a shown value.
const maxShown = 40

// difference says what the table has and what the record has. Figures and instants are shown. Of
// texts, which may be names and addresses, only the length is shown.
func difference(path string, kind schema.Kind, stored, record *string) Difference {
	show := func(value *string) string {
		switch {
		case value == nil:
			return "nothing"
		case kind == schema.KindText || kind == schema.KindID || kind == schema.KindJSON || len(*value) > maxShown:
			return fmt.Sprintf("a text of %d characters", len([]rune(*value)))
		default:
			return *value
		}
	}
	return Difference{Path: path, Detail: "the table has " + show(stored) + ", the record has " + show(record)}
}
