// Package knock posts one body to the public address of a receiver, as upstream would.
//
// It is no call upstream, so no budget counts it. It follows no redirect, uses no proxy of the
// environment, and puts nothing of what it sent into an error.
package knock

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"time"

	"sluice/pipeline/upstream/wire"
)

const (
	// limit bounds the whole post.
	limit = 15 * time.Second
	// mostAnswer is how many bytes of an answer are read.
	mostAnswer = 4 << 10
)

// Post sends a body with one header, and returns status and body of the answer. RootCAs replace the
// authorities of the system if they are set.
func Post(ctx context.Context, address, header, value string, body []byte, rootCAs *x509.CertPool) (int, string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, "", errors.New("the address cannot be read")
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
		return 0, "", wire.Cause(ctx, err)
	}
	defer func() { _ = answer.Body.Close() }() // what is wanted of it was read
	said, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if err != nil {
		return answer.StatusCode, "", wire.Cause(ctx, err)
	}
	return answer.StatusCode, string(said), nil
}
