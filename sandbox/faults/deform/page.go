package deform

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

const contextKey = "page_context"

// Context changes page_context; a page without one stays unchanged.
func Context(page []byte, change func([]byte) []byte) []byte {
	if context := Get(page, contextKey); context != nil {
		return Value(page, contextKey, string(change(bytes.Clone(context))))
	}
	return page
}

// More sets whether there are more pages.
func More(page []byte, more bool) []byte {
	return Context(page, func(context []byte) []byte { return Value(context, "has_more_page", strconv.FormatBool(more)) })
}

// Unsaid removes the flag for more pages.
func Unsaid(page []byte) []byte {
	return Context(page, func(context []byte) []byte { return Without(context, "has_more_page") })
}

// Listed writes page_context as an array of one object, with numbers as texts.
func Listed(page []byte) []byte {
	return Context(page, func(context []byte) []byte {
		context = each(context, func(_ string, value []byte) []byte {
			if value[0] >= '0' && value[0] <= '9' {
				return slices.Concat([]byte(`"`), value, []byte(`"`))
			}
			return value
		})
		return array([][]byte{context})
	})
}

// list returns the key of the records in the envelope; "" if there is none.
func list(page []byte) string {
	for _, m := range members(page) {
		if c := page[m.value]; m.name != contextKey && (c == '[' || c == '{') {
			return m.name
		}
	}
	return ""
}

// Keyless removes the key above the records.
func Keyless(page []byte) []byte { return Without(page, list(page)) }

// Single replaces the list by its first record.
func Single(page []byte) []byte {
	name := list(page)
	if all := elements(Get(page, name)); len(all) > 0 {
		return Value(page, name, string(all[0]))
	}
	return Value(page, name, "{}")
}

// Kept writes only the records that keep returns.
func Kept(page []byte, keep func([][]byte) [][]byte) []byte {
	name := list(page)
	return Value(page, name, string(array(keep(elements(Get(page, name))))))
}

// Latin1 writes a text in ISO 8859-1; other characters become question marks.
func Latin1(text []byte) []byte {
	written := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if r > 0xff {
			r = '?'
		}
		written = append(written, byte(r))
	}
	return written
}

const (
	end     = "\r\n" // of a line (RFC 4180)
	trailer = end + "next_token="
)

// Headless removes the first line of an export.
func Headless(export []byte) []byte {
	if _, rest, found := bytes.Cut(export, []byte(end)); found {
		return rest
	}
	return export
}

// Untold removes only the token at the end of an export.
func Untold(export []byte) []byte {
	if at := bytes.LastIndex(export, []byte(trailer)); at >= 0 {
		return export[:at]
	}
	return export
}

// SameToken ends an export with the token of its request; the first answer, requested without one,
// stays unchanged.
func SameToken(export []byte, token string) []byte {
	if token == "" {
		return export
	}
	return slices.Concat(Untold(export), []byte(trailer+token+end))
}

// CutLine breaks an export off in its last line.
func CutLine(export []byte) []byte {
	whole := bytes.TrimRight(Untold(export), end)
	if at := bytes.LastIndex(whole, []byte(end)); at >= 0 {
		last := whole[at+len(end):]
		return whole[:at+len(end)+len(last)/2] // half of it.
	}
	return whole
}

// Wider gives every line of an export one more column; its values must hold no line breaks.
func Wider(export []byte) []byte {
	lines := strings.Split(string(Untold(export)), end)
	for n, line := range lines {
		if line != "" {
			lines[n] = line + ",extra"
		}
	}
	return []byte(strings.Join(lines, end))
}
