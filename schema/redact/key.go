package redact

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"hash"
	"strings"
	"sync"

	"sluice/schema/jsonscan"
)

// Key hashes values. Equal values have equal hashes under one key, whatever their columns,
// resources and organizations, so that tables can still be joined by them. It is safe for
// concurrent use.
type Key struct {
	// macs are HMACs (RFC 2104) with the key, which keep the state behind its blocks.
	macs sync.Pool
}

// mac computes one HMAC after the other. text and sum are memory for its input and its result.
type mac struct {
	hash.Hash

	text, sum []byte
}

const (
	// hashPrefix begins each hash and says by which rule it was made, hashSize is how many bytes of
	// the HMAC it has, hashLength its length as text.
	hashPrefix = "h1_"
	hashSize   = 16
	hashLength = len(hashPrefix) + (hashSize*8+4)/5
	// saltSize is the size of the salt of a fingerprint.
	saltSize = 8
)

// letters are those of hashes.
var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding) //nolint:gochecknoglobals // a constant

// NewKey makes a key of its secret bytes.
func NewKey(secret []byte) *Key {
	secret = bytes.Clone(secret)
	return &Key{macs: sync.Pool{New: func() any { return &mac{Hash: hmac.New(sha256.New, secret)} }}}
}

// Hash returns the hash of a value: the beginning of HMAC-SHA-256 of its text, trimmed and in lower
// case. It returns "" for what stays as it is: blanks, and a text that is a hash already.
func (k *Key) Hash(text []byte) string { return string(k.appendHash(nil, text)) }

// appendHash appends the hash of a value, and nothing for what stays as it is.
func (k *Key) appendHash(to, text []byte) []byte {
	if text = bytes.TrimSpace(text); len(text) == 0 || IsHash(text) {
		return to
	}
	sum := k.sum(text)
	return letters.AppendEncode(append(to, hashPrefix...), sum[:hashSize])
}

// sum is HMAC-SHA-256 of a text in lower case.
func (k *Key) sum(text []byte) [sha256.Size]byte {
	m, _ := k.macs.Get().(*mac)
	m.text = m.text[:0]
	if jsonscan.Plain(text) { // ASCII, as nearly every address
		for _, c := range text {
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			m.text = append(m.text, c)
		}
	} else {
		m.text = append(m.text, bytes.ToLower(text)...)
	}
	m.Reset()
	_, _ = m.Write(m.text) // a hash accepts every write
	m.sum = m.Sum(m.sum[:0])
	sum := [sha256.Size]byte(m.sum)
	if cap(m.text) <= maxKept {
		k.macs.Put(m)
	}
	return sum
}

// IsHash reports whether a text has the form of a hash.
func IsHash(text []byte) bool {
	if len(text) != hashLength || !bytes.HasPrefix(text, []byte(hashPrefix)) {
		return false
	}
	return len(bytes.Trim(text[len(hashPrefix):], "abcdefghijklmnopqrstuvwxyz234567")) == 0
}

// Pattern is the form of a hash as a regular expression.
const Pattern = "^h1_[a-z2-7]{26}$"

// Print returns a text by which the key is recognized and that tells nothing of it. The salt
// has to be random.
func (k *Key) Print(salt [saltSize]byte) string {
	sum := k.sum(append([]byte("fingerprint "), hex.EncodeToString(salt[:])...))
	return hex.EncodeToString(salt[:]) + "." + hex.EncodeToString(sum[:hashSize])
}

// Made reports whether the key made a fingerprint.
func (k *Key) Made(fingerprint string) bool {
	written, _, ok := strings.Cut(fingerprint, ".")
	salt, err := hex.DecodeString(written)
	if !ok || err != nil || len(salt) != saltSize {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(k.Print([saltSize]byte(salt))), []byte(fingerprint)) == 1
}
