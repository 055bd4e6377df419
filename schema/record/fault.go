package record

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxName bounds key names in errors: they go to logs and to the database.
const maxName = 80

// fault returns the error for a key of the current object; name is "" for the object itself. The
// format must never contain a value of the record.
func (s *scratch) fault(name string, code Code, format string, args ...any) *RejectedError {
	return &RejectedError{Path: s.where(short(name)), Code: code, Detail: fmt.Sprintf(format, args...)}
}

// syntax translates the decoder's errors. Their texts quote the record, so it takes only the place.
func (s *scratch) syntax(name string, err error) *RejectedError {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return s.fault(name, CodeDuplicateKey, "an object has the same key twice; which one counts is unknown")
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if depth(s.data) > maxDepth {
			return s.fault(name, CodeTooLarge, "the value nests deeper than %d", maxDepth)
		}
		return s.fault(name, CodeBadJSON, "the JSON breaks at byte %d", syntactic.ByteOffset)
	}
	return s.fault(name, CodeBadJSON, "the JSON ends early")
}

// where returns the path of a key: line_items[1].rate. Names with a character of the notation are
// quoted, so that no two places share a path.
func (s *scratch) where(name string) string { return s.placeOf(name, true) }

// wherever returns the path without positions: line_items[].rate.
func (s *scratch) wherever(name string) string { return s.placeOf(name, false) }

func (s *scratch) placeOf(name string, positions bool) string {
	var b strings.Builder
	for i, at := range s.path {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(at.name)
		switch {
		case at.index >= 0 && positions:
			b.WriteString("[" + strconv.Itoa(at.index) + "]")
		case at.index >= 0:
			b.WriteString("[]")
		}
	}
	writeName(&b, name)
	return b.String()
}

func writeName(b *strings.Builder, name string) {
	if name == "" {
		return
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	if strings.ContainsAny(name, `.[]"`) {
		name = strconv.Quote(name)
	}
	b.WriteString(name)
}

// short shortens a name, without half a character at its end.
func short(name string) string {
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "") + "…"
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "bool"
	case '"':
		return "string"
	case '0':
		return "number"
	case '{':
		return "object"
	case '[':
		return "array"
	default:
		return "broken value"
	}
}

// identify finds the key of a record that does not fit, so that the operator can look the record
// up; "" if the key is unreadable. It reads only the first value of the key and only keys of the
// record itself.
func (n *Normalizer) identify(raw []byte, parent string) string {
	s := newScratch(n)
	s.reset()
	// A key that occurs twice before the identifier must not hide it.
	s.carefully(raw, jsontext.AllowDuplicateNames(true))
	if s.dec.PeekKind() != '{' {
		return ""
	}
	values := s.newRow(0)
	if _, err := s.dec.ReadToken(); err != nil {
		return ""
	}
	for s.dec.PeekKind() == '"' {
		quoted, err := s.dec.ReadValue()
		if err != nil {
			return ""
		}
		known := n.root.fields[string(s.values.Unquote(quoted))]
		if known != nil && known.column != nil && known.column.identifies {
			if s.leaf(known.column, &values[known.column.at]) != nil || s.adopt(parent) != nil {
				return ""
			}
			return values[0].Text
		}
		if err := s.dec.SkipValue(); err != nil {
			return ""
		}
	}
	return ""
}
