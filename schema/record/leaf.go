package record

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema"
	"sluice/schema/record/canonical"
)

// leaf reads one value of a column.
func (s *scratch) leaf(c *column, to *Value) *RejectedError {
	if text, ok := s.plain(); ok {
		return s.fillText(c, to, text)
	}
	raw, fault := s.whole(c.name)
	if fault != nil {
		return fault
	}
	return s.fill(c, to, c.name, raw)
}

// fillText is fill for a string without escapes. It reads the string once, and a canonical one
// stays a slice of the input.
func (s *scratch) fillText(c *column, to *Value, literal []byte) *RejectedError {
	if c.kind == schema.KindJSON { // it needs the whole literal
		return s.fill(c, to, c.name, s.data[s.at-len(literal)-len(`""`):s.at])
	}
	if size, ok := canonical.Spelled(c.kind, literal, true); ok {
		return s.set(c, to, c.name, view(literal), view(literal[:size]))
	}
	text, null, bad := s.values.AppendString(s.arena.room(), c.kind, literal)
	if null || bad.Code != "" {
		return s.unset(to, c.name, '"', bad)
	}
	return s.set(c, to, c.name, view(literal), s.arena.keep(text))
}

// fill stores a value, whose name is its key's.
func (s *scratch) fill(c *column, to *Value, name string, raw jsontext.Value) *RejectedError {
	// The decoder's bytes may be overwritten later.
	if size, ok := canonical.Spelled(c.kind, raw, false); ok && s.quick {
		text := view(raw[:size])
		return s.set(c, to, name, text, text)
	}
	text, null, bad := s.values.Append(s.arena.room(), c.kind, raw)
	if null || bad.Code != "" {
		return s.unset(to, name, raw.Kind(), bad)
	}
	kept := s.arena.keep(text)
	read := kept
	if c.identifies && raw.Kind() == '"' {
		read = string(s.values.Unquote(raw))
	}
	return s.set(c, to, name, read, kept)
}

// unset notes that a value is null, or that it does not fit.
func (s *scratch) unset(to *Value, name string, kind jsontext.Kind, bad canonical.Reason) *RejectedError {
	if bad.Code == "" {
		if to.State == Absent { // else it came under its other key
			*to = Value{State: Null}
		}
		return nil
	}
	if bad.Detail == "" {
		bad.Detail = "the wire has a " + kindName(kind)
	}
	return s.fault(name, bad.Code, "%s", bad.Detail)
}

// set stores the text of a value; read is its string on the wire, if it was one.
func (s *scratch) set(c *column, to *Value, name, read, text string) *RejectedError {
	if c.identifies {
		if bad := checkKey(read, text); bad.Code != "" {
			return s.fault(name, bad.Code, "%s", bad.Detail)
		}
	}
	if c.modified {
		if to.State == Set && s.modified.After(s.values.Instant) { // it came under its other key, and newer
			return nil
		}
		s.modified = s.values.Instant
	}
	*to = Value{Text: text, State: Set}
	if c.values != nil {
		s.enumerated(c, text, name)
	}
	return nil
}

// checkKey refuses a repaired key, since it may equal that of another record. Read is the key on
// the wire.
func checkKey(read, id string) canonical.Reason {
	if len(id) > maxKey {
		return canonical.Reason{Code: CodeTooLarge, Detail: "the key has more than " + strconv.Itoa(maxKey) + " bytes"}
	}
	if read != id || strings.ContainsRune(id, utf8.RuneError) {
		return canonical.Reason{Code: CodeWrongType, Detail: "the key holds characters that cannot be kept"}
	}
	return canonical.Reason{}
}
