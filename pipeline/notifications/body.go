package notifications

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// errFormat says that a body is not what its dialect sends. It quotes nothing of the body.
var errFormat = errors.New("the body has another form")

// mostDepth is the deepest nesting of a body.
const mostDepth = 64

// The shapes of identifiers, as a string and as a number. What has another shape is no identifier
// of a record, and is never asked for.
var (
	identifier = regexp.MustCompile(`^[0-9A-Za-z]{1,64}$`)
	number     = regexp.MustCompile(`^[0-9]{1,64}$`)
)

// object is a JSON object by keys, its values as they came.
type object map[string]jsontext.Value

// parse reads a body that is one JSON object: in UTF-8, with no key twice in any object, and not
// nested too deep.
func parse(body []byte) (object, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body)) // strict unless it is told otherwise
	for values := 0; ; {
		if _, err := decoder.ReadToken(); errors.Is(err, io.EOF) && values == 1 {
			break
		} else if err != nil || decoder.StackDepth() > mostDepth {
			return nil, errFormat
		}
		if decoder.StackDepth() == 0 {
			values++
		}
	}
	read := members(body)
	if read == nil {
		return nil, errFormat
	}
	return read, nil
}

// members returns the members of a valid JSON value; nil if it is no object.
func members(value []byte) object {
	decoder := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true))
	if token, err := decoder.ReadToken(); err != nil || token.Kind() != '{' {
		return nil
	}
	found := object{}
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil
		}
		key := name.String() // the next read overwrites the token
		inner, err := decoder.ReadValue()
		if err != nil {
			return nil
		}
		found[key] = inner.Clone()
	}
	return found
}

// elements returns the elements of a valid JSON value; none if it is no array.
func elements(value jsontext.Value) []jsontext.Value {
	if value.Kind() != '[' {
		return nil
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true))
	if _, err := decoder.ReadToken(); err != nil {
		return nil
	}
	var found []jsontext.Value
	for decoder.PeekKind() != ']' {
		inner, err := decoder.ReadValue()
		if err != nil {
			return nil
		}
		found = append(found, inner.Clone())
	}
	return found
}

// text returns a JSON string, false for every other value.
func text(value jsontext.Value) (string, bool) {
	if value.Kind() != '"' {
		return "", false
	}
	unquoted, err := jsontext.AppendUnquote(nil, value)
	return string(unquoted), err == nil
}

// id returns an identifier that is a string or a number; "" for every other value.
func id(value jsontext.Value) string {
	said, isText := text(value)
	shape := identifier
	if !isText {
		said, shape = string(value), number // its digits as they came: never a float
	}
	if !shape.MatchString(said) {
		return ""
	}
	return said
}

// operation returns the one of the words of two dialects that a callback uses.
func operation(value jsontext.Value) string {
	said, _ := text(value)
	switch strings.ToLower(said) {
	case inserted, "create":
		return inserted
	case updated, "edit":
		return updated
	case deleted:
		return deleted
	default:
		return unknown
	}
}

// instant reads epoch milliseconds; the zero time if it is no instant that Postgres could hold. It
// is stored and never believed, however far off the sender's clock is.
func instant(value jsontext.Value) time.Time {
	const latest = 253_402_300_799_999 // the end of the year 9999
	if value.Kind() != '0' {
		return time.Time{}
	}
	var milliseconds int64
	for _, c := range value {
		if c < '0' || c > '9' || milliseconds > latest/10 {
			return time.Time{}
		}
		milliseconds = milliseconds*10 + int64(c-'0')
	}
	if milliseconds == 0 || milliseconds > latest {
		return time.Time{}
	}
	return time.UnixMilli(milliseconds)
}
