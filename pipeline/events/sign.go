package events

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline/upstream"
)

// The form of a secret by Standard Webhooks: the prefix, and the base64 of the key.
const (
	secretPrefix    = "whsec_"
	minKey, maxKey  = 24, 64
	signatureScheme = "v1,"
)

// The headers of Standard Webhooks.
const (
	headerID        = "Webhook-Id"
	headerTimestamp = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"
)

// Encoded returns the key of a secret in base64, which is as secret.
func Encoded(secret upstream.Secret) string {
	return strings.TrimPrefix(secret.Reveal(), secretPrefix)
}

// Key returns the key of a secret.
func Key(secret upstream.Secret) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(Encoded(secret))
	if !strings.HasPrefix(secret.Reveal(), secretPrefix) || err != nil || len(key) < minKey || len(key) > maxKey {
		return nil, errors.New("is no signing secret: it has to be whsec_ and the base64 of 24 to 64 random bytes, " +
			`which this makes: echo "whsec_$(openssl rand -base64 32)"`)
	}
	return key, nil
}

// signature returns the value of the header webhook-signature: one signature for each key.
func signature(keys [][]byte, id string, at time.Time, body []byte) string {
	signed := make([]string, len(keys))
	for i, key := range keys {
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + ".")) // a hash never fails
		_, _ = mac.Write(body)
		signed[i] = signatureScheme + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(signed, " ")
}
