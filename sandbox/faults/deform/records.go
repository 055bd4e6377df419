package deform

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Target names the keys of a record that a fault may spoil, by wire names.
type Target struct {
	ID     string // the identifier
	Number string // a number or date
	Text   string // a text
}

// Strike counts how often a fault has struck, this time included.
type Strike int

// First changes the first record of a page.
func First(change func(Target, []byte) []byte) func(Target, [][]byte, Strike) [][]byte {
	return func(target Target, records [][]byte, _ Strike) [][]byte {
		records[0] = change(target, records[0])
		return records
	}
}

// Every changes every record of a page.
func Every(change func(Target, []byte) []byte) func(Target, [][]byte, Strike) [][]byte {
	return func(target Target, records [][]byte, _ Strike) [][]byte {
		for n := range records {
			records[n] = change(target, records[n])
		}
		return records
	}
}

// Text replaces the text by a value.
func Text(value string) func(Target, []byte) []byte {
	return func(t Target, record []byte) []byte { return Value(record, t.Text, value) }
}

// Number replaces the number or date by a value.
func Number(value string) func(Target, []byte) []byte {
	return func(t Target, record []byte) []byte { return Value(record, t.Number, value) }
}

// Modified replaces the modification time, under each of its names.
func Modified(change func(value string) string) func(Target, []byte) []byte {
	return func(_ Target, record []byte) []byte {
		for _, name := range [...]string{"last_modified_time", "updated_time"} {
			if value := Get(record, name); value != nil {
				return Value(record, name, strconv.Quote(change(strings.Trim(string(value), `"`))))
			}
		}
		return record
	}
}

const stamp = "2006-01-02T15:04:05-0700" // docs/upstream.md U120

// WithoutOffset writes a time without its zone.
func WithoutOffset(value string) string {
	return rewritten(value, func(t time.Time) string { return t.Format("2006-01-02T15:04:05") })
}

// OtherOffset writes a time in UTC with Z and a fraction.
func OtherOffset(value string) string {
	return rewritten(value, func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") })
}

// Earlier writes a time some years earlier.
func Earlier(value string) string {
	return rewritten(value, func(t time.Time) string { return t.AddDate(-20, 0, 0).Format(stamp) }) // before any business here.
}

func rewritten(value string, write func(time.Time) string) string {
	t, err := time.Parse(stamp, value)
	if err != nil {
		return value
	}
	return write(t)
}

// Twice gives a record the text a second time, with another value.
func Twice(t Target, record []byte) []byte {
	return With(record, fmt.Sprintf("%q:%q", t.Text, "the second value"))
}

// CaseTwin gives a record the text's name a second time, in capitals.
func CaseTwin(t Target, record []byte) []byte {
	return With(record, fmt.Sprintf("%q:%q", strings.ToUpper(t.Text), "in capitals"))
}

// BareID writes the identifier as a number.
func BareID(t Target, record []byte) []byte {
	return Value(record, t.ID, strings.Trim(string(Get(record, t.ID)), `"`))
}

// OneID gives every record the same id.
func OneID(t Target, record []byte) []byte { return Value(record, t.ID, `"0"`) }

// ForeignID gives the record the organization of another business.
func ForeignID(t Target, record []byte) []byte {
	id := strings.Trim(string(Get(record, t.ID)), `"`)
	if id == "" {
		return record
	}
	return Value(record, t.ID, `"9`+id[1:]+`"`)
}

// Nulls writes null for every empty text.
func Nulls(_ Target, record []byte) []byte {
	return each(record, func(_ string, value []byte) []byte {
		if string(value) == `""` {
			return []byte("null")
		}
		return value
	})
}

// Flipped gives every value but the identifier the other type: numbers become texts, flags numbers,
// arrays objects, objects arrays.
func Flipped(t Target, record []byte) []byte {
	return each(record, func(name string, value []byte) []byte {
		switch {
		case name == t.ID || len(value) == 0 || value[0] == '"' || string(value) == "null":
			return value
		case string(value) == "true":
			return []byte("1")
		case string(value) == "false":
			return []byte("0")
		case value[0] == '[':
			if all := elements(value); len(all) > 0 {
				return all[0]
			}
			return []byte("{}")
		case value[0] == '{':
			return array([][]byte{value})
		default:
			return []byte(strconv.Quote(string(value)))
		}
	})
}

// Narrow leaves the identifier, the text and the modification time.
func Narrow(t Target, record []byte) []byte {
	narrow := []byte("{}")
	for _, name := range []string{t.ID, t.Text, "last_modified_time", "updated_time"} {
		if value := Get(record, name); value != nil {
			narrow = With(narrow, fmt.Sprintf("%q:%s", name, value))
		}
	}
	return narrow
}

// Drifting gives every record a key whose name is another one each time.
func Drifting(_ Target, records [][]byte, strike Strike) [][]byte {
	for n := range records {
		records[n] = With(records[n], fmt.Sprintf(`"release_%d_note":"added"`, strike))
	}
	return records
}

// Renamed changes the spelling of the text's name.
func Renamed(t Target, record []byte) []byte { return Named(record, t.Text, t.Text+"_v2") }

// Unstated removes the text.
func Unstated(t Target, record []byte) []byte { return Without(record, t.Text) }

// Deep gives a record a key with arrays inside arrays.
func Deep(levels int) func(Target, []byte) []byte {
	return func(_ Target, record []byte) []byte {
		return With(record, `"nested":`+strings.Repeat("[", levels)+strings.Repeat("]", levels))
	}
}

// Long gives a record a text of a number of bytes.
func Long(size int) func(Target, []byte) []byte {
	return func(t Target, record []byte) []byte { return Value(record, t.Text, `"`+strings.Repeat("x", size)+`"`) }
}

// Latin puts an invalid UTF-8 byte into the text.
func Latin(t Target, record []byte) []byte { return Value(record, t.Text, "\"M\xfcller\"") }

// Only keeps the records that were modified at exactly an instant.
func Only(since time.Time, records [][]byte) [][]byte {
	return slices.DeleteFunc(records, func(record []byte) bool {
		at, err := time.Parse(stamp, string(bytes.Trim(Get(record, "last_modified_time"), `"`)))
		return err == nil && !at.Equal(since)
	})
}
