// Package knock posts one body to the public address of a receiver, as upstream would, and says how
// far it came.
//
// It is no call upstream, so no budget counts it. It follows no redirect, uses no proxy of the
// environment, and puts nothing of what it sent into an error. Start reading at Post.
package knock

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"sluice/pipeline/upstream/wire"
)

// Step is a step on the way to a receiver.
type Step string

// The steps, in their order.
const (
	DNS    Step = "dns"
	TCP    Step = "tcp"
	TLS    Step = "tls"
	HTTP   Step = "http"
	Answer Step = "answer"
)

const (
	// limit bounds the whole post.
	limit = 15 * time.Second
	// mostAnswer is how many bytes of an answer are read.
	mostAnswer = 4 << 10
)

// Reached is how far a post came.
type Reached struct {
	// Step is the step that failed; Answer if an answer arrived.
	Step Step
	// Err is why it failed; nil if an answer arrived.
	Err error
	// Status and Body are the answer's.
	Status int
	Body   string
}

// Post sends a body with one header. RootCAs replace the authorities of the system if they are set.
func Post(ctx context.Context, address, header, value string, body []byte, rootCAs *x509.CertPool) Reached {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	first := TCP // an address of digits needs no look-up
	var step atomic.Pointer[Step]
	step.Store(&first)
	reach := func(next Step, err error) { // several connections may be tried at once
		if err == nil {
			step.Store(&next)
		}
	}
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart:          func(httptrace.DNSStartInfo) { reach(DNS, nil) },
		DNSDone:           func(info httptrace.DNSDoneInfo) { reach(TCP, info.Err) },
		ConnectDone:       func(_, _ string, err error) { reach(HTTP, err) },
		TLSHandshakeStart: func() { reach(TLS, nil) },
		TLSHandshakeDone:  func(_ tls.ConnectionState, err error) { reach(HTTP, err) },
	})
	request, err := http.NewRequestWithContext(traced, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return Reached{Step: DNS, Err: errors.New("the address cannot be read")}
	}
	request.Header.Set("Content-Type", "application/json;charset=UTF-8")
	request.Header.Set(header, value)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: rootCAs},
		DisableKeepAlives: true, DisableCompression: true, Protocols: protocols,
	}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return Reached{Step: *step.Load(), Err: wire.Cause(ctx, err)}
	}
	defer func() { _ = answer.Body.Close() }() // what is wanted of it was read
	said, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if err != nil {
		return Reached{Step: HTTP, Err: wire.Cause(ctx, err), Status: answer.StatusCode}
	}
	return Reached{Step: Answer, Status: answer.StatusCode, Body: string(said)}
}
