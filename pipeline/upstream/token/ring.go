package token

import (
	"crypto/sha256"
	"encoding/hex"

	"sluice/pipeline"
)

// idSize is how many bytes of a key's hash tell it from others.
const idSize = 4

// Ring are the keys that seal tokens, and says which of them sealed what. It shows no key and opens
// no token for others.
type Ring struct {
	sealer sealer
	ids    []string
}

// NewRing makes a ring; the first key is the newest one, which seals.
func NewRing(keys [][]byte) (*Ring, error) {
	sealer, err := newSealer(keys...)
	if err != nil {
		return nil, err
	}
	r := &Ring{sealer: sealer}
	for _, key := range keys {
		sum := keyHash(key)
		r.ids = append(r.ids, hex.EncodeToString(sum[:idSize]))
	}
	return r, nil
}

// keyHash is the hash by which keys are told apart. A hash of a random key does not reveal it.
func keyHash(key []byte) [sha256.Size]byte {
	return sha256.Sum256(append([]byte("sluice key id\x00"), key...))
}

// IDs are short names of the keys, in their order.
func (r *Ring) IDs() []string { return r.ids }

// Sealed is which key sealed a token: its number in the ring, or one of the constants below.
type Sealed int

const (
	// Absent says that there is no such token.
	Absent Sealed = -1
	// Unopened says that none of the keys opens it.
	Unopened Sealed = -2
)

// Of returns by which keys the access token and the refresh token of a credential were sealed.
func (r *Ring) Of(credential string, row pipeline.Token) (access, refresh Sealed) { //nolint:nonamedreturns // they say which is which
	return r.of(credential, row.Sealed), r.of(refreshOf(credential), row.Refresh)
}

func (r *Ring) of(purpose string, sealed []byte) Sealed {
	if len(sealed) == 0 {
		return Absent
	}
	for i := range r.sealer {
		if _, err := r.sealer[i:i+1].open(purpose, sealed); err == nil {
			return Sealed(i)
		}
	}
	return Unopened
}

// Again seals the tokens of a credential with the newest key that another key sealed, and reports
// whether there was one. What no key opens stays as it is.
func (r *Ring) Again(credential string, row pipeline.Token) (pipeline.Token, bool) {
	access, refresh := r.Of(credential, row)
	row.Sealed = r.sealer.again(credential, row.Sealed)
	row.Refresh = r.sealer.again(refreshOf(credential), row.Refresh)
	return row, access > 0 || refresh > 0
}
