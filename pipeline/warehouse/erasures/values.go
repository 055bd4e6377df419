package erasures

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/places"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/raw/archive"
)

// change is a row without the text.
type change struct {
	values [][]byte
	// changed are the columns that changed, hits how many values went, leaves their texts.
	changed []bool
	hits    int
	leaves  []string
}

// rewritten takes the text out of values.
func (t *table) rewritten(needle *places.Needle, values [][]byte) change {
	c := change{values: make([][]byte, len(values)), changed: make([]bool, len(values))}
	hit := func(text []byte, number bool) bool {
		erases := needle.Erases(text, number)
		if erases {
			c.leaves = append(c.leaves, string(text))
		}
		return erases
	}
	for i, value := range values {
		if value == nil || !t.columns[i].Holds(needle, value) {
			continue
		}
		var text []byte
		var hits int
		switch {
		case t.place == placeArchive:
			// One by one, as records are masked before they are loaded; those that changed count.
			var err error
			if text, hits, err = archive.Rewrite(value, func(record []byte) []byte {
				record, _ = places.Rewrite(record, hit)
				return record
			}); err != nil {
				hits = 0 // it is no array of records: the next rebuild says so
			}
		case t.columns[i].Structured() || isDocument(value):
			text, hits = places.Rewrite(value, hit)
		default: // a text goes as a whole
			c.leaves = append(c.leaves, string(value))
			text, hits = []byte(places.Erased), 1
		}
		if hits > 0 {
			c.values[i], c.changed[i] = text, true
			c.hits += hits
		}
	}
	return c
}

// isDocument says that a text, or bytes, are a document of JSON.
func isDocument(value []byte) bool {
	return len(value) > 0 && (value[0] == '{' || value[0] == '[') && json.Valid(value)
}

// queue writes a change.
func (t *table) queue(batch *pgx.Batch, at pgtype.TID, c *change) {
	if t.whole {
		batch.Queue(`DELETE FROM `+t.name+` WHERE ctid = $1`, at)
		return
	}
	var set []string
	args := []any{at}
	for i, column := range t.columns {
		if !c.changed[i] {
			continue
		}
		if column.Type == "bytea" {
			args = append(args, c.values[i])
		} else {
			args = append(args, string(c.values[i]))
		}
		set = append(set, pgx.Identifier{column.Name}.Sanitize()+" = "+from(column.Type, len(args)))
	}
	if t.hashed {
		set = append(set, "_payload_hash = NULL") // its next sight is normalized again
	}
	if t.name == "sluice.quarantine" && c.changed[0] {
		// The same bytes again are the same entry, and here they will come without the text.
		set = append(set, "record_hash = sha256($2::bytea)")
		batch.Queue(`DELETE FROM sluice.quarantine q USING sluice.quarantine o WHERE o.ctid = $1 AND q.id <> o.id
			AND (q.organization_id, q.service, q.resource, q.record_hash) = (o.organization_id, o.service, o.resource, sha256($2::bytea))`,
			at, c.values[0])
	}
	batch.Queue(`UPDATE `+t.name+` SET `+strings.Join(set, ", ")+` WHERE ctid = $1`, args...)
}

// from is the expression that makes a value of a type out of a parameter, as places.Column selects
// it.
func from(typ string, parameter int) string {
	text := fmt.Sprintf("$%d::text", parameter)
	element, list := strings.CutPrefix(typ, "_")
	switch {
	case typ == "bytea":
		return fmt.Sprintf("$%d::bytea", parameter)
	case list && (element == "json" || element == "jsonb"):
		return "ARRAY(SELECT e.value::" + element + " FROM jsonb_array_elements(" + text + "::jsonb) AS e (value))"
	case list:
		return "ARRAY(SELECT e.value FROM jsonb_array_elements_text(" + text + "::jsonb) AS e (value))::" + element + "[]"
	default:
		return text + "::" + typ
	}
}

const sqlMasks = `
SELECT s.salt, array_agg(v.value_hash) FROM sluice.erased_values v, sluice.erasure_salt s
WHERE v.organization_id = $1 GROUP BY s.salt`

// Masks take erased values out of records before these are loaded.
type Masks struct {
	organization string
	salt         []byte
	hashes       map[[sha256.Size]byte]bool
}

// MasksOf returns what takes the erased values of an organization out; nil if it has none.
func MasksOf(ctx context.Context, q postgres.Asker, organization string) (*Masks, error) {
	m := &Masks{organization: organization, hashes: map[[sha256.Size]byte]bool{}}
	var hashes [][]byte
	err := q.QueryRow(ctx, sqlMasks, organization).Scan(&m.salt, &hashes)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // nothing to take out is no error
	}
	for _, hash := range hashes {
		m.hashes[[sha256.Size]byte(hash)] = true
	}
	return m, postgres.Fail("reading which values were erased", err)
}

// Apply returns a record without the erased values.
func (m *Masks) Apply(raw []byte) []byte {
	masked, _ := places.Rewrite(raw, func(text []byte, _ bool) bool {
		salted := append(slices.Clip(m.salt), m.organization...)
		return m.hashes[sha256.Sum256(append(append(salted, '\n'), text...))]
	})
	return masked
}
