package traces

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"sluice/pipeline/upstream/wire"
)

// The figures of a request to the collector.
const (
	// requestLimit bounds one request.
	requestLimit = 10 * time.Second
	// mostAnswer is how much of an answer is read, in bytes, so that the connection can be used
	// again. Nothing in it is shown.
	mostAnswer = 64 << 10
)

// collector sends spans by OTLP over HTTP. It implements otlptrace.Client. The module's own client
// links gRPC, and its errors quote the answer (docs/decisions/0035-traces).
type collector struct {
	address string
	headers map[string]string
	client  *http.Client
	pauses  []time.Duration
}

func newCollector(o Options) *collector {
	address := strings.TrimRight(o.Collector, "/")
	if !strings.HasSuffix(address, "/v1/traces") {
		address += "/v1/traces"
	}
	pauses := o.pauses
	if pauses == nil {
		pauses = []time.Duration{time.Second, 3 * time.Second} //nolint:mnd // seconds
	}
	return &collector{address: address, headers: o.Headers, pauses: pauses, client: &http.Client{
		// The environment's proxies are not used, and no redirect is followed: headers are secrets.
		Transport:     &http.Transport{MaxIdleConns: 1, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: requestLimit},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       requestLimit,
	}}
}

// Start implements otlptrace.Client.
func (*collector) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. A request that may succeed later is repeated twice. Its
// errors name neither the address nor a word of the answer.
func (c *collector) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// On the wire, TracesData is the request of OTLP, whose own type links gRPC.
	plain, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("write the spans: %w", err)
	}
	var body bytes.Buffer
	zip := gzip.NewWriter(&body)
	if _, err := zip.Write(plain); err != nil {
		return fmt.Errorf("compress the spans: %w", err)
	}
	if err := zip.Close(); err != nil {
		return fmt.Errorf("compress the spans: %w", err)
	}
	for _, pause := range c.pauses {
		again, err := c.post(ctx, body.Bytes())
		if err == nil || !again {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
	_, err = c.post(ctx, body.Bytes())
	return err
}

// post sends one request, and says whether another one may succeed.
func (c *collector) post(ctx context.Context, body []byte) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return false, errors.New("telemetry.otlp is not an address")
	}
	for name, value := range c.headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("Content-Encoding", "gzip")
	request.Header.Set("User-Agent", "sluice")
	answer, err := c.client.Do(request)
	if err != nil {
		return ctx.Err() == nil, wire.Cause(ctx, err) // in words of our own: net/http quotes the address
	}
	defer func() { _ = answer.Body.Close() }() // nothing in it is needed
	_, _ = io.CopyN(io.Discard, answer.Body, mostAnswer)
	switch status := answer.StatusCode; {
	case status >= 200 && status < 300: //nolint:mnd // the class of success
		return false, nil
	case status == http.StatusTooManyRequests || status >= http.StatusInternalServerError:
		return true, fmt.Errorf("the collector answered HTTP %d", status)
	default:
		return false, fmt.Errorf("the collector answered HTTP %d: check telemetry.otlp and its headers", status)
	}
}
