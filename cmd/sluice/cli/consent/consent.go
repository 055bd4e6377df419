// Package consent receives the answer to an OAuth consent: from the browser, which a redirect leads
// to a listener on this machine, or from a person, who pastes the code or the whole address.
//
// It knows no secret but the code, and shows nothing of an answer: its pages are fixed texts. It
// makes no call; package upstream exchanges the code.
//
// Start reading at Request, then Listen and Paste.
package consent

import (
	"bufio"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// ErrDenied says that the consent was refused on upstream's page.
var ErrDenied = errors.New("the consent was refused")

// errForeign says that an answer belongs to another consent than the one that is asked for.
var errForeign = errors.New("this is the answer to another consent: its state differs")

// mostCode is longer than any code, in bytes.
const mostCode = 2048

// Request is the consent that an answer has to fit.
type Request struct {
	// Redirect is the address to which upstream sends the browser.
	Redirect *url.URL
	// State is the random text that comes back with the code.
	State string
}

// read takes the code out of the query of an answer (docs/upstream.md U22). The error is errForeign
// if the state is another one, or wraps ErrDenied. No error quotes the answer.
func (a Request) read(query url.Values) (string, error) {
	if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(a.State)) != 1 {
		return "", errForeign
	}
	switch refused, code := query.Get("error"), query.Get("code"); {
	case refused == "access_denied":
		return "", ErrDenied
	case refused != "":
		return "", fmt.Errorf("%w by the authorization server itself, not by a person", ErrDenied)
	case !plausible(code):
		return "", errors.New("the answer has no code")
	default:
		return code, nil
	}
}

// plausible says that a text can be a code.
func plausible(code string) bool {
	return code != "" && len(code) <= mostCode && !strings.ContainsFunc(code, func(r rune) bool { return r <= ' ' || r > '~' })
}

// pasted reads what a person pasted: the address to which the browser was sent, or the code alone.
// A code alone has no state to compare: the person vouches for it.
func (a Request) pasted(line string) (string, error) {
	line = strings.TrimSpace(line)
	if strings.Contains(line, "://") || strings.ContainsAny(line, "?&") {
		_, query, found := strings.Cut(line, "?")
		if !found {
			query = line
		}
		query, _, _ = strings.Cut(query, "#")
		values, err := url.ParseQuery(query)
		if err != nil {
			return "", errors.New("the address cannot be read: paste it whole, as the browser shows it") // the parser's error quotes it
		}
		return a.read(values)
	}
	if !plausible(line) {
		return "", errors.New("this is no code: paste the code, or the whole address to which the browser was sent")
	}
	return line, nil
}

// Paste reads lines until one of them is an answer, and gives its code. Refuse tells the person
// what is wrong with a line. The error is io.EOF if the input ends, or wraps ErrDenied.
func (a Request) Paste(ctx context.Context, input io.Reader, refuse func(error)) (string, error) {
	type line struct {
		text string
		err  error
	}
	lines := make(chan line)
	go func() { // a read of a terminal cannot be ended: it ends with the process, or with the input
		reader := bufio.NewReaderSize(input, mostCode)
		for {
			text, err := reader.ReadString('\n')
			select {
			case lines <- line{text, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		select {
		case read := <-lines:
			if strings.TrimSpace(read.text) != "" {
				code, err := a.pasted(read.text)
				if err == nil || errors.Is(err, ErrDenied) {
					return code, err
				}
				refuse(err)
			}
			if read.err != nil {
				return "", io.EOF
			}
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}
