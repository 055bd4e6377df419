// Package canonical converts one JSON value of the wire to the canonical spelling that the
// warehouse stores: equal values get equal text, and Postgres reads the text back as the declared
// kind. A value that does not fit is a Misfit and never coerced (invariant 4).
//
// Start reading at Spelled and Reader.Append.
package canonical

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema"
	"sluice/schema/jsonscan"
)

// NULPicture stands for U+0000, which Postgres text cannot hold. Source: docs/upstream.md U138.
const NULPicture = "\u2400"

// Code is a closed set of reasons why a value does not fit.
type Code string

// The reasons of a value.
const (
	BadJSON      Code = "bad_json"
	WrongType    Code = "wrong_type"
	OutOfRange   Code = "out_of_range"
	BadTime      Code = "bad_time"
	BadNumber    Code = "bad_number"
	DuplicateKey Code = "duplicate_key"
)

// Reason is the reason why a value does not fit its kind; the zero Misfit means that it fits. It
// never holds the value itself. An empty detail stands for the type seen, which the reporting
// caller adds.
type Reason struct {
	Code   Code
	Detail string
}

// Reader reads values of one organization. It owns a buffer and belongs to one goroutine.
type Reader struct {
	// Instant is the instant that Append read last.
	Instant time.Time
	// zone is the zone of date-times without an offset.
	zone *time.Location
	// spare holds an unquoted string.
	spare []byte
}

// NewReader returns a reader for an organization's zone.
func NewReader(zone *time.Location) Reader { return Reader{zone: zone} }

// Spare returns the size of the reader's buffer, in bytes.
func (r *Reader) Spare() int { return cap(r.spare) }

// Append appends the canonical text of a value of a kind. The bool says that the value is null:
// null itself, or a blank string of a kind other than text, since upstream writes absent values so
// (docs/upstream.md U133).
func (r *Reader) Append(dst []byte, kind schema.Kind, raw jsontext.Value) ([]byte, bool, Reason) {
	is := raw.Kind()
	if is == 'n' {
		return dst, true, Reason{}
	}
	literal := []byte(raw)
	quoted := is == '"'
	if quoted {
		literal = r.Unquote(raw)
	}
	var bad Reason
	switch {
	case quoted && kind != schema.KindJSON:
		return r.AppendString(dst, kind, literal)
	case quoted && Blank(literal):
		return dst, true, Reason{}
	case kind == schema.KindJSON:
		dst, bad = AppendJSON(dst, raw)
	case is == '0':
		dst, bad = r.fromNumber(dst, kind, literal)
	case kind == schema.KindBool && (is == 't' || is == 'f'):
		dst = append(dst, literal...)
	default:
		bad.Code = WrongType
	}
	return dst, false, bad
}

// AppendString is Append for the unescaped inside of a string, for any kind but JSON.
func (r *Reader) AppendString(dst []byte, kind schema.Kind, text []byte) ([]byte, bool, Reason) {
	if kind != schema.KindText && Blank(text) {
		return dst, true, Reason{}
	}
	dst, bad := r.fromText(dst, kind, text)
	return dst, false, bad
}

// fromText reads a string: upstream writes any kind as one.
func (r *Reader) fromText(dst []byte, kind schema.Kind, text []byte) ([]byte, Reason) {
	switch kind {
	case schema.KindText, schema.KindID:
		return AppendText(dst, text), Reason{}
	case schema.KindBool:
		return appendBool(dst, text)
	case schema.KindInt:
		return appendInt(dst, text)
	case schema.KindDecimal:
		return appendDecimal(dst, text)
	case schema.KindDate:
		return appendDate(dst, text)
	case schema.KindTime:
		return r.appendInstant(dst, text)
	case schema.KindJSON:
	}
	return dst, Reason{Code: WrongType}
}

// fromNumber reads a JSON number. It is not accepted as text: its spelling is accidental (1.0 or
// 1), and rows would differ where values do not.
func (r *Reader) fromNumber(dst []byte, kind schema.Kind, literal []byte) ([]byte, Reason) {
	switch kind {
	case schema.KindID:
		return appendIntegerID(dst, literal)
	case schema.KindInt:
		return appendInt(dst, literal)
	case schema.KindDecimal:
		return appendDecimal(dst, literal)
	case schema.KindTime:
		return r.appendInstant(dst, literal)
	case schema.KindText, schema.KindBool, schema.KindDate, schema.KindJSON:
	}
	return dst, Reason{Code: WrongType}
}

// Unquote returns the bytes of a string literal that a decoder has checked: a slice of it if
// nothing is escaped, else a buffer that is valid until the next call.
func (r *Reader) Unquote(quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	if jsonscan.Plain(inner) {
		return inner
	}
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner
	}
	// An error means only that invalid UTF-8 was replaced, as intended: the decoder has checked
	// everything else.
	r.spare, _ = jsontext.AppendUnquote(r.spare[:0], quoted)
	return r.spare
}

// Blank reports whether a string counts as absent for a kind other than text: upstream writes "",
// seldom " ".
func Blank[T string | ~[]byte](text T) bool {
	for i := range len(text) {
		if text[i] != ' ' {
			return false
		}
	}
	return true
}

// AppendText appends text with U+0000 replaced.
func AppendText(dst, text []byte) []byte {
	for {
		at := bytes.IndexByte(text, 0)
		if at < 0 {
			return append(dst, text...)
		}
		dst = append(append(dst, text[:at]...), NULPicture...)
		text = text[at+1:]
	}
}

// CleanText returns a text with U+0000 replaced.
func CleanText(text string) string { return strings.ReplaceAll(text, "\x00", NULPicture) }

// appendIntegerID keeps the digits: identifiers are larger than a float holds.
func appendIntegerID(dst, literal []byte) ([]byte, Reason) {
	if bytes.ContainsAny(literal, ".eE") {
		return dst, Reason{BadNumber, "an identifier must be whole, without fraction or exponent"}
	}
	if string(literal) == "-0" {
		literal = literal[1:]
	}
	return append(dst, literal...), Reason{}
}

func appendBool(dst, literal []byte) ([]byte, Reason) {
	if string(literal) != "true" && string(literal) != "false" {
		return dst, Reason{WrongType, "the wire has a string that is neither true nor false"}
	}
	return append(dst, literal...), Reason{}
}

func appendInt(dst, literal []byte) ([]byte, Reason) {
	if plainInt(literal) {
		return append(dst, literal...), Reason{}
	}
	digits := bytes.TrimPrefix(literal, []byte("-"))
	if !allDigits(digits) || len(digits) > 1 && digits[0] == '0' {
		return dst, Reason{BadNumber, "a whole number in plain digits is declared"}
	}
	number, err := strconv.ParseInt(string(literal), 10, 64)
	if err != nil {
		return dst, Reason{OutOfRange, "the whole number does not fit 64 bits"}
	}
	return strconv.AppendInt(dst, number, 10), Reason{}
}

func allDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0
}

// Spelled returns the number of bytes at the front of a literal that are already canonical, as most
// of upstream's values are: then nothing needs to be written. Quoted says that the literal was a
// string without escapes; other literals are whole valid JSON values. It returns false if the
// literal is not canonical, or not obviously: Append decides then.
func Spelled(kind schema.Kind, literal []byte, quoted bool) (int, bool) {
	switch kind {
	case schema.KindText:
		return len(literal), quoted
	case schema.KindID:
		return len(literal), quoted && !Blank(literal) || !quoted && allDigits(literal)
	case schema.KindDecimal:
		size := plainDecimal(literal)
		return size, size > 0
	case schema.KindInt:
		return len(literal), plainInt(literal)
	case schema.KindBool:
		return len(literal), string(literal) == "true" || string(literal) == "false"
	case schema.KindDate:
		_, ok := Day(literal)
		return len(literal), ok && len(literal) == len(time.DateOnly)
	case schema.KindTime, schema.KindJSON:
	}
	return 0, false
}

// plainInt reports whether a literal is a canonical whole number whose digits always fit 64 bits.
func plainInt(literal []byte) bool {
	const fits = 18
	digits := literal
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) > fits || !allDigits(digits) {
		return false
	}
	return digits[0] != '0' || len(literal) == 1
}
