package cli

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// sealedBy seals a text as the program does. It is written down here so that a change of the form,
// which would make stored tokens unreadable, fails.
func sealedBy(t *testing.T, key []byte, purpose, text string) []byte {
	t.Helper()
	id := sha256.Sum256(append([]byte("sluice key id\x00"), key...))
	return gcm(t, key).Seal(id[:1], nil, []byte(text), []byte(purpose))
}

// openedBy opens what sealedBy or the program sealed; "" if the key does not open it.
func openedBy(t *testing.T, key []byte, purpose string, sealed []byte) string {
	t.Helper()
	text, err := gcm(t, key).Open(nil, nil, sealed[1:], []byte(purpose))
	if err != nil {
		return ""
	}
	return string(text)
}

func gcm(t *testing.T, key []byte) cipher.AEAD {
	t.Helper()
	block, err := aes.NewCipher(key)
	must(t, err)
	aead, err := cipher.NewGCMWithRandomNonce(block)
	must(t, err)
	return aead
}

// keyring is a fixture whose database has tokens of two keys.
type keyring struct {
	*fixture
	old, fresh []byte
}

const credentials = 40

func name(n int) string { return fmt.Sprintf("credential-%02d", n) }

// tokens checks that each token opens to what it was, and returns how many credentials the new key
// opens. Changed is a credential whose access token was refreshed.
func (k *keyring) tokens(changed string) int {
	k.t.Helper()
	rows, err := k.conn.Query(k.t.Context(), `SELECT credential, sealed, refresh, version, expires_at > now() + interval '50 minutes' FROM sluice.tokens ORDER BY 1`)
	must(k.t, err)
	var credential string
	var sealed, refresh []byte
	var version int64
	var lives bool
	fresh, seen := 0, 0
	_, err = pgx.ForEachRow(rows, []any{&credential, &sealed, &refresh, &version, &lives}, func() error {
		seen++
		want, at := "access of "+credential, int64(7)
		if credential == changed {
			want, at = "refreshed", 8
		}
		news := openedBy(k.t, k.fresh, credential, sealed)
		if news != "" {
			fresh++
		}
		if got := news + openedBy(k.t, k.old, credential, sealed); got != want || version != at || !lives {
			k.t.Errorf("%s: %q in version %d, lives: %t, want %q in version %d", credential, got, version, lives, want, at)
		}
		purpose := "refresh token of " + credential
		if got := openedBy(k.t, k.fresh, purpose, refresh) + openedBy(k.t, k.old, purpose, refresh); got != "refresh of "+credential {
			k.t.Errorf("%s: the refresh token is %q", credential, got)
		}
		return nil
	})
	must(k.t, err)
	if seen != credentials {
		k.t.Errorf("%d credentials, want %d", seen, credentials)
	}
	return fresh
}

// uses returns what keys says: access tokens of the new and of the old key.
func (k *keyring) uses(wants ...int) {
	k.t.Helper()
	o := k.run("keys", "--json")
	var said keysView
	must(k.t, json.Unmarshal([]byte(o.stdout), &said))
	if o.code != codeFine || len(said.Keys) != 2 || said.Keys[0].AccessTokens != wants[0] || said.Keys[1].AccessTokens != wants[1] ||
		said.Keys[0].RefreshTokens+said.Keys[1].RefreshTokens != credentials || !said.Keys[0].Seals || said.Keys[1].Seals || said.UnopenedAccess != 0 {
		k.t.Errorf("keys says %s, want %v access tokens", o.stdout, wants)
	}
}

// TestKeysRotate seals 40 credentials with the newest key. Killed in the middle nothing is lost,
// and the next one goes on; a refresh beside it is not overwritten. Tokens stay the same ones.
func TestKeysRotate(t *testing.T) {
	t.Parallel()
	k := &keyring{
		fixture: newFixture(t, sandbox.Options{Seed: 137, Records: 5}),
		old:     []byte("an old key of thirty-two bytes!!"), fresh: []byte("another key of thirty-two bytes!"),
	}
	for n := range credentials {
		k.exec(`INSERT INTO sluice.tokens (credential, sealed, refresh, version, expires_at) VALUES ($1, $2, $3, 7, now() + interval '1 hour')`,
			name(n), sealedBy(t, k.old, name(n), "access of "+name(n)), sealedBy(t, k.old, "refresh token of "+name(n), "refresh of "+name(n)))
	}
	texts := []string{base64.StdEncoding.EncodeToString(k.fresh), base64.StdEncoding.EncodeToString(k.old)}
	k.environment["SLUICE_ENCRYPTION_KEY"] = strings.Join(texts, ",")
	k.uses(0, credentials)

	// A refresh has the row in the middle; the process is killed while it waits for it.
	refresh, err := warehousetest.Connect(t, k.environment["SLUICE_DATABASE_URL"]).Begin(t.Context())
	must(t, err)
	_, err = refresh.Exec(t.Context(), `SELECT FROM sluice.tokens WHERE credential = $1 FOR UPDATE`, name(20))
	must(t, err)
	const waits = `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE%')`
	p := k.start("keys", "rotate")
	k.until("it waits for the row", waits)
	p.kill()
	if fresh := k.tokens(""); fresh != 20 {
		t.Errorf("after the kill the new key opens %d credentials, want 20", fresh)
	}
	k.until("its session is gone", "SELECT NOT ("+strings.TrimPrefix(waits, "SELECT ")+")")

	p = k.start("keys", "rotate")
	k.until("it waits for the row", waits)
	_, err = refresh.Exec(t.Context(), `UPDATE sluice.tokens SET sealed = $2, version = version + 1 WHERE credential = $1`,
		name(20), sealedBy(t, k.old, name(20), "refreshed"))
	must(t, err)
	must(t, refresh.Commit(t.Context()))
	p.ends(codeFine, time.Minute)
	if fresh := k.tokens(name(20)); fresh != credentials {
		t.Errorf("the new key opens %d credentials, want %d", fresh, credentials)
	}
	k.uses(credentials, 0)
	o := k.run("keys", "rotate")
	if o.code != codeFine || !strings.Contains(o.stdout, "can be removed") || strings.Contains(o.stdout, "anew") {
		t.Errorf("a second time: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	said := o.stdout + p.stdout.String() + p.stderr.String()
	for _, secret := range append(texts, "access of", "refresh of", "thirty-two") {
		if strings.Contains(said, secret) {
			t.Errorf("%q is printed:\n%s", secret, said)
		}
	}

	// A token that no key opens is counted, and stays.
	k.environment["SLUICE_ENCRYPTION_KEY"] = testKey
	if o := k.run("keys", "rotate"); o.code != codeFine || !strings.Contains(o.stdout, "No key opens 40 access tokens and 40 refresh tokens") {
		t.Errorf("with another key: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	k.tokens(name(20))
	delete(k.environment, "SLUICE_ENCRYPTION_KEY")
	if o := k.run("keys"); o.code != codeUsage {
		t.Errorf("without a key: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}
