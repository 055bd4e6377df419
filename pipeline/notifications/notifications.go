// Package notifications receives what upstream tells about changes. A callback is verified, stored
// and answered; what it says is a hint that records should be read, and never their data
// (docs/decisions/0014-notifications).
//
// Two dialects have one meaning: watch is the callback of a channel of the change notifications
// (docs/upstream.md U279, U285), rule the webhook of a workflow rule (U300 to U305). A third one,
// test, is what sluice sends to itself.
//
// It makes no call, follows no address of a body, and never logs a body, a token or a signature. It
// writes by one function of the database, so its process needs no other right. Start reading at
// Receiver.ServeHTTP.
package notifications

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline/upstream/wire"
	"sluice/pipeline/warehouse/hints"
)

// The dialects.
const (
	Watch = "watch"
	Rule  = "rule"
	Test  = "test"
)

// The operations; unknown is everything else that a callback may say (docs/upstream.md U280, U285).
const (
	inserted = "insert"
	updated  = "update"
	deleted  = "delete"
	unknown  = ""
)

// MaxAddress is the longest address that upstream notifies, in characters, by its own description
// of the interface.
const MaxAddress = 255

// Settings are what a receiver has to know. Organizations are by key.
type Settings struct {
	// PublicURL is the address under which the receiver is known upstream, without a slash at its
	// end. A proxy may strip its path or leave it.
	PublicURL string
	// Vendor is the vendor's name, which is in the header of signatures.
	Vendor string
	// TrustedProxies are the networks of the proxies whose X-Forwarded-For is believed. AllowFrom
	// are the networks that may send; empty means any.
	TrustedProxies, AllowFrom []netip.Prefix
	// Debounce is how long a hint waits for further callbacks, MaxWait how long it waits in all.
	Debounce, MaxWait time.Duration
	// KeepBodies says that the inbox stores bodies.
	KeepBodies    bool
	Organizations map[string]*Organization
}

// Organization is an organization that may send.
type Organization struct {
	// Key is the organization_id of its rows.
	Key string
	// Secrets are the secrets in force: one, or the new and the old one during a rotation.
	Secrets []wire.Secret
	// Channels are its channels by channel id, Resources the resources for which rules may send, by
	// their full names ("inventory.bills").
	Channels  map[int64]*Channel
	Resources map[string]Resource
}

// Channel is a channel for one module.
type Channel struct {
	Module string
	// Tells are the resources whose lists should be read after a callback.
	Tells []Resource
}

// Resource is a resource that is copied.
type Resource struct {
	Service, Name string
	// ID is the wire name of its identifier, Single the key around a single record; "" if there is
	// no such call. ByParent says that ID is that of the parent: the list of the parent is read.
	ID, Single string
	ByParent   bool
}

// FullName returns service.resource.
func (r Resource) FullName() string { return r.Service + "." + r.Name }

// Targets returns what should be read after a callback that names these records. A module does not
// say which record of a resource changed (docs/upstream.md U289), so a channel tells of lists. It
// returns nil for a module that the configuration no longer has.
func (o *Organization) Targets(dialect, module string, ids []string) []hints.Target {
	var targets []hints.Target
	switch dialect {
	case Watch:
		for _, channel := range o.Channels {
			if channel.Module != module {
				continue
			}
			for _, told := range channel.Tells {
				targets = append(targets, hints.Target{Service: told.Service, Resource: told.Name})
			}
		}
	case Rule:
		resource, copied := o.Resources[module]
		if !copied {
			return nil
		}
		for _, id := range ids {
			targets = append(targets, hints.Target{Service: resource.Service, Resource: resource.Name, Record: id})
		}
		if len(ids) == 0 {
			targets = append(targets, hints.Target{Service: resource.Service, Resource: resource.Name})
		}
	}
	return targets
}

// Path returns where an organization's callbacks of a dialect go, behind the public address. Module
// is the full name of a resource for rules, and "" otherwise.
func Path(dialect, organization, module string) string {
	path := "/" + dialect + "/" + organization
	if module != "" {
		path += "/" + module
	}
	return path
}

// The identifier of a channel has 13 to 15 digits: a number that JSON keeps exactly, and that no
// counter of another program reaches soon.
const (
	leastChannel = 1_000_000_000_000
	mostChannel  = 999_999_999_999_999
)

// ChannelID returns the identifier of the channel of a module. It depends on the public address, so
// two deployments never share a channel.
func ChannelID(publicURL, organization, module string) int64 {
	sum := sha256.Sum256([]byte(strings.Join([]string{"channel", publicURL, organization, module}, "|")))
	const room = mostChannel - leastChannel + 1
	return leastChannel + int64(binary.BigEndian.Uint64(sum[:8])%room)
}

// Token returns the token of a channel, 43 characters of the 50 that upstream allows
// (docs/upstream.md U271). It is derived from the secret and the channel, and stored nowhere.
func Token(secret wire.Secret, organization string, channel int64) string {
	return base64.RawURLEncoding.EncodeToString(authenticate(secret, []byte("watch|"+organization+"|"+strconv.FormatInt(channel, 10))))
}

// SignatureHeader is the header that holds the signature of a rule's webhook (docs/upstream.md
// U304).
func SignatureHeader(vendor string) string { return "X-" + vendor + "-Webhook-Signature" }

// Signature returns the signature of a body without parameters (docs/upstream.md U304).
func Signature(secret wire.Secret, body []byte) string {
	return hex.EncodeToString(authenticate(secret, body))
}

// authenticate returns the HMAC-SHA256 of a message.
func authenticate(secret wire.Secret, message []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write(message)
	return mac.Sum(nil)
}

// Digest identifies a content: what a module said, to the byte. Equal bodies of two rules are two
// contents.
func Digest(module string, body []byte) []byte {
	hash := sha256.New()
	hash.Write([]byte(module + "\n"))
	hash.Write(body)
	return hash.Sum(nil)
}

// ruled is the webhook of a workflow rule, as far as it is used.
type ruled struct {
	// ids is the record, or empty if the body names none.
	ids       []string
	operation string
}

// parseRule reads the webhook of a rule for a resource. The operator chooses its body upstream
// (docs/upstream.md U304). The identifier is under the resource's own key or under id, at the top
// or inside of the key of the single record. The own key counts before id. A parent is under its
// own key only, since id may be that of the record.
func parseRule(body []byte, resource Resource) (ruled, error) {
	said, err := parse(body)
	if err != nil {
		return ruled{}, err
	}
	read := ruled{ids: []string{}, operation: operation(said["operation"])}
	places := []object{said}
	if resource.Single != "" {
		places = append(places, members(said[resource.Single]))
	}
	keys := []string{resource.ID, "id"}
	if resource.ByParent {
		keys = keys[:1]
	}
	for _, place := range places {
		for _, key := range keys {
			if record := id(place[key]); record != "" {
				read.ids = append(read.ids, record)
				return read, nil
			}
		}
	}
	return read, nil
}

// parseTest reads what sluice sends to itself, and returns its nonce.
func parseTest(body []byte) (string, error) {
	said, err := parse(body)
	if err != nil {
		return "", err
	}
	nonce := id(said["nonce"])
	if nonce == "" {
		return "", errFormat
	}
	return nonce, nil
}
