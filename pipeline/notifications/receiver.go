package notifications

import (
	"context"
	"crypto/hmac"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"sluice/pipeline/upstream/wire"
	"sluice/pipeline/warehouse/hints"
)

// The limits of a receiver.
const (
	// maxBody is the largest body, in bytes.
	maxBody = 256 << 10
	// mostInFlight is how many callbacks are taken at once.
	mostInFlight = 64
	// readLimit bounds the reading of a body.
	readLimit = 5 * time.Second
	// StoreLimit bounds the storing of a callback. Senders give up after some seconds.
	StoreLimit = 2 * time.Second
)

// Inbox stores callbacks. What it has taken without an error is durable.
type Inbox interface {
	Take(ctx context.Context, callback *hints.Callback) (bool, error)
}

// Observation is how a request ended.
type Observation struct {
	// Organization is a configured organization, "" for every other one.
	Organization string
	Dialect      string
	Verdict      Verdict
	Took         time.Duration
}

// Options are what a receiver needs. Settings, Inbox, Now and Log are required.
type Options struct {
	Settings Settings
	Inbox    Inbox
	Now      func() time.Time
	Log      *slog.Logger
	// Observe is told how each request ended; it may be nil.
	Observe func(Observation)
	// ReadLimit and StoreLimit bound the reading and the storing of one callback; zero means 5 s
	// and 2 s.
	ReadLimit, StoreLimit time.Duration
}

// Receiver takes callbacks. It is an http.Handler.
type Receiver struct {
	options Options
	prefix  string
	header  string
	slots   chan struct{}
	// organizations are those that may send, by key: their secrets may be replaced.
	organizations atomic.Pointer[map[string]*Organization]
}

// NewReceiver makes a receiver.
func NewReceiver(o Options) *Receiver {
	if o.ReadLimit <= 0 {
		o.ReadLimit = readLimit
	}
	if o.StoreLimit <= 0 {
		o.StoreLimit = StoreLimit
	}
	if o.Observe == nil {
		o.Observe = func(Observation) {}
	}
	r := &Receiver{
		options: o, prefix: pathOf(o.Settings.PublicURL), header: SignatureHeader(o.Settings.Vendor), slots: make(chan struct{}, mostInFlight),
	}
	r.Replace(o.Settings.Organizations)
	return r
}

// Replace puts other secrets of the organizations in force. Callbacks that are being taken end with
// those before.
func (r *Receiver) Replace(organizations map[string]*Organization) {
	r.organizations.Store(&organizations)
}

// ServeHTTP implements http.Handler. It answers 200 only when the callback is durable. Everything
// that is wrong with a callback has one answer, so that an answer tells a stranger nothing.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	began := r.options.Now()
	to := r.route(q.URL.Path)
	verdict := r.receive(w, q, to)
	r.options.Observe(Observation{Organization: to.known(), Dialect: to.dialect, Verdict: verdict, Took: r.options.Now().Sub(began)})
	if verdict.status() == http.StatusUnauthorized {
		r.options.Log.DebugContext(q.Context(), "a callback was refused", "organization", to.known(), "dialect", to.dialect,
			"verdict", string(verdict), "sender", r.sender(q).String())
	}
	verdict.answer(w)
}

// destination is where a request goes, by its path.
type destination struct {
	dialect, key, module string
	// organization is nil if no organization of the configuration has the key.
	organization *Organization
}

func (d destination) known() string {
	if d.organization == nil {
		return ""
	}
	return d.organization.Key
}

// route reads a path; the dialect is "" if it is none of ours. A proxy may have stripped the path
// of the public address.
func (r *Receiver) route(path string) destination {
	if inner, found := strings.CutPrefix(path, r.prefix); found {
		if to := r.destination(inner); to.dialect != "" {
			return to
		}
	}
	return r.destination(path)
}

func (r *Receiver) destination(path string) destination {
	for _, dialect := range []string{Watch, Rule, Test} {
		rest, found := strings.CutPrefix(path, "/"+dialect+"/")
		if !found {
			continue
		}
		key, module, deeper := strings.Cut(rest, "/")
		if key == "" || deeper != (dialect == Rule) || strings.Contains(module, "/") {
			break
		}
		return destination{dialect: dialect, key: key, module: module, organization: (*r.organizations.Load())[key]}
	}
	return destination{}
}

// receive takes a callback and says how that ended.
func (r *Receiver) receive(w http.ResponseWriter, q *http.Request, to destination) Verdict {
	switch {
	case to.dialect == "":
		return noPath
	case q.Method != http.MethodPost:
		return noPost
	}
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	default:
		return busy
	}
	// The authenticity of a callback is worked out whatever else is wrong with it, so that the time
	// of an answer tells little.
	body, flaw := r.read(w, q)
	callback, verdict := r.judge(q, to, body)
	switch {
	case !r.allowed(q):
		return wrongSender
	case flaw != "":
		return flaw
	case verdict != "":
		return verdict
	}
	// A sender that hangs up now has sent a callback all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(q.Context()), r.options.StoreLimit)
	defer cancel()
	fresh, err := r.options.Inbox.Take(ctx, callback)
	switch {
	case err != nil:
		r.options.Log.WarnContext(ctx, "a callback could not be stored: the sender was asked to send it again",
			"organization", to.key, "dialect", to.dialect, "error", err)
		return unavailable
	case fresh:
		return taken
	default:
		return repeated
	}
}

// read reads the body, and says what is wrong with the form of the request. Parameters are refused,
// because a signature over parameters and body has no separators (docs/upstream.md U305).
func (r *Receiver) read(w http.ResponseWriter, q *http.Request) ([]byte, Verdict) {
	// It fails for writers that no network is behind: they do not wait.
	_ = http.NewResponseController(w).SetReadDeadline(r.options.Now().Add(r.options.ReadLimit))
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, maxBody))
	_, large := errors.AsType[*http.MaxBytesError](err)
	kind, _, _ := mime.ParseMediaType(q.Header.Get("Content-Type"))
	switch {
	case large:
		return body, wrongSize
	case errors.Is(err, os.ErrDeadlineExceeded):
		return body, slow
	case err != nil:
		return body, cut
	case q.URL.RawQuery != "" || q.URL.ForceQuery:
		return body, wrongQuery
	case !plain(q.Header.Values("Content-Encoding")) || kind == "application/x-www-form-urlencoded" || strings.HasPrefix(kind, "multipart/"):
		return body, wrongEncoding
	default:
		return body, ""
	}
}

// plain reports whether a body is sent as it is.
func plain(encodings []string) bool {
	for _, encoding := range encodings {
		if encoding != "" && !strings.EqualFold(encoding, "identity") {
			return false
		}
	}
	return true
}

// judge verifies a callback. It returns the callback, or what is wrong with it.
func (r *Receiver) judge(q *http.Request, to destination, body []byte) (*hints.Callback, Verdict) {
	if to.dialect == Watch {
		return r.judgeWatch(to, body)
	}
	signed := r.signed(q, to, body)
	callback := r.callback(to, to.module, body)
	switch {
	case to.organization == nil:
		return nil, wrongOrganization
	case !signed:
		return nil, wrongSignature
	case to.dialect == Test:
		nonce, err := parseTest(body)
		if err != nil {
			return nil, wrongFormat
		}
		callback.IDs = []string{nonce}
		return callback, ""
	}
	resource, copied := to.organization.Resources[to.module]
	if !copied {
		return nil, wrongResource
	}
	said, err := parseRule(body, resource)
	if err != nil {
		return nil, wrongFormat
	}
	callback.IDs, callback.Operation = said.ids, said.operation
	callback.Targets = to.organization.Targets(Rule, to.module, said.ids)
	return callback, ""
}

// judgeWatch verifies the callback of a channel by its token: a channel has its own, so no token
// opens another channel.
func (r *Receiver) judgeWatch(to destination, body []byte) (*hints.Callback, Verdict) {
	said, err := parseWatch(body)
	right := to.proves(func(secret wire.Secret) bool {
		return subtle.ConstantTimeCompare([]byte(Token(secret, to.key, said.channel)), []byte(said.token)) == 1
	})
	switch {
	case to.organization == nil:
		return nil, wrongOrganization
	case err != nil:
		return nil, wrongFormat
	}
	channel := to.organization.Channels[said.channel]
	switch {
	case channel == nil:
		return nil, wrongChannel
	case !right:
		return nil, wrongToken
	}
	callback := r.callback(to, channel.Module, body)
	callback.IDs, callback.Operation, callback.SentAt = said.ids, said.operation, said.sentAt
	callback.Targets = to.organization.Targets(Watch, channel.Module, said.ids)
	return callback, ""
}

// callback returns a callback without what its body says. The module is that of the configuration,
// not the one that the body names.
func (r *Receiver) callback(to destination, module string, body []byte) *hints.Callback {
	callback := &hints.Callback{
		Organization: to.key, Dialect: to.dialect, Module: module, Digest: Digest(module, body), Bytes: len(body),
		Debounce: r.options.Settings.Debounce, MaxWait: r.options.Settings.MaxWait,
	}
	if r.options.Settings.KeepBodies {
		callback.Body = string(body)
	}
	return callback
}

// signed reports whether the one signature of a request is that of its body, in hexadecimal and
// without a prefix (docs/upstream.md U304).
func (r *Receiver) signed(q *http.Request, to destination, body []byte) bool {
	var given []byte
	if headers := q.Header.Values(r.header); len(headers) == 1 {
		given, _ = hex.DecodeString(headers[0]) // what is no signature equals none
	}
	return to.proves(func(secret wire.Secret) bool { return hmac.Equal(authenticate(secret, body), given) })
}

// proves reports whether a check is right with one of the organization's secrets. It tries all of
// them, and where there is none an empty one, which takes as long and proves nothing.
func (d destination) proves(check func(wire.Secret) bool) bool {
	secrets := []wire.Secret{{}}
	if d.organization != nil && len(d.organization.Secrets) > 0 {
		secrets = d.organization.Secrets
	}
	proven := false
	for _, secret := range secrets {
		proven = check(secret) && secret.Reveal() != "" || proven
	}
	return proven
}
