package upstream_test

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"sluice/pipeline"
)

// TestKeysAreReplaced rotates the sealing key. The new key is put before the old one. The next
// refresh seals with it all that the old one sealed, also the refresh token that upstream sent.
// Then the old key can be removed. The pairs of keys have different ids, and once the same id.
func TestKeysAreReplaced(t *testing.T) {
	t.Parallel()
	old := bytes.Repeat([]byte{7}, 32)
	for b := range 256 { // an id is one byte: some of these keys have the old key's id
		key := bytes.Repeat([]byte{byte(b)}, 31)
		key = append(key, 1)
		first := true
		r := newTokenFixture(t, func(w http.ResponseWriter, q *http.Request) {
			refresh := ""
			if first {
				refresh = `,"refresh_token":"` + canaryRefresh + `2"`
			}
			first = false
			answer(200, jsonType, `{"access_token":"`+canaryToken+`","token_type":"Bearer","expires_in":3600`+refresh+`}`)(w, q)
		})
		token := func(what string, version int64) {
			t.Helper()
			got, at, err := r.process(t).Token(t.Context(), one)
			if err != nil || at != version || got.Reveal() != canaryToken {
				t.Fatalf("key %d, %s: version %d, %v, want %d", b, what, at, err, version)
			}
		}
		r.key = old
		token("sealed with the old key", 1)
		r.key, r.old = key, [][]byte{old}
		token("opened with the old key", 1)
		r.advance(61 * time.Minute)
		token("sealed with the new key", 2)
		r.old = nil
		token("opened with the new key", 2)
		r.advance(61 * time.Minute)
		token("asked for with the refresh token, which the new key opens", 3)
		if asked := r.seen(); len(asked) != 3 || asked[2].URL.Query().Get("refresh_token") != canaryRefresh+"2" {
			t.Fatalf("key %d: %d refreshes, the last one not with the refresh token that upstream sent", b, len(asked))
		}
		r.key = old
		if _, _, err := r.process(t).Token(t.Context(), one); pipeline.KindOf(err) != pipeline.Denied {
			t.Fatalf("key %d: the old key opens what the new one sealed: %v", b, err)
		}
	}
}
