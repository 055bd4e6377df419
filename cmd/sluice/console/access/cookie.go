package access

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// minKey is the least length of a sealing key in bytes.
const minKey = 32

// sealer seals what a browser keeps for the console, by AES-256-GCM with a key of its own. Each
// cookie is bound to its name and to the provider, so that one does not open in another's place.
type sealer struct {
	gcm cipher.AEAD
	// secure says that browsers reach the console by https. prefix is that of such cookies: a
	// browser takes them only by https, from this very host and for all of its paths.
	secure bool
	prefix string
	bound  string
}

func newSealer(key []byte, secure bool, bound string) (*sealer, error) {
	if len(key) < minKey {
		return nil, errors.New("console.auth oidc seals cookies with the sealing key: set SLUICE_ENCRYPTION_KEY")
	}
	derived, err := hkdf.Key(sha256.New, key, nil, "sluice console cookies", minKey)
	if err != nil {
		return nil, fmt.Errorf("derive the key of cookies: %w", err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, fmt.Errorf("the key of cookies: %w", err)
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("the key of cookies: %w", err)
	}
	s := &sealer{gcm: gcm, secure: secure, bound: bound}
	if secure {
		s.prefix = "__Host-"
	}
	return s, nil
}

// set gives the browser a cookie for some time. Its content is readable for the console only.
func (s *sealer) set(w http.ResponseWriter, name string, content any, age time.Duration) error {
	plain, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("seal a cookie: %w", err)
	}
	sealed := s.gcm.Seal(nil, nil, plain, []byte(name+"\x00"+s.bound)) //nolint:gosec // this AEAD draws the nonce itself
	s.write(w, name, base64.RawURLEncoding.EncodeToString(sealed), int(age/time.Second))
	return nil
}

// drop makes the browser forget a cookie.
func (s *sealer) drop(w http.ResponseWriter, name string) { s.write(w, name, "", -1) }

func (s *sealer) write(w http.ResponseWriter, name, value string, age int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // by plain http, which is of this machine only, a browser refuses Secure
		Name: s.prefix + name, Value: value, Path: "/", MaxAge: age,
		Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// get reads a cookie, and reports whether the request has one that this console sealed.
func (s *sealer) get(r *http.Request, name string, into any) bool {
	for _, cookie := range r.CookiesNamed(s.prefix + name) {
		sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
		if err != nil {
			continue
		}
		plain, err := s.gcm.Open(nil, nil, sealed, []byte(name+"\x00"+s.bound))
		if err == nil && json.Unmarshal(plain, into) == nil {
			return true
		}
	}
	return false
}
