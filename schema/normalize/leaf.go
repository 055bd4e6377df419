package normalize

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema"
)

// nulPicture stands for U+0000, which Postgres text cannot hold. Source:
// upstream facts, "Values".
const nulPicture = "\u2400"

// misfit says why a value does not fit its kind; the zero misfit is none. A detail
// that is only the type seen is left out and written by whoever reports it.
type misfit struct {
	code   Code
	detail string
}

// leaf reads one value into the cell of its column.
func (s *scratch) leaf(o *object, first, column int, name string) *ValueError {
	raw, fault := s.value(name)
	if fault != nil {
		return fault
	}
	key := o.table == 0 && column == 0
	from := len(s.text)
	state, bad := s.convert(s.n.tables[o.table].columns[column].kind, raw)
	if key && bad.code == "" {
		bad = s.checkKey(raw, s.text[from:])
	}
	if bad.code != "" {
		if bad.detail == "" {
			bad.detail = "the wire has a " + kindName(raw.Kind())
		}
		return s.fault(name, bad.code, "%s", bad.detail)
	}
	if o.table == 0 && column == s.n.modified && state == Set {
		s.modified = s.instant
	}
	s.cells[first+column] = cell{from: from, to: len(s.text), state: state}
	return nil
}

// checkKey refuses what would merge two records: a key that was repaired may
// equal another one.
func (s *scratch) checkKey(raw jsontext.Value, id []byte) misfit {
	if len(id) > maxKey {
		return misfit{CodeTooLarge, "the key has more than " + strconv.Itoa(maxKey) + " bytes"}
	}
	if raw.Kind() == '"' && !bytes.Equal(s.unquote(raw), id) ||
		bytes.ContainsRune(id, utf8.RuneError) {
		return misfit{CodeWrongType, "the key holds characters that cannot be kept"}
	}
	return misfit{}
}

// convert appends the canonical text of a value and says in which state it is.
func (s *scratch) convert(kind schema.Kind, raw jsontext.Value) (State, misfit) {
	if raw.Kind() == 'n' {
		return Null, misfit{}
	}
	literal := []byte(raw)
	quoted := raw.Kind() == '"'
	if quoted {
		literal = s.unquote(raw)
		if kind != schema.KindText && blank(literal) {
			return Null, misfit{}
		}
	}
	var bad misfit
	switch {
	case kind == schema.KindJSON:
		s.text, bad = appendJSON(s.text, raw)
	case quoted:
		bad = s.fromText(kind, literal)
	case raw.Kind() == '0':
		bad = s.fromNumber(kind, literal)
	case kind == schema.KindBool && (raw.Kind() == 't' || raw.Kind() == 'f'):
		s.text = append(s.text, literal...)
	default:
		bad.code = CodeWrongType
	}
	return Set, bad
}

// fromText reads a string: upstream writes any kind as one.
func (s *scratch) fromText(kind schema.Kind, text []byte) misfit {
	var bad misfit
	switch kind {
	case schema.KindText, schema.KindID:
		s.appendText(text)
	case schema.KindBool:
		bad = s.appendBool(text)
	case schema.KindInt:
		bad = s.appendInt(text)
	case schema.KindDecimal:
		s.text, bad = appendDecimal(s.text, text)
	case schema.KindDate:
		bad = s.appendDate(text)
	case schema.KindTime:
		bad = s.appendInstant(text)
	case schema.KindJSON:
		bad.code = CodeWrongType
	}
	return bad
}

// fromNumber reads a JSON number. It is no text: its spelling would be kept by
// accident (1.0 or 1), and rows would differ where values do not.
func (s *scratch) fromNumber(kind schema.Kind, literal []byte) misfit {
	var bad misfit
	switch kind {
	case schema.KindID:
		bad = s.appendIntegerID(literal)
	case schema.KindInt:
		bad = s.appendInt(literal)
	case schema.KindDecimal:
		s.text, bad = appendDecimal(s.text, literal)
	case schema.KindTime:
		bad = s.appendInstant(literal)
	case schema.KindText, schema.KindBool, schema.KindDate, schema.KindJSON:
		bad.code = CodeWrongType
	}
	return bad
}

// blank says that a string stands for an absent value where the kind is not
// text: upstream writes "", seldom " ".
func blank(text []byte) bool {
	for _, c := range text {
		if c != ' ' {
			return false
		}
	}
	return true
}

func (s *scratch) appendText(text []byte) {
	for {
		at := bytes.IndexByte(text, 0)
		if at < 0 {
			s.text = append(s.text, text...)
			return
		}
		s.text = append(append(s.text, text[:at]...), nulPicture...)
		text = text[at+1:]
	}
}

// appendIntegerID keeps the digits: identifiers are larger than a float holds.
func (s *scratch) appendIntegerID(literal []byte) misfit {
	if bytes.ContainsAny(literal, ".eE") {
		return misfit{CodeBadNumber, "an identifier must be whole, without fraction or exponent"}
	}
	if string(literal) == "-0" {
		literal = literal[1:]
	}
	s.text = append(s.text, literal...)
	return misfit{}
}

func (s *scratch) appendBool(literal []byte) misfit {
	if string(literal) != "true" && string(literal) != "false" {
		return misfit{CodeWrongType, "the wire has a string that is neither true nor false"}
	}
	s.text = append(s.text, literal...)
	return misfit{}
}

func (s *scratch) appendInt(literal []byte) misfit {
	digits := bytes.TrimPrefix(literal, []byte("-"))
	if !allDigits(digits) || len(digits) > 1 && digits[0] == '0' {
		return misfit{CodeBadNumber, "a whole number in plain digits is declared"}
	}
	value, err := strconv.ParseInt(string(literal), 10, 64)
	if err != nil {
		return misfit{CodeOutOfRange, "the whole number does not fit 64 bits"}
	}
	s.text = strconv.AppendInt(s.text, value, 10)
	return misfit{}
}

func allDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0
}
