package token

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/outside"
)

// keySize is the length of SLUICE_ENCRYPTION_KEY, decoded.
const keySize = 32

// errWrongKey says that a token was sealed with another key or for another credential, or was
// changed.
var errWrongKey = errors.New("SLUICE_ENCRYPTION_KEY does not open the stored token")

// sealer seals tokens with AES-256-GCM, bound to their credential: a row copied to another
// credential does not open. The first key seals, all keys open.
type sealer []lock

// lock is one key.
type lock struct {
	gcm   cipher.AEAD
	keyID byte
}

func newSealer(keys ...[]byte) (sealer, error) {
	all := make(sealer, len(keys))
	for i, key := range keys {
		var err error
		if all[i], err = newLock(key); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func newLock(key []byte) (lock, error) {
	if len(key) != keySize {
		return lock{}, fmt.Errorf("the encryption key has %d bytes, not %d: set SLUICE_ENCRYPTION_KEY", len(key), keySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return lock{}, fmt.Errorf("encryption key: %w", err)
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return lock{}, fmt.Errorf("encryption key: %w", err)
	}
	return lock{gcm: gcm, keyID: keyHash(key)[0]}, nil
}

// Learn tells a scrubber the stored tokens that the keys open: a command's output may hold a token
// that an earlier command fetched (invariant 10).
func Learn(scrub *outside.Scrubber, keys [][]byte, stored map[string]pipeline.Token) error {
	sealer, err := newSealer(keys...)
	if err != nil {
		return err
	}
	for credential, row := range stored {
		for sealedFor, sealed := range map[string][]byte{credential: row.Sealed, refreshOf(credential): row.Refresh} {
			if plain, err := sealer.open(sealedFor, sealed); err == nil { // a token that does not open cannot be in this process's texts
				scrub.Know(plain)
			}
		}
	}
	return nil
}

// seal puts the key's id in front, so that several keys can be told apart.
func (s sealer) seal(credential, token string) []byte {
	return s[0].gcm.Seal([]byte{s[0].keyID}, nil, []byte(token), []byte(credential)) //nolint:gosec // this AEAD draws the nonce itself
}

// again reseals with the first key what another key sealed. What does not open stays as it is.
func (s sealer) again(credential string, sealed []byte) []byte {
	if _, err := s[:1].open(credential, sealed); err == nil {
		return sealed
	}
	plain, err := s.open(credential, sealed)
	if err != nil {
		return sealed
	}
	return s.seal(credential, plain)
}

func (s sealer) open(credential string, sealed []byte) (string, error) {
	for _, key := range s {
		if len(sealed) == 0 || sealed[0] != key.keyID { // two keys may have the same id, which is one byte
			continue
		}
		if plain, err := key.gcm.Open(nil, nil, sealed[1:], []byte(credential)); err == nil {
			return string(plain), nil
		}
	}
	return "", errWrongKey
}
