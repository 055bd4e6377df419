package token

import (
	"bytes"
	"testing"

	"sluice/pipeline"
	"sluice/pipeline/check"
)

// TestAgain seals with the newest key what another key sealed, and nothing else.
func TestAgain(t *testing.T) {
	t.Parallel()
	const credential = "one"
	keys := [][]byte{bytes.Repeat([]byte{1}, keySize), bytes.Repeat([]byte{2}, keySize), bytes.Repeat([]byte{3}, keySize)}
	sealed := func(key []byte, purpose, text string) []byte {
		t.Helper()
		by := check.Sure(newSealer(key))(t)
		return by.seal(purpose, text)
	}
	ring := check.Sure(NewRing(keys))(t)
	for name, test := range map[string]struct {
		access, refresh []byte // the keys that sealed them; nil where there is no such token
		changes         bool
	}{
		"both by the oldest":        {keys[2], keys[2], true},
		"the access token":          {keys[1], keys[0], true},
		"the refresh token":         {keys[0], keys[1], true},
		"no refresh token":          {keys[1], nil, true},
		"both by the newest":        {keys[0], keys[0], false},
		"only one, by the newest":   {keys[0], nil, false},
		"there is no token any way": {nil, nil, false},
	} {
		var row pipeline.Token
		if test.access != nil {
			row.Sealed = sealed(test.access, credential, "access")
		}
		if test.refresh != nil {
			row.Refresh = sealed(test.refresh, refreshOf(credential), "refresh")
		}
		got, changed := ring.Again(credential, row)
		access, refresh := ring.Of(credential, got)
		if changed != test.changes || access > 0 || refresh > 0 || (access == 0) != (test.access != nil) || (refresh == 0) != (test.refresh != nil) {
			t.Errorf("%s: changed %t, sealed by keys %d and %d", name, changed, access, refresh)
		}
		check.ErrorIf(t, !changed && (!bytes.Equal(got.Sealed, row.Sealed) || !bytes.Equal(got.Refresh, row.Refresh)),
			"%s: what the newest key sealed is sealed again", name)
	}
	// What no key opens stays, and the other token of its row is sealed again.
	stranger := sealed(bytes.Repeat([]byte{9}, keySize), credential, "access")
	got, changed := ring.Again(credential, pipeline.Token{Sealed: stranger, Refresh: sealed(keys[1], refreshOf(credential), "refresh")})
	if access, refresh := ring.Of(credential, got); !changed || access != Unopened || refresh != 0 || !bytes.Equal(got.Sealed, stranger) {
		t.Errorf("beside a token that no key opens: changed %t, sealed by keys %d and %d", changed, access, refresh)
	}
}
