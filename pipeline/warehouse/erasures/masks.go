package erasures

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/places"
	"sluice/pipeline/warehouse/postgres"
)

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
