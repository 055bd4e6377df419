package secrets

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// encryptionKey is the variable; keySize is the size of an AES-256 key in bytes.
const (
	encryptionKey = "SLUICE_ENCRYPTION_KEY"
	keySize       = 32
)

// EncryptionKey gives the 32 bytes with which access tokens are sealed before
// they are stored (promise 10), from the variable SLUICE_ENCRYPTION_KEY in base64,
// with or without padding. Its errors never hold what the variable holds.
func EncryptionKey(getenv func(string) (string, bool)) ([]byte, error) {
	text, ok := getenv(encryptionKey)
	text = strings.TrimSpace(text)
	if !ok || text == "" {
		return nil, errors.New(encryptionKey + " is not set: stored tokens are sealed with it; make one with " +
			"\"openssl rand -base64 32\", keep it, and give the same one to every process")
	}
	key, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil, errors.New(encryptionKey + " is not base64: make one with \"openssl rand -base64 32\"")
	}
	if len(key) != keySize {
		return nil, fmt.Errorf("%s holds %d bytes and not %d: make one with \"openssl rand -base64 32\"", encryptionKey, len(key), keySize)
	}
	if bytes.Count(key, key[:1]) == keySize {
		return nil, errors.New(encryptionKey + " repeats one byte, so it is no secret: make one with \"openssl rand -base64 32\"")
	}
	return key, nil
}
