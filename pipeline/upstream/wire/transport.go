package wire

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/upstream/body"
)

// Transport are the settings of the connections; the zero value is valid.
type Transport struct {
	// Proxy is used if set; the environment's proxies never are.
	Proxy *url.URL
	// RootCAs replaces the system's certificate authorities if set. Certificates are always
	// verified.
	RootCAs *x509.CertPool
	// Dial, TLS and Header bound the steps before an answer; zero means 5, 5 and 30 s.
	Dial, TLS, Header time.Duration
	// Total bounds a call, Export the call of an export; zero means 90 s and 30 min. The call log's
	// lease of a call must be longer than Total.
	Total, Export time.Duration
	// Now is the clock by which a call that was granted too long ago is not sent; nil sends it.
	// Fresh is how long ago that may be; zero means 20 s. Fresh and Total together are less than
	// the call log's lease. So a call that leaves still has its slot, however long the process was
	// suspended.
	Now   func() time.Time
	Fresh time.Duration
	// Stall bounds the time without a byte of the body; zero means 30 s.
	Stall time.Duration
}

func (t Transport) withDefaults() Transport {
	t.Dial = cmp.Or(t.Dial, 5*time.Second)
	t.TLS = cmp.Or(t.TLS, 5*time.Second)
	t.Header = cmp.Or(t.Header, 30*time.Second)
	t.Total = cmp.Or(t.Total, 90*time.Second)
	t.Export = cmp.Or(t.Export, 30*time.Minute)
	t.Stall = cmp.Or(t.Stall, 30*time.Second)
	t.Fresh = cmp.Or(t.Fresh, 20*time.Second)
	return t
}

// Door sends requests, each exactly once.
type Door struct {
	settings  Transport
	transport *http.Transport
	agent     string
	large     lane
}

// NewDoor makes a door; agent is the User-Agent, "sluice" if empty.
func NewDoor(settings Transport, agent string) *Door {
	settings = settings.withDefaults()
	dialer := &net.Dialer{Timeout: settings.Dial}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true) // HTTP/2 repeats requests by its own rules
	transport := &http.Transport{
		DialContext:           settings.guarded(dialer.DialContext),
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: settings.RootCAs},
		TLSHandshakeTimeout:   settings.TLS,
		ResponseHeaderTimeout: settings.Header,
		// A connection belongs to one call (docs/decisions/0011-budgets). If a
		// connection that is used again is dead, net/http sends the request a second time by
		// itself: that call would not be counted (invariant 3).
		DisableKeepAlives: true,
		// Reply decompresses, so that a cut is found against the announced length.
		DisableCompression:     true,
		MaxResponseHeaderBytes: 64 << 10,
		Protocols:              protocols,
	}
	if settings.Proxy != nil {
		transport.Proxy = http.ProxyURL(settings.Proxy)
	}
	return &Door{settings: settings, transport: transport, agent: cmp.Or(agent, "sluice"), large: make(lane, 1)}
}

// Reply is an answer whose body has not been read.
type Reply struct {
	// Status and Header are the head of the answer.
	Status int
	Header http.Header
	// Sized says that a cut of the body would be noticed: its length was announced or it is sent in
	// chunks.
	Sized bool
	// Body gives the bytes, decompressed.
	Body io.ReadCloser

	raw   *watched
	large lane
	turn  *pipeline.Turn
}

// Bytes is the number of bytes of the body received, compressed as they were sent.
func (r *Reply) Bytes() int64 { return r.raw.count }

// Lost is why the body ended too early, nil if it has not.
func (r *Reply) Lost() error { return r.raw.err }

// errStalled is the cause if no byte arrived for too long.
var errStalled = errors.New("no byte came for too long")

// Settings gives the settings with their defaults.
func (d *Door) Settings() Transport { return d.settings }

// send sends one request and waits for the head of its answer. It uses the transport itself:
// http.Client would follow redirects with the organization's header and a Referer, and print
// queries in its errors. The caller must cancel the context when the body is read.
func (d *Door) send(ctx context.Context, stop context.CancelCauseFunc, request *http.Request) (*Reply, error) {
	request = request.WithContext(ctx)
	request.Header.Set("User-Agent", d.agent)
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("Cache-Control", "no-cache")
	if err := d.settings.fresh(ctx); err != nil {
		return nil, err
	}
	response, err := d.transport.RoundTrip(request) //nolint:bodyclose // Open closes it
	if err != nil {
		return nil, Cause(ctx, err)
	}
	raw := &watched{ctx: ctx, body: response.Body, stall: d.settings.Stall, stop: stop}
	answer := &Reply{
		Status: response.StatusCode, Header: response.Header, raw: raw, Body: raw, large: d.large,
		Sized: response.ContentLength >= 0 || len(response.TransferEncoding) > 0,
	}
	if strings.EqualFold(response.Header.Get("Content-Encoding"), "gzip") {
		answer.Body = &unzipped{source: raw}
	}
	return answer, nil
}

// watched is a body that ends the call when it stalls, counts its bytes, and rewrites its errors.
type watched struct {
	ctx   context.Context //nolint:containedctx // the call that the body belongs to
	body  io.ReadCloser
	stall time.Duration
	stop  context.CancelCauseFunc
	count int64
	err   error
}

// Read implements io.Reader. The stall bounds only the time in Read: the caller may take any time
// between two reads.
func (w *watched) Read(p []byte) (int, error) {
	timer := time.AfterFunc(w.stall, func() { w.stop(errStalled) })
	n, err := w.body.Read(p)
	timer.Stop()
	w.count += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = Cause(w.ctx, err)
		w.err = err
	}
	return n, err // io.EOF has to stay as it is
}

// Close implements io.Closer.
func (w *watched) Close() error { return w.body.Close() }

// unzipped decodes a body sent as gzip, from its first byte on.
type unzipped struct {
	source *watched
	zip    *gzip.Reader
}

// Read implements io.Reader.
func (u *unzipped) Read(p []byte) (int, error) {
	if u.zip == nil {
		zip, err := gzip.NewReader(u.source)
		if err != nil {
			return 0, u.broken(err)
		}
		u.zip = zip
	}
	n, err := u.zip.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = u.broken(err)
	}
	return n, err // io.EOF has to stay as it is
}

func (u *unzipped) broken(err error) error {
	if u.source.err != nil {
		return u.source.err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the compressed data does not end", body.ErrCut)
	}
	return errors.New("the body says it is gzip and is not")
}

// Close implements io.Closer.
func (u *unzipped) Close() error { return u.source.Close() }

// Cause describes a network error in words of our own: the errors of net/http can quote what was
// sent or received. Only the context's errors can still be recognized.
func Cause(ctx context.Context, err error) error {
	if stalled := context.Cause(ctx); errors.Is(stalled, errStalled) {
		return errStalled
	}
	var (
		dns     *net.DNSError
		refused *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		timeout net.Error
		errno   syscall.Errno
	)
	switch {
	case errors.Is(err, errStale):
		return errStale
	case ctx.Err() != nil:
		return fmt.Errorf("the call was ended: %w", ctx.Err())
	case errors.As(err, &dns):
		return errors.New("the host name does not resolve")
	case errors.As(err, &refused):
		return fmt.Errorf("the certificate is not trusted: %w", refused.Err)
	case errors.As(err, &record):
		return errors.New("the server does not speak TLS")
	case errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("the server did not answer in time")
	case errors.As(err, &errno):
		return errors.New("the connection failed: " + errno.Error())
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the connection ended before the body did", body.ErrCut)
	case errors.Is(err, io.EOF):
		return errors.New("the connection ended without an answer")
	default:
		return errors.New("the answer is not HTTP as it should be")
	}
}
