// Package promote proposes typed columns for keys that no column takes, from all values in the raw
// records.
//
// It reads raw records and not the tables: a table holds 10.00 as 10, so an amount would look like
// a count.
//
// It is pure: it reads no database and writes no file. It proposes a kind only if every value fits
// it by the code that loads values, so a promoted column loses nothing. The operator has to confirm
// that the kind is meant.
//
// Start reading at Survey.Records.
package promote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema"
	"sluice/schema/record/canonical"
)

// Survey examines objects: the undeclared keys of records, or the elements of an array. The zero
// value is ready for use.
type Survey struct {
	rows int
	keys map[string]*seen
}

// seen sums up the values of one key.
type seen struct {
	// rows is the number of objects with the key; in empty of them the value is null or blank.
	rows, empty int
	// shapes counts values by their JSON type: a string is '"', a number '0', a boolean 't', an
	// array '[', an object '{'.
	shapes map[jsontext.Kind]int
	// misfit has the kinds that at least one value does not fit.
	misfit map[schema.Kind]bool
	// words says that some value has other characters than digits. zeros says that some value of
	// digits begins with a zero, which a number would lose. long says that some value has more
	// digits than an amount or a count.
	words, zeros, long bool
	// elements surveys the objects in arrays; bare says that some elements are no objects.
	elements *Survey
	bare     bool
}

// Records examines a JSON array of raw records. It skips keys that are declared already.
func (s *Survey) Records(array []byte, declared map[string]bool) error {
	var records []map[string]json.RawMessage
	if err := json.Unmarshal(array, &records); err != nil {
		return fmt.Errorf("read records that were kept: %w", err)
	}
	for _, record := range records {
		if record == nil {
			continue // a record that was stored without its bytes
		}
		s.rows++
		for key, raw := range record {
			if declared[key] {
				continue
			}
			if err := s.look(key, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Survey) look(key string, raw json.RawMessage) error {
	if s.keys == nil {
		s.keys = make(map[string]*seen)
	}
	k := s.keys[key]
	if k == nil {
		k = &seen{shapes: make(map[jsontext.Kind]int), misfit: make(map[schema.Kind]bool)}
		s.keys[key] = k
	}
	k.rows++
	one := jsontext.Value(bytes.TrimSpace(raw))
	if one.Kind() == 'n' || one.Kind() == '"' && canonical.Blank(one[1:len(one)-1]) {
		k.empty++
		return nil
	}
	shape := one.Kind()
	if shape == 'f' {
		shape = 't'
	}
	k.shapes[shape]++
	k.fits(one)
	if shape == '[' {
		return k.array(raw)
	}
	return nil
}

// fits records the kinds that the value does not fit.
func (k *seen) fits(one jsontext.Value) {
	reader := canonical.NewReader(time.UTC)
	for _, kind := range []schema.Kind{
		schema.KindBool, schema.KindInt, schema.KindDecimal, schema.KindDate, schema.KindTime, schema.KindID, schema.KindText,
	} {
		if k.misfit[kind] {
			continue
		}
		_, _, bad := reader.Append(nil, kind, one)
		k.misfit[kind] = bad.Code != ""
	}
	const figure = 15 // the most digits of an amount or a count
	digits := strings.Trim(string(one), `"`)
	if strings.Trim(digits, "0123456789") != "" {
		k.words = true
		return
	}
	k.zeros = k.zeros || len(digits) > 1 && digits[0] == '0'
	k.long = k.long || len(digits) > figure
}

// array examines the elements of an array.
func (k *seen) array(raw json.RawMessage) error {
	var elements []json.RawMessage
	if err := json.Unmarshal(raw, &elements); err != nil {
		return fmt.Errorf("read an array: %w", err)
	}
	for _, element := range elements {
		var object map[string]json.RawMessage
		if json.Unmarshal(element, &object) != nil || object == nil {
			k.bare = true
			continue
		}
		if k.elements == nil {
			k.elements = &Survey{}
		}
		k.elements.rows++
		for key, one := range object {
			if err := k.elements.look(key, one); err != nil {
				return err
			}
		}
	}
	return nil
}

// kind returns the kind to propose.
func (k *seen) kind(key string) schema.Kind {
	texts, numbers, truths := k.shapes['"'], k.shapes['0'], k.shapes['t']
	switch {
	case k.shapes['['] > 0 || k.shapes['{'] > 0:
		return schema.KindJSON
	case texts+numbers+truths == 0:
		return schema.KindText // nothing but empty values
	case isIDName(key) || !k.words && (k.long || k.zeros):
		return k.first(schema.KindID, schema.KindBool, schema.KindText)
	case truths > 0:
		return k.first(schema.KindBool)
	case numbers > 0: // if a word is among them, an identifier, which keeps the exact text
		return k.first(schema.KindInt, schema.KindDecimal, schema.KindID)
	case k.words:
		return k.first(schema.KindDate, schema.KindTime, schema.KindText)
	default: // digits in quotes: whether they count anything is unknown
		return k.first(schema.KindText)
	}
}

// first returns the first of some kinds that every value fits; JSON fits any value.
func (k *seen) first(kinds ...schema.Kind) schema.Kind {
	for _, kind := range kinds {
		if !k.misfit[kind] {
			return kind
		}
	}
	return schema.KindJSON
}

// isIDName reports whether a key is named like an identifier.
func isIDName(key string) bool {
	lower := strings.ToLower(key)
	return lower == "id" || strings.HasSuffix(lower, "_id") || strings.HasSuffix(key, "Id") || strings.HasSuffix(key, "ID")
}

// sorted returns the keys in the order of the report.
func (s *Survey) sorted() []string { return slices.Sorted(maps.Keys(s.keys)) }
