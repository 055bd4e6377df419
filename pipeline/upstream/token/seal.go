package token

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"

	"sluice/pipeline/upstream/wire"
)

// keySize is the length of SLUICE_ENCRYPTION_KEY, decoded.
const keySize = 32

// errWrongKey says that a sealed token was sealed with another key, or for another
// credential, or was changed.
var errWrongKey = errors.New("SLUICE_ENCRYPTION_KEY does not open the stored token")

// sealer seals tokens with AES-256-GCM, bound to their credential: a row copied to
// another credential does not open.
type sealer struct {
	gcm   cipher.AEAD
	keyID byte
}

func newSealer(key []byte) (*sealer, error) {
	if len(key) != keySize {
		return nil, fmt.Errorf("the encryption key has %d bytes, not %d: set SLUICE_ENCRYPTION_KEY", len(key), keySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	sum := sha256.Sum256(append([]byte("sluice key id\x00"), key...))
	return &sealer{gcm: gcm, keyID: sum[0]}, nil
}

// seal puts the key's id in front, so that several keys can be told apart.
func (s *sealer) seal(credential, token string) []byte {
	return s.gcm.Seal([]byte{s.keyID}, nil, []byte(token), []byte(credential)) //nolint:gosec // this AEAD draws the nonce itself
}

func (s *sealer) open(credential string, sealed []byte) (wire.Secret, error) {
	if len(sealed) == 0 || sealed[0] != s.keyID {
		return wire.Secret{}, errWrongKey
	}
	plain, err := s.gcm.Open(nil, nil, sealed[1:], []byte(credential))
	if err != nil {
		return wire.Secret{}, errWrongKey
	}
	return wire.NewSecret(string(plain)), nil
}
