// Package events tells receivers what changed in the tables: it posts signed messages (Standard
// Webhooks) in the order of the change log.
//
// A message names a record and what happened to it, and holds no value of it. A receiver's position
// moves only after the receiver acknowledged, so nothing is lost; a message may arrive again, with
// the same id. Messages about one record arrive in order. The package never asks upstream anything
// and never writes a table itself: package receivers stores positions.
//
// Start reading at Deliverer.Deliver. The text of messages is in message.go, the post in post.go.
package events

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline/upstream/wire"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/receivers"
)

// Ops are all words for what happened, of the log of changes.
func Ops() []string {
	return []string{
		string(changes.New), string(changes.Changed), string(changes.Completed), string(changes.Deleted), string(changes.Restored),
		string(changes.Rewritten), string(changes.Finished), string(changes.AfterClose),
	}
}

// Receiver is one receiver of messages.
type Receiver struct {
	// Name is its name in the configuration; URL is where messages are posted.
	Name, URL string
	// Tables, Organizations and Ops choose what it is told of. Empty ones mean all, but Ops then
	// leaves out rewritten: a row made anew is no news to most.
	Tables, Organizations, Ops []string
	// Keys returns the keys that sign now, the newest first.
	Keys func() [][]byte
}

// wants reports whether the receiver is told of a change.
func (r *Receiver) wants(c *changes.Change) bool {
	chosen := func(all []string, one string) bool { return len(all) == 0 || slices.Contains(all, one) }
	if len(r.Ops) == 0 && c.Op == changes.Rewritten {
		return false
	}
	return chosen(r.Tables, c.Table) && chosen(r.Organizations, c.Organization) && chosen(r.Ops, string(c.Op))
}

// Log is the log of changes, as package changes reads it.
type Log interface {
	// Read returns the changes behind a cursor, at most limit rows, and the cursor behind them. The
	// error is changes.ErrCursor if the cursor cannot be followed.
	Read(ctx context.Context, after string, limit int) ([]changes.Change, string, error)
	// Now returns a cursor behind everything that is committed.
	Now(ctx context.Context) (string, error)
}

// Positions are the stored positions of one receiver, as package receivers stores them.
type Positions interface {
	// Claim claims the receiver; nil if there is nothing to do now.
	Claim(ctx context.Context) (*receivers.Claimed, error)
	// Advance stores a position, and that so many messages were delivered since the last one
	// stored. With a failure it stores that, too. The error is receivers.ErrLost if the claim
	// ended.
	Advance(ctx context.Context, claim int64, to receivers.Position, delivered int, failed *receivers.Failure) error
}

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
func Encoded(secret wire.Secret) string {
	return strings.TrimPrefix(secret.Reveal(), secretPrefix)
}

// Key returns the key of a secret.
func Key(secret wire.Secret) ([]byte, error) {
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
