package body

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// newDecoder is lenient, because bad UTF-8 or a repeated key within one record must not lose the
// page; readObject checks the envelope strictly.
func newDecoder(data []byte) *jsontext.Decoder {
	// From a bytes.Buffer the decoder reads in place; it never writes to it.
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// readObject reads one object into its raw values, slices of data. Most bounds their number.
func readObject(decoder *jsontext.Decoder, data []byte, most int) (map[string][]byte, error) {
	token, err := decoder.ReadToken()
	if err != nil {
		return nil, syntax(err)
	}
	if token.Kind() != '{' {
		return nil, fmt.Errorf("%w: not a JSON object", ErrShape)
	}
	members := make(map[string][]byte, 4) //nolint:mnd // code, message, list, page_context
	for decoder.PeekKind() != '}' {
		token, err = decoder.ReadToken()
		if err != nil {
			return nil, syntax(err)
		}
		name := token.String()
		value, err := readValue(decoder, data)
		if err != nil {
			return nil, err
		}
		if _, twice := members[name]; twice {
			return nil, fmt.Errorf("%w: a key comes twice", ErrShape)
		}
		if len(members) == most {
			return nil, fmt.Errorf("%w: an object of more than %d keys", ErrShape, most)
		}
		members[name] = value
	}
	if _, err = decoder.ReadToken(); err != nil {
		return nil, syntax(err)
	}
	return members, nil
}

// elements reads an array into its raw elements, slices of data. It reads at most MaxElements,
// because each costs more memory than its bytes. plain is the same array as a decoder may read it.
func elements(plain, data []byte) ([][]byte, error) {
	decoder := newDecoder(plain)
	token, err := decoder.ReadToken()
	if err != nil {
		return nil, syntax(err)
	}
	if token.Kind() != '[' {
		return nil, fmt.Errorf("%w: not an array", ErrShape)
	}
	items := [][]byte{}
	for decoder.PeekKind() != ']' {
		item, err := readValue(decoder, data)
		if err != nil {
			return nil, err
		}
		if len(items) == MaxElements {
			return nil, fmt.Errorf("%w: a list of more than %d elements", ErrShape, MaxElements)
		}
		items = append(items, item)
	}
	return items, nil
}

// readValue reads one value and gives it as a slice of data without spare capacity, so that
// appending to a record never writes into the next one.
func readValue(decoder *jsontext.Decoder, data []byte) ([]byte, error) {
	value, err := decoder.ReadValue()
	if err != nil {
		return nil, syntax(err)
	}
	end := int(decoder.InputOffset())
	return data[end-len(value) : end : end], nil
}

// syntax tells a body that was cut off from one that is not JSON. It leaves out the decoder's own
// text, which quotes the body.
func syntax(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: the JSON document does not end", ErrCut)
	}
	return fmt.Errorf("%w: not valid JSON", ErrShape)
}

// scalar gives a number or a string as text. The text is short: an envelope holds words, numbers
// and tokens.
func scalar(raw []byte) (string, error) {
	if len(raw) > maxText+len(`""`) {
		return "", fmt.Errorf("%w: a text of more than %d bytes", ErrShape, maxText)
	}
	switch jsontext.Value(raw).Kind() {
	case '0':
		return string(raw), nil
	case '"':
		text, err := jsontext.AppendUnquote(nil, raw)
		if err != nil || !utf8.Valid(text) {
			return "", fmt.Errorf("%w: not valid text", ErrShape)
		}
		return string(text), nil
	default:
		return "", fmt.Errorf("%w: neither a number nor a string", ErrShape)
	}
}

func whole(raw []byte, key string) (int, error) {
	text, err := scalar(raw)
	if err != nil {
		return 0, fmt.Errorf("key %s: %w", key, err)
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 || number > mostCounted {
		return 0, fmt.Errorf("%w: %s is not a whole number up to %d", ErrShape, key, mostCounted)
	}
	return number, nil
}

// mostCounted is the largest page number or size that is accepted: sums and products of it must not
// overflow.
const mostCounted = 1_000_000_000
