// Package promote proposes typed columns for keys that no column takes, by looking at all the
// values that came.
//
// It looks at records as they came and not at what the tables hold of them: there, 10.00 is 10
// already, and an amount would pass for a count.
//
// It is pure: it reads no database and writes no file. A kind is proposed only if every value fits
// it, judged by the code that loads values, so that a promoted column loses nothing; what the kind
// means is for a person to confirm.
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

// Survey looks at objects, one at a time: records' unknown keys, or the elements of an array. The
// zero value is ready.
type Survey struct {
	rows int
	keys map[string]*seen
}

// seen is what is known of the values of one key.
type seen struct {
	// rows have the key, empty are null or blank there.
	rows, empty int
	// shapes counts values by how JSON writes them: a string is '"', a number '0', a truth value
	// 't', an array '[', an object '{'.
	shapes map[jsontext.Kind]int
	// misfit are the kinds that some value does not fit.
	misfit map[schema.Kind]bool
	// words says that some value is not made of digits alone; zeros that one of digits begins with
	// a zero, which a number would lose; long that one has more digits than a figure has.
	words, zeros, long bool
	// elements are those of arrays of objects, bare says that some are none.
	elements *Survey
	bare     bool
}

// Records looks at records as they came, a JSON array of them. Keys of the record that are declared
// already are passed over.
func (s *Survey) Records(array []byte, declared map[string]bool) error {
	var records []map[string]json.RawMessage
	if err := json.Unmarshal(array, &records); err != nil {
		return fmt.Errorf("read records that were kept: %w", err)
	}
	for _, record := range records {
		if record == nil {
			continue // one without bytes
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

// tried are the kinds that values are held against.
func tried() []schema.Kind {
	return []schema.Kind{
		schema.KindBool, schema.KindInt, schema.KindDecimal, schema.KindDate, schema.KindTime, schema.KindID, schema.KindText,
	}
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

// fits notes which kinds do not take the value.
func (k *seen) fits(one jsontext.Value) {
	reader := canonical.NewReader(time.UTC)
	for _, kind := range tried() {
		if k.misfit[kind] {
			continue
		}
		_, _, bad := reader.Append(nil, kind, one)
		k.misfit[kind] = bad.Code != ""
	}
	const figure = 15 // more digits than any amount or count has
	digits := strings.Trim(string(one), `"`)
	if strings.Trim(digits, "0123456789") != "" {
		k.words = true
		return
	}
	k.zeros = k.zeros || len(digits) > 1 && digits[0] == '0'
	k.long = k.long || len(digits) > figure
}

// array looks at the elements.
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

// kind is the one to propose.
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
	case numbers > 0: // with a word among them an identifier, exact as they are
		return k.first(schema.KindInt, schema.KindDecimal, schema.KindID)
	case k.words:
		return k.first(schema.KindDate, schema.KindTime, schema.KindText)
	default: // digits as text: what they count, if anything, is not known
		return k.first(schema.KindText)
	}
}

// first gives the first of some kinds that every value fits; JSON takes any.
func (k *seen) first(kinds ...schema.Kind) schema.Kind {
	for _, kind := range kinds {
		if !k.misfit[kind] {
			return kind
		}
	}
	return schema.KindJSON
}

// isIDName says that a key is called like an identifier.
func isIDName(key string) bool {
	lower := strings.ToLower(key)
	return lower == "id" || strings.HasSuffix(lower, "_id") || strings.HasSuffix(key, "Id") || strings.HasSuffix(key, "ID")
}

// sorted are the keys in the order in which they are shown.
func (s *Survey) sorted() []string { return slices.Sorted(maps.Keys(s.keys)) }
