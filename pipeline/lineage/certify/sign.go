package certify

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	"sluice/schema/record/canonical"
)

// Key signs certificates.
type Key struct{ private ed25519.PrivateKey }

// NewKey derives the key that signs certificates from a sealing key. Neither the sealing key nor
// another key derived from it can be had from it.
func NewKey(sealing []byte) (Key, error) {
	seed, err := hkdf.Key(sha256.New, sealing, nil, "sluice certificates", ed25519.SeedSize)
	if err != nil {
		return Key{}, fmt.Errorf("derive the key of certificates: %w", err)
	}
	return Key{private: ed25519.NewKeyFromSeed(seed)}, nil
}

func (k Key) public() ed25519.PublicKey { return k.private.Public().(ed25519.PublicKey) } //nolint:errcheck,forcetypeassert // its documented type

// Public is the public key in base64: 32 bytes.
func (k Key) Public() string { return base64.StdEncoding.EncodeToString(k.public()) }

// PEM is the public key as openssl reads it.
func (k Key) PEM() (string, error) {
	der, err := x509.MarshalPKIXPublicKey(k.public())
	if err != nil {
		return "", fmt.Errorf("spell the public key: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), nil
}

// document is the file of a certificate. The signature is of the bytes of Certificate.
type document struct {
	Certificate json.RawMessage `json:"certificate"`
	Signature   signature       `json:"signature"`
}

type signature struct {
	Algorithm string `json:"algorithm"`
	PublicKey string `json:"public_key"`
	Value     string `json:"value"`
}

const algorithm = "Ed25519"

// Seal writes a certificate in its one spelling, with its signature.
func (k Key) Seal(c *Certificate) ([]byte, error) {
	text, err := spelled(c)
	if err != nil {
		return nil, err
	}
	return written(&document{Certificate: text, Signature: signature{
		Algorithm: algorithm, PublicKey: k.Public(), Value: base64.StdEncoding.EncodeToString(ed25519.Sign(k.private, text)),
	}})
}

// written is the one spelling of a file: canonical JSON and the end of its line.
func written(d *document) ([]byte, error) {
	text, err := spelled(d)
	return append(text, '\n'), err
}

// spelled is the canonical JSON of a value: sorted keys, no spaces.
func spelled(of any) ([]byte, error) {
	text, err := json.Marshal(of)
	if err != nil {
		return nil, fmt.Errorf("spell a certificate: %w", err)
	}
	text, reason := canonical.AppendJSON(nil, text)
	if reason.Code != "" {
		return nil, fmt.Errorf("spell a certificate: %s", reason.Detail)
	}
	return text, nil
}

// What Open finds wrong with a file.
var (
	// ErrNoCertificate says that the file is none.
	ErrNoCertificate = errors.New("it is no certificate of sluice certify")
	// ErrForged says that the signature does not fit, so that a byte of the file is another one.
	ErrForged = errors.New("the file was tampered with: its signature does not fit")
	// ErrOthers says that none of the keys signed it.
	ErrOthers = errors.New("another key signed it: give the sealing key under which it was issued (SLUICE_ENCRYPTION_KEY takes several)")
)

// Open reads a file that one of the keys signed.
func Open(file []byte, keys []Key) (*Certificate, error) {
	var d document
	if err := json.Unmarshal(file, &d); err != nil || len(d.Certificate) == 0 || d.Signature.Algorithm == "" {
		return nil, ErrNoCertificate
	}
	sealed, err := base64.StdEncoding.DecodeString(d.Signature.Value)
	if err != nil {
		return nil, ErrForged
	}
	for _, key := range keys {
		if key.Public() != d.Signature.PublicKey {
			continue
		}
		again, err := written(&d)
		// A file has one spelling: then no byte can be another one, not even a space.
		if err != nil || !bytes.Equal(again, file) || d.Signature.Algorithm != algorithm || !ed25519.Verify(key.public(), d.Certificate, sealed) {
			return nil, ErrForged
		}
		c := new(Certificate)
		if err := json.Unmarshal(d.Certificate, c); err != nil || c.Format != Format {
			return nil, fmt.Errorf("%w that this version reads", ErrNoCertificate)
		}
		return c, nil
	}
	return nil, ErrOthers
}
