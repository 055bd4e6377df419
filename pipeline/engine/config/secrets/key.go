package secrets

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"sluice/pipeline/upstream/wire"
)

// encryptionKey is the variable with the keys, encryptionKeyFile the variable that names a file
// with them; keySize is the size of an AES-256 key in bytes.
const (
	encryptionKey     = "SLUICE_ENCRYPTION_KEY"
	encryptionKeyFile = encryptionKey + "_FILE"
	keySize           = 32
	// MakeKey says how to make a key.
	MakeKey = "make one with \"openssl rand -base64 32\""
)

// EncryptionKeys returns the keys of 32 bytes that encrypt tokens before they are stored (invariant
// 10). The first one seals; all of them open. They come from the variable SLUICE_ENCRYPTION_KEY, or
// from the file that SLUICE_ENCRYPTION_KEY_FILE names. They are in base64, with or without padding,
// separated by commas or white space. Its errors never quote the value.
func (s Source) EncryptionKeys() ([][]byte, error) {
	text, _ := s.Getenv(encryptionKey)
	path, _ := s.Getenv(encryptionKeyFile)
	text, path = strings.TrimSpace(text), strings.TrimSpace(path)
	name := encryptionKey
	switch {
	case text != "" && path != "":
		return nil, errors.New(encryptionKey + " and " + encryptionKeyFile + " are both set: remove one of the two")
	case path != "" && !filepath.IsAbs(path):
		return nil, errors.New(encryptionKeyFile + " has to be an absolute path")
	case path != "":
		name = "the file that " + encryptionKeyFile + " names"
		var err error
		if text, err = guarded(path); err != nil {
			return nil, fmt.Errorf("%s: %w", encryptionKeyFile, err)
		}
	}
	var keys [][]byte
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\r' || r == '\t' }) {
		key, err := decode(word, false)
		if err != nil {
			return nil, fmt.Errorf("%s %w: %s", name, err, MakeKey)
		}
		keys = append(keys, key)
	}
	switch {
	case keys != nil:
		return keys, nil
	case path != "":
		return nil, errors.New(name + " holds no key: " + MakeKey)
	default:
		return nil, errors.New(encryptionKey + " is not set, and " + encryptionKeyFile + " is not, either: stored tokens are sealed with it; " + MakeKey +
			", keep it, and give the same one to every process")
	}
}

// decode decodes a key of 32 bytes, or of 32 or more if it may be longer.
func decode(word string, longer bool) ([]byte, error) {
	key, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(word, "="))
	switch {
	case err != nil:
		return nil, errors.New("is not base64") // the error of the decoder would quote the value
	case !longer && len(key) != keySize:
		return nil, fmt.Errorf("holds %d bytes and not %d", len(key), keySize)
	case len(key) < keySize:
		return nil, fmt.Errorf("holds %d bytes, and %d are the least", len(key), keySize)
	case bytes.Count(key, key[:1]) == len(key):
		return nil, errors.New("repeats one byte, so it is no secret")
	}
	return key, nil
}

// HashKey decodes the key of hashes: 32 bytes or more, in base64. Its errors never quote the value.
func HashKey(secret wire.Secret) ([]byte, error) {
	key, err := decode(strings.TrimSpace(secret.Reveal()), true)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, MakeKey)
	}
	return key, nil
}
