package redact

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema/jsonscan"
)

// walker rewrites one record. It copies nothing until something has to be changed.
type walker struct {
	data []byte
	// out is memory for the rewritten record. from is the first byte that is neither copied to out
	// nor cut; changed says that out is used.
	out     []byte
	from    int
	changed bool
	key     *Key
	// next is, by number of a field, the field that followed it last: records nearly always have
	// their keys in the same order.
	next []*field
	// name, text and hash are memory for names and values with escapes, and for hashes.
	name, text, hash []byte
}

// replace puts bytes in place of those between two positions.
func (w *walker) replace(from, to int, by []byte) {
	w.out = append(append(w.out, w.data[w.from:from]...), by...)
	w.from, w.changed = to, true
}

// finish returns what is left of the record: in the memory of the record if that may be reused and
// suffices, else in memory of its own.
func (w *walker) finish(reuse bool) []byte {
	if !w.changed {
		return w.data
	}
	w.out = append(w.out, w.data[w.from:]...)
	if reuse && len(w.out) <= len(w.data) {
		n := copy(w.data, w.out)
		return w.data[:n:n]
	}
	return bytes.Clone(w.out)
}

// object rewrites the object that begins at data[at] and returns the index behind it; depth is the
// number of values around it. A member is left out with the comma before it, or, while none of the
// object was kept, with the one behind it.
func (w *walker) object(o *object, at, depth int) (int, bool) {
	if at >= len(w.data) || w.data[at] != '{' || depth >= jsonscan.MaxDepth {
		return at, false
	}
	last, kept := o.head, false
	behind := at + 1 // behind the brace or the member before
	at = jsonscan.Space(w.data, behind)
	if at < len(w.data) && w.data[at] == '}' {
		return at + 1, true
	}
	for {
		if next, id := w.usual(at, last); next > at {
			kept, behind, at, last = true, next-1, next, id
			continue
		}
		f, does, value, ok := w.member(o, at, last)
		if !ok {
			return value, false
		}
		if f != nil {
			last = f.id
		}
		end, gone, ok := w.value(does, f, value, depth+1)
		if !ok {
			return end, false
		}
		next, over, ok := w.separator(end)
		if !ok {
			return next, false
		}
		switch {
		case gone && kept:
			w.replace(behind, end, nil)
		case gone:
			w.replace(at, next, nil)
		}
		kept, behind = kept || !gone, end
		if over {
			return next + 1, true
		}
		at = next
	}
}

// usual passes members that are kept and were expected, whose values are plain texts, as nearly all
// are. It returns the index of the name behind the last one of them, and its field.
func (w *walker) usual(at, last int) (int, int) {
	for {
		f := w.next[last]
		if f == nil || f.action != keep || f.quoted == "" {
			return at, last
		}
		value := at + len(f.quoted)
		if value >= len(w.data) || string(w.data[at:value]) != f.quoted || w.data[value] != '"' {
			return at, last
		}
		end := jsonscan.SkipPlain(w.data, value+1)
		if end+2 >= len(w.data) || w.data[end] != '"' || w.data[end+1] != ',' || w.data[end+2] != '"' {
			return at, last
		}
		at, last = end+2, f.id
	}
}

// separator reads what is behind a member. Behind a comma it returns the index of the next name, at
// the end of the object that of the brace and true; last whether it is one of the two.
func (w *walker) separator(at int) (int, bool, bool) {
	at = jsonscan.Space(w.data, at)
	switch {
	case at >= len(w.data):
		return at, false, false
	case w.data[at] == ',':
		return jsonscan.Space(w.data, at+1), false, true
	default:
		return at, true, w.data[at] == '}'
	}
}

// member reads a name and its colon, and says what is done with its value. The field is nil if the
// name is not declared.
func (w *walker) member(o *object, at, last int) (*field, action, int, bool) {
	if guess := w.next[last]; guess != nil {
		if end := at + len(guess.quoted); guess.quoted != "" && end <= len(w.data) && string(w.data[at:end]) == guess.quoted {
			return guess, guess.action, jsonscan.Space(w.data, end), true
		}
	}
	end, plain, ok := jsonscan.String(w.data, at)
	if !ok {
		return nil, keep, end, false
	}
	value, ok := jsonscan.Colon(w.data, end)
	if !ok {
		return nil, keep, value, false
	}
	name := w.data[at+1 : end-1]
	if !plain {
		// An error is that of a lone surrogate: the text then has a replacement in its place, as
		// the reader of records has it.
		w.name, _ = jsontext.AppendUnquote(w.name[:0], w.data[at:end])
		name = w.name
	}
	if f := o.fields[string(name)]; f != nil {
		w.next[last] = f
		return f, f.action, value, true
	}
	if len(o.prefixes) > 0 {
		if does, claimed := o.claims(string(name)); claimed {
			return nil, does, value, true
		}
	}
	if o.undeclared {
		return nil, omit, value, true
	}
	return nil, keep, value, true
}

// value rewrites the value that begins at data[at]. It returns the index behind it, and whether it
// is to be left out.
func (w *walker) value(does action, f *field, at, depth int) (int, bool, bool) {
	switch does {
	case descend:
		end, ok := w.array(f.element, at, depth)
		return end, false, ok
	case scalars:
		return w.scalars(at, depth)
	case digest:
		return w.hashed(at, depth)
	case keep, omit:
	}
	if at < len(w.data) && w.data[at] == '"' { // nearly all are
		end, _, ok := jsonscan.String(w.data, at)
		return end, does == omit, ok
	}
	end, ok := jsonscan.Value(w.data, at, depth)
	return end, does == omit, ok
}

// hashed puts a hash in place of a value. Null, texts of blanks and hashes stay; objects and arrays
// are to be left out.
func (w *walker) hashed(at, depth int) (int, bool, bool) {
	end, ok := jsonscan.Value(w.data, at, depth)
	if !ok {
		return end, false, false
	}
	switch w.data[at] {
	case '{', '[':
		return end, true, true
	case 'n':
		return end, false, true
	case '"':
		text := w.data[at+1 : end-1]
		if !jsonscan.Plain(text) {
			w.text, _ = jsontext.AppendUnquote(w.text[:0], w.data[at:end]) // as in member
			text = w.text
		}
		w.put(at, end, text)
	default:
		w.put(at, end, w.data[at:end])
	}
	return end, false, true
}

func (w *walker) put(from, to int, text []byte) {
	w.hash = w.key.appendHash(append(w.hash[:0], '"'), text)
	if len(w.hash) > len(`"`) {
		w.hash = append(w.hash, '"')
		w.replace(from, to, w.hash)
	}
}

// array rewrites the elements of an array, or the object that stands in its place. What is neither
// an object nor empty has no columns to leave out: null takes its place, and the record is rejected
// for it, as for what was there.
func (w *walker) array(o *object, at, depth int) (int, bool) {
	if at < len(w.data) && w.data[at] == '{' {
		return w.object(o, at, depth)
	}
	if at >= len(w.data) || w.data[at] != '[' {
		return w.opaque(at, depth, "[null]", true)
	}
	return w.elements(at, depth, func(at int) (int, bool) {
		if w.data[at] == '{' {
			return w.object(o, at, depth+1)
		}
		return w.opaque(at, depth+1, "null", false)
	})
}

// opaque replaces a value without columns. Null stays, and so does an empty text if that may stand
// for an empty array.
func (w *walker) opaque(at, depth int, by string, mayBeEmpty bool) (int, bool) {
	end, ok := jsonscan.Value(w.data, at, depth)
	if !ok {
		return end, false
	}
	empty := mayBeEmpty && blank(w.data[at:end])
	if w.data[at] != 'n' && !empty {
		w.replace(at, end, []byte(by))
	}
	return end, true
}

// blank reports whether a value is a text of spaces.
func blank(literal []byte) bool {
	if literal[0] != '"' {
		return false
	}
	for _, c := range literal[1 : len(literal)-1] {
		if c != ' ' {
			return false
		}
	}
	return true
}

// scalars hashes the elements of an array of bare values. Elements keep their positions: null takes
// the place of an object or array. In place of the array one value may stand, which is hashed.
func (w *walker) scalars(at, depth int) (int, bool, bool) {
	if at >= len(w.data) || w.data[at] != '[' {
		return w.hashed(at, depth)
	}
	end, ok := w.elements(at, depth, func(at int) (int, bool) {
		end, gone, ok := w.hashed(at, depth+1)
		if ok && gone {
			w.replace(at, end, []byte("null"))
		}
		return end, ok
	})
	return end, false, ok
}

// elements calls each for the beginning of each element, and gets the index behind it.
func (w *walker) elements(at, depth int, each func(at int) (int, bool)) (int, bool) {
	if depth >= jsonscan.MaxDepth {
		return at, false
	}
	at = jsonscan.Space(w.data, at+1)
	if at < len(w.data) && w.data[at] == ']' {
		return at + 1, true
	}
	for {
		if at >= len(w.data) {
			return at, false
		}
		end, ok := each(at)
		if !ok {
			return end, false
		}
		at = jsonscan.Space(w.data, end)
		if at >= len(w.data) {
			return at, false
		}
		switch w.data[at] {
		case ',':
			at = jsonscan.Space(w.data, at+1)
		case ']':
			return at + 1, true
		default:
			return at, false
		}
	}
}
