package upstream

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream/body"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

// Waits where upstream does not name one (docs/upstream.md U51: code 44 about a minute, 1070 a
// short wait).
const (
	throttledWait = time.Minute
	crowdedWait   = 10 * time.Second
	// maxAge is the largest age of an answer from a cache, in seconds.
	maxAge = 60
	// wordLength bounds upstream's words in errors, in characters.
	wordLength = 32
)

// classify turns status and code into a kind and a sentence; kind 0 is success. It matches codes
// and never texts, which are localized. Source: docs/upstream.md U60 to U71.
func classify(status int, code string) (pipeline.Kind, outside.Text) {
	success := isSuccess(status)
	if success || status == http.StatusTooManyRequests {
		if kind, detail := limit(code); kind != 0 {
			return kind, detail
		}
	}
	switch {
	case success && code == "0":
		return 0, ""
	case success && (code == "57" || code == "14"), status == http.StatusUnauthorized:
		return pipeline.Expired, "the access token is not accepted"
	case status == http.StatusTooManyRequests:
		return pipeline.Throttled, "too many requests"
	case status == http.StatusForbidden:
		return pipeline.Denied, "no permission: the scope is missing, or the user may not read this"
	case status == http.StatusBadRequest && (code == "6024" || code == "6041"):
		return pipeline.Denied, "upstream does not know this organization for these credentials: check its id and data center"
	case status == http.StatusRequestTimeout || status >= http.StatusInternalServerError:
		return pipeline.Unavailable, "the server failed"
	case success:
		return pipeline.Unexpected, "the answer says that it failed"
	default:
		return pipeline.Unexpected, "an answer that the documents do not describe for this call"
	}
}

// limit gives the kind of the codes that say that a limit was exceeded.
func limit(code string) (pipeline.Kind, outside.Text) {
	switch code {
	case "44":
		return pipeline.Throttled, "more calls a minute than the organization may make"
	case "45":
		return pipeline.Exhausted, "the organization's calls of the day are spent"
	case "1070":
		return pipeline.Crowded, "more calls at once than the organization may make"
	default:
		return 0, ""
	}
}

func isSuccess(status int) bool { return status == http.StatusOK || status == http.StatusCreated }

// judge accepts an answer or says what is wrong with it. form is the envelope that its service
// declares, own the list whose records are rewritten.
func (c *Client) judge(op wire.Call, answer *wire.Reply, data []byte, form schema.Envelope, own body.Own) (*body.Envelope, error) {
	isJSON, charset := wire.MediaType(answer.Header)
	seen := func() outside.Text {
		describe := body.Excerpt
		if op.Withhold {
			describe = body.Measure
		}
		return describe(c.scrub, answer.Header.Get("Content-Type"), data)
	}
	fail := func(kind pipeline.Kind, detail outside.Text, cause error) error {
		return c.failure(op, kind, answer, "", detail, cause)
	}
	envelope, parseErr := parse(isJSON, data, own)
	nothing := isNothing(form, answer.Status, data)
	if isSuccess(answer.Status) {
		switch {
		case len(data) > 1 && data[0] == 0x1f && data[1] == 0x8b:
			return nil, fail(pipeline.Unavailable, "a compressed body without its label", nil)
		case !isJSON:
			return nil, fail(pipeline.Unexpected, "not JSON: "+seen(), nil)
		case charset != "" && !strings.EqualFold(charset, "utf-8"):
			return nil, fail(pipeline.Unexpected, "a charset other than UTF-8: "+c.scrub.Text(charset, wordLength), nil)
		case errors.Is(parseErr, body.ErrCut):
			return nil, fail(pipeline.Unavailable, "", parseErr)
		case parseErr != nil:
			return nil, fail(pipeline.Unexpected, seen(), parseErr)
		case envelope.Code == "" && form == schema.EnvelopeCoded:
			return nil, fail(pipeline.Unexpected, "the envelope has no code: "+seen(), nil)
		case envelope.Code == "":
			envelope.Code = "0"
		}
	}
	if answer.Status >= 300 && answer.Status < 400 { //nolint:mnd // the class of redirects
		return nil, fail(pipeline.Unexpected, "a redirect to host "+wire.RedirectHost(answer.Header, c.scrub)+", not followed", nil)
	}
	if kind, detail := classify(answer.Status, envelope.Code); kind != 0 && !nothing {
		if kind == pipeline.Unexpected {
			detail += ": " + seen()
		}
		return nil, c.failure(op, kind, answer, envelope.Code, detail, nil)
	}
	if wire.Older(answer.Header, maxAge) {
		return nil, fail(pipeline.Unavailable, "the answer is an old copy out of a cache", nil)
	}
	envelope.Form, envelope.Nothing = form, nothing
	return envelope, nil
}

// isNothing says whether an answer stands for an empty list. Source: docs/upstream.md U353.
func isNothing(form schema.Envelope, status int, data []byte) bool {
	return form == schema.EnvelopeInfo && status == http.StatusNoContent && len(data) == 0
}

// parse gives an empty envelope if the answer is not JSON or cannot be parsed.
func parse(isJSON bool, data []byte, own body.Own) (*body.Envelope, error) {
	if !isJSON {
		return &body.Envelope{}, nil
	}
	envelope, err := body.ParseWith(data, own)
	if err != nil {
		return &body.Envelope{}, fmt.Errorf("envelope: %w", err)
	}
	return envelope, nil
}

// failure makes the error of an answer, with the instant for the next attempt if the answer shows
// one or the kind implies one.
func (c *Client) failure(op wire.Call, kind pipeline.Kind, answer *wire.Reply, code string, detail outside.Text, cause error) *pipeline.Error {
	e := &pipeline.Error{
		Kind: kind, Op: op.Op, Status: answer.Status, Code: c.scrub.Text(code, wordLength), Detail: detail, Err: c.scrub.Cause(cause),
	}
	if lack, ok := errors.AsType[*body.LackError](cause); ok && kind == pipeline.Unexpected {
		e.Lasting, e.Detail = true, c.advice(lack)
	}
	now := c.now()
	wait := wire.RetryAfter(answer.Header, now)
	switch kind {
	case pipeline.Throttled:
		e.Until = now.Add(cmp.Or(wait, throttledWait))
	case pipeline.Crowded:
		e.Until = now.Add(cmp.Or(wait, crowdedWait))
	case pipeline.Exhausted:
		if _, _, reset := wire.DayHeaders(answer.Header); reset > 0 {
			e.Until = now.Add(reset)
		} else {
			local := now.In(op.Org.Zone())
			year, month, day := local.Date()
			e.Until = time.Date(year, month, day+1, 0, 0, 0, 0, local.Location())
		}
	case pipeline.Unavailable:
		if wait > 0 {
			e.Until = now.Add(wait)
		}
	case pipeline.Expired, pipeline.Denied, pipeline.Unexpected:
	}
	return e
}

// maxKeys is how many keys of an answer an error names.
const maxKeys = 12

// advice says how a declaration is mended that a whole answer contradicts.
func (c *Client) advice(lack *body.LackError) outside.Text {
	what := "the key of the records"
	if lack.Paging {
		what = "the paging"
	}
	keys := strings.Join(lack.Keys[:min(len(lack.Keys), maxKeys)], ", ")
	return c.scrub.Textf("correct %s in the declaration of the list (custom in the configuration), for the answer has the keys %s", what, keys)
}
