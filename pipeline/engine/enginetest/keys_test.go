package enginetest_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/engine"
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
	block := check.Sure(aes.NewCipher(key))(t)
	return check.Sure(cipher.NewGCMWithRandomNonce(block))(t)
}

// keyring is a fixture whose database has tokens of two keys.
type keyring struct {
	*fixture
	old, fresh []byte
}

const credentials = 40

func credential(n int) string { return fmt.Sprintf("credential-%02d", n) }

// tokens checks that each token opens to what it was, and returns how many credentials the new key
// opens. Changed is a credential whose access token was refreshed.
func (k *keyring) tokens(changed string) int {
	k.t.Helper()
	rows, err := k.conn.Query(k.t.Context(), `SELECT credential, sealed, refresh, version, expires_at > now() + interval '50 minutes' FROM sluice.tokens ORDER BY 1`)
	check.Must(k.t, err)
	var name string
	var sealed, refresh []byte
	var version int64
	var lives bool
	fresh, seen := 0, 0
	_, err = pgx.ForEachRow(rows, []any{&name, &sealed, &refresh, &version, &lives}, func() error {
		seen++
		want, at := "access of "+name, int64(7)
		if name == changed {
			want, at = "refreshed", 8
		}
		news := openedBy(k.t, k.fresh, name, sealed)
		if news != "" {
			fresh++
		}
		if got := news + openedBy(k.t, k.old, name, sealed); got != want || version != at || !lives {
			k.t.Errorf("%s: %q in version %d, lives: %t, want %q in version %d", name, got, version, lives, want, at)
		}
		purpose := "refresh token of " + name
		check.Same(k.t, name+": the refresh token",
			"refresh of "+name, openedBy(k.t, k.fresh, purpose, refresh)+openedBy(k.t, k.old, purpose, refresh))
		return nil
	})
	check.Must(k.t, err)
	check.Same(k.t, "credentials", credentials, seen)
	return fresh
}

// uses checks how many access tokens the new and the old key sealed.
func (k *keyring) uses(fresh, old int) {
	k.t.Helper()
	uses, err := k.app.Keys(k.t.Context())
	if err != nil || len(uses.Keys) != 2 || uses.Keys[0].AccessTokens != fresh || uses.Keys[1].AccessTokens != old ||
		uses.Keys[0].RefreshTokens+uses.Keys[1].RefreshTokens != credentials || !uses.Keys[0].Seals || uses.Keys[1].Seals || uses.UnopenedAccess != 0 {
		k.t.Errorf("the keys sealed %+v (error %v), want %d and %d access tokens", uses, err, fresh, old)
	}
}

// rotates starts to seal with the newest key, which waits for a row; it returns what comes of it.
func (k *keyring) rotates() func() (int, error) {
	k.t.Helper()
	ended := make(chan error, 1)
	rotated := 0
	go func() {
		var err error
		rotated, err = k.app.RotateKeys(k.t.Context())
		ended <- err
	}()
	k.until(`SELECT EXISTS (SELECT ` + waiting + `)`)
	return func() (int, error) {
		err := <-ended
		return rotated, err
	}
}

const waiting = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE%'`

// TestKeysRotate seals 40 credentials with the newest key. If its session breaks in the middle,
// nothing is lost, and the next one goes on; a refresh beside it is not overwritten. Tokens stay
// the same ones.
func TestKeysRotate(t *testing.T) {
	k := &keyring{
		fixture: newFixture(t, sandbox.Options{Seed: 137, Records: 5}, nil, "", single()),
		old:     []byte("an old key of thirty-two bytes!!"), fresh: []byte("another key of thirty-two bytes!"),
	}
	texts := []string{base64.StdEncoding.EncodeToString(k.fresh), base64.StdEncoding.EncodeToString(k.old)}
	keys, others := strings.Join(texts, ","), k.options.LookupEnv
	k.options.LookupEnv = func(name string) (string, bool) {
		if name == "SLUICE_ENCRYPTION_KEY" {
			return keys, keys != ""
		}
		return others(name)
	}
	var said bytes.Buffer
	k.options.LogTo = &said
	k.close()
	k.open()
	for n := range credentials {
		name := credential(n)
		k.exec(`INSERT INTO sluice.tokens (credential, sealed, refresh, version, expires_at) VALUES ($1, $2, $3, 7, now() + interval '1 hour')`,
			name, sealedBy(t, k.old, name, "access of "+name), sealedBy(t, k.old, "refresh token of "+name, "refresh of "+name))
	}
	k.uses(0, credentials)

	// A refresh has the row in the middle.
	url, _ := others("SLUICE_DATABASE_URL")
	refresh := check.Sure(warehousetest.Connect(t, url).Begin(t.Context()))(t)
	check.Must(t, check.Failure(refresh.Exec(t.Context(), `SELECT FROM sluice.tokens WHERE credential = $1 FOR UPDATE`, credential(20))))
	ends := k.rotates()
	k.exec(`SELECT pg_terminate_backend(pid, 10000) ` + waiting)
	n, broken := ends()
	if fresh := k.tokens(""); fresh != 20 || n != 20 || broken == nil {
		t.Errorf("after a lost session (error %v) %d credentials are sealed anew, and the new key opens %d, want 20", broken, n, fresh)
	}

	ends = k.rotates()
	_, err := refresh.Exec(t.Context(), `UPDATE sluice.tokens SET sealed = $2, version = version + 1 WHERE credential = $1`,
		credential(20), sealedBy(t, k.old, credential(20), "refreshed"))
	check.Must(t, err)
	check.Must(t, refresh.Commit(t.Context()))
	n = check.Sure(ends())(t)
	if fresh := k.tokens(credential(20)); fresh != credentials || n != credentials-20 {
		t.Errorf("%d credentials are sealed anew, and the new key opens %d, want %d", n, fresh, credentials)
	}
	k.uses(credentials, 0)
	n, err = k.app.RotateKeys(t.Context())
	check.ErrorIf(t, n != 0 || err != nil, "a second time: %d credentials, error %v", n, err)

	// A token that no key opens is counted, and stays.
	keys, _ = others("SLUICE_ENCRYPTION_KEY")
	check.Must(t, check.Failure(k.app.RotateKeys(t.Context())))
	uses, err := k.app.Keys(t.Context())
	check.ErrorIf(t, err != nil || uses.UnopenedAccess != credentials || uses.UnopenedRefresh != credentials,
		"with another key: %+v, error %v", uses, err)
	k.tokens(credential(20))
	keys = ""
	_, err = k.app.Keys(t.Context())
	check.ErrorIf(t, !errors.Is(err, engine.ErrUsage), "without a key: error %v", err)
	for _, secret := range append(texts, "access of", "refresh of", "thirty-two") {
		log := fmt.Sprint(said.String(), broken)
		check.ErrorIf(t, strings.Contains(log, secret), "%q is logged:\n%s", secret, log)
	}
}
