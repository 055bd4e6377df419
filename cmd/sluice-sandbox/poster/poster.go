// Package poster sends the callbacks of the sandbox for the programs that run one: package sandbox
// itself opens no connection.
package poster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
)

// Poster sends change notifications and rule webhooks. It plays the upstream, whose calls have no
// limit. The zero value is ready; a Client replaces the usual one.
type Poster struct{ Client *http.Client }

// mostAnswer is how many bytes of an answer are read, so that its connection can be used again.
const mostAnswer = 64 << 10

// Post sends one callback and returns the status of the answer. A redirect is not followed: its
// status says that the receiver did not take the callback.
func (p *Poster) Post(ctx context.Context, address string, header http.Header, body []byte) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("send a callback: %w", err)
	}
	request.Header = header.Clone()
	client := http.Client{}
	if p.Client != nil {
		client = *p.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := client.Do(request)
	if err != nil {
		return 0, fmt.Errorf("send a callback: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // only the status matters
	_, _ = io.CopyN(io.Discard, answer.Body, mostAnswer)
	return answer.StatusCode, nil
}
