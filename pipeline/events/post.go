package events

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline/outside"
	"sluice/pipeline/upstream/wire"
)

// The bounds of a post. Standard Webhooks recommends 15 to 30 s for an answer.
const (
	postLimit      = 15 * time.Second
	mostHeaders    = 64 << 10
	mostAnswer     = 4 << 10
	mostShown      = 200
	longestAfter   = 24 * time.Hour
	idleConnection = 30 * time.Second
)

// failure says why a message was not acknowledged.
type failure struct {
	why outside.Text
	// after is how long the receiver asked to wait; zero if it did not.
	after time.Duration
	// gone says that the receiver wants no more messages.
	gone bool
}

// Error implements error.
func (f *failure) Error() string { return string(f.why) }

// poster posts messages to one receiver. It follows no redirect and uses no proxy of the
// environment.
type poster struct {
	receiver *Receiver
	client   *http.Client
	limit    time.Duration
	now      func() time.Time
	scrub    *outside.Scrubber
}

func newPoster(o *Options) *poster {
	return &poster{receiver: &o.Receiver, limit: o.Limit, now: o.Now, scrub: o.Scrub, client: &http.Client{
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs}, ForceAttemptHTTP2: true, DisableCompression: true,
			MaxIdleConnsPerHost: o.Lanes, MaxConnsPerHost: o.Lanes, IdleConnTimeout: idleConnection, MaxResponseHeaderBytes: mostHeaders,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// post sends one message. The error is a *failure, or that of ctx if it ended.
func (p *poster) post(ctx context.Context, m *message) error {
	limited, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodPost, p.receiver.URL, bytes.NewReader(m.body))
	if err != nil {
		return &failure{why: "its address cannot be read"}
	}
	now := p.now()
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "sluice")
	request.Header.Set(headerID, m.id)
	request.Header.Set(headerTimestamp, strconv.FormatInt(now.Unix(), 10))
	request.Header.Set(headerSignature, signature(p.receiver.Keys(), m.id, now, m.body))
	// A repeat is harmless, so a connection that the receiver closed meanwhile is no failure. The
	// key without a value tells the client so, and is not sent.
	request.Header["X-Idempotency-Key"] = nil
	answer, err := p.client.Do(request)
	if err != nil {
		return p.unreached(ctx, limited, err)
	}
	defer func() { _ = answer.Body.Close() }()
	said, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer)) // a connection is used again once its answer is read
	if ctx.Err() != nil {
		return fmt.Errorf("post message %s: %w", m.id, context.Cause(ctx))
	}
	_ = err // the status says what is asked for
	return p.verdict(answer, said, now)
}

// unreached describes a post without an answer.
func (p *poster) unreached(ctx, limited context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("the post was ended: %w", context.Cause(ctx))
	}
	if errors.Is(limited.Err(), context.DeadlineExceeded) {
		return &failure{why: p.scrub.Textf("it did not answer within %s", p.limit)}
	}
	if about, ok := errors.AsType[*url.Error](err); ok {
		err = about.Err // the rest quotes the address
	}
	return &failure{why: p.scrub.Error(wire.Cause(ctx, err))}
}

// verdict says what an answer means.
func (p *poster) verdict(answer *http.Response, said []byte, now time.Time) error {
	status := answer.StatusCode
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusGone:
		return &failure{gone: true, why: "it answered 410: it wants no more messages"}
	case status >= 300 && status < 400:
		return &failure{why: p.scrub.Textf("it answered %d%s: redirects are not followed, so write the right address into the configuration",
			status, target(answer.Header.Get("Location")))}
	}
	text := strings.TrimSpace(string(said[:min(len(said), mostShown)]))
	if text != "" {
		text = ": " + text
	}
	return &failure{why: p.scrub.Textf("it answered %d%s", status, text), after: retryAfter(answer.Header.Get("Retry-After"), now)}
}

// target names where a redirect leads, without what may be a secret.
func target(location string) string {
	to, err := url.Parse(location)
	if err != nil || location == "" {
		return ""
	}
	return " and leads to " + (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path}).String()
}

// retryAfter reads a header Retry-After: seconds, or an instant. It is a day at most.
func retryAfter(header string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), longestAfter)
}
