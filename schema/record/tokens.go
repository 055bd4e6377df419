package record

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema/jsonscan"
)

// errDoubt says that the quick way of reading is in doubt: the careful one decides.
var errDoubt = errors.New("to be read carefully")

// tokens reads one record piece by piece, in one of two ways. The quick one is several times faster
// and knows only valid records in valid UTF-8. On anything else it returns errDoubt, and the record
// is read again from its start in the careful way, by jsontext, which reports or repairs the fault.
// So the careful way decides about every record, and the quick way must only be right where it
// accepts.
type tokens struct {
	data []byte
	// at is the position of the quick way, within depth objects and arrays; behind says that it is
	// behind a value, before the separator.
	at, depth int
	behind    bool
	quick     bool
	// open is memory for names, used by this reader alone.
	open jsonscan.Names

	input bytes.Buffer
	dec   *jsontext.Decoder
}

// start begins the quick way of reading.
func (t *tokens) start(data []byte) {
	t.data, t.at, t.depth, t.behind, t.quick = data, 0, 0, false, true
}

// carefully begins the careful way of reading.
func (t *tokens) carefully(data []byte, options ...jsontext.Options) {
	t.quick = false
	t.input = *bytes.NewBuffer(data)
	t.dec.Reset(&t.input, append(options, jsontext.AllowInvalidUTF8(true))...)
}

// forget releases the record's bytes.
func (t *tokens) forget() { t.data, t.input = nil, bytes.Buffer{} }

// kind returns the kind of the next token; a name is a string.
func (t *tokens) kind() jsontext.Kind {
	if !t.quick {
		return t.dec.PeekKind()
	}
	t.separator()
	if t.at >= len(t.data) {
		return jsontext.KindInvalid
	}
	switch c := t.data[t.at]; c {
	case '}', ']':
		return jsontext.Kind(c)
	case '{', '[', '"', 't', 'f', 'n':
		if !t.behind {
			return jsontext.Kind(c)
		}
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if !t.behind {
			return '0'
		}
	}
	return jsontext.KindInvalid
}

// separator reads white space, and the comma behind a value.
func (t *tokens) separator() {
	t.at = jsonscan.Space(t.data, t.at)
	if t.behind && t.at < len(t.data) && t.data[t.at] == ',' {
		t.at, t.behind = jsonscan.Space(t.data, t.at+1), false
		if t.at < len(t.data) && (t.data[t.at] == '}' || t.data[t.at] == ']') {
			t.at = len(t.data) // a comma with nothing behind it
		}
	}
}

// bracket reads the beginning or the end of an object or an array, after kind has announced it.
func (t *tokens) bracket(c byte) error {
	if !t.quick {
		_, err := t.dec.ReadToken()
		return err // syntax tells the decoder's errors apart
	}
	if t.at >= len(t.data) || t.data[t.at] != c {
		return errDoubt
	}
	t.at++
	if t.behind = c == '}' || c == ']'; t.behind {
		t.depth--
	} else {
		t.depth++
	}
	return nil
}

// expect reads a name with its quotes and its colon, and the comma before it, if it is the next
// token, in the quick way; "" never matches.
func (t *tokens) expect(quoted string) bool {
	from := t.at
	if t.behind {
		if from >= len(t.data) || t.data[from] != ',' {
			return false
		}
		from++
	}
	from = jsonscan.Space(t.data, from)
	end := from + len(quoted)
	if !t.quick || quoted == "" || end > len(t.data) || string(t.data[from:end]) != quoted {
		return false
	}
	t.at, t.behind = jsonscan.Space(t.data, end), false
	return true
}

// plain reads a string without escapes in the quick way, and returns it without its quotes.
func (t *tokens) plain() ([]byte, bool) {
	if !t.quick || t.behind {
		return nil, false
	}
	end, plain, ok := jsonscan.String(t.data, t.at)
	if !ok || !plain {
		return nil, false
	}
	inner := t.data[t.at+1 : end-1]
	t.at, t.behind = end, true
	return inner, true
}

// name reads a name, with its quotes.
func (t *tokens) name() ([]byte, error) {
	if !t.quick {
		return t.dec.ReadValue() // syntax tells the decoder's errors apart
	}
	end, _, ok := jsonscan.String(t.data, t.at)
	if !ok || t.behind {
		return nil, errDoubt
	}
	quoted := t.data[t.at:end]
	if t.at, ok = jsonscan.Colon(t.data, end); !ok {
		return nil, errDoubt
	}
	return quoted, nil
}

// value reads a whole value.
func (t *tokens) value() (jsontext.Value, error) {
	if !t.quick {
		return t.dec.ReadValue() // syntax tells the decoder's errors apart
	}
	from := t.at
	end, ok := jsonscan.Once(t.data, from, t.depth, &t.open)
	if !ok || t.behind {
		return nil, errDoubt
	}
	t.at, t.behind = end, true
	return t.data[from:end], nil
}

// end reports whether nothing follows.
func (t *tokens) end() bool {
	if !t.quick {
		_, err := t.dec.ReadToken()
		return errors.Is(err, io.EOF)
	}
	return jsonscan.Space(t.data, t.at) == len(t.data)
}
