package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
)

// callbackPoster sends the sandbox's change notifications and rule webhooks. It plays the upstream,
// whose calls have no limit; the package sandbox itself opens no connection.
type callbackPoster struct{ client http.Client }

func newCallbackPoster() *callbackPoster {
	return &callbackPoster{client: http.Client{
		// A redirect is not followed: its status says that the receiver did not take the callback.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// mostAnswer is how many bytes of an answer are read, so that its connection can be used again.
const mostAnswer = 64 << 10

// Post sends one callback and returns the status of the answer.
func (p *callbackPoster) Post(ctx context.Context, address string, header http.Header, body []byte) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("send a callback: %w", err)
	}
	request.Header = header.Clone()
	answer, err := p.client.Do(request)
	if err != nil {
		return 0, fmt.Errorf("send a callback: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // only the status matters
	_, _ = io.CopyN(io.Discard, answer.Body, mostAnswer)
	return answer.StatusCode, nil
}
