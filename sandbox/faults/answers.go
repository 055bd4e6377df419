package faults

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"time"

	"sluice/sandbox/answer"
	"sluice/sandbox/faults/deform"
	"sluice/sandbox/services"
)

// refusal returns an act that answers an error in the form of the service.
func refusal(status, code int, message string) func(http.ResponseWriter, *http.Request, *Fault) {
	return func(w http.ResponseWriter, r *http.Request, _ *Fault) {
		answer.Fail(w, services.Of(r.URL.Path), status, code, message)
	}
}

// page returns an act that answers a whole body of any type.
func page(status int, contentType, body string) func(http.ResponseWriter, *http.Request, *Fault) {
	return func(w http.ResponseWriter, _ *http.Request, _ *Fault) {
		answer.Body(w, status, contentType, []byte(body))
	}
}

// waiting returns an act that refuses as throttle does and names the wait.
func waiting(say func(*Fault, time.Duration) string) func(http.ResponseWriter, *http.Request, *Fault) {
	const preset = 30 // seconds
	return func(w http.ResponseWriter, r *http.Request, f *Fault) {
		w.Header().Set("Retry-After", say(f, time.Duration(cmp.Or(f.Seconds, preset))*time.Second))
		answer.Refuse(w, services.Of(r.URL.Path), answer.Throttled)
	}
}

// rated sends a whole answer with these rate headers.
func rated(limit, remaining, reset string) func(http.ResponseWriter, *http.Request, *Fault, *captured) {
	return func(w http.ResponseWriter, _ *http.Request, _ *Fault, whole *captured) {
		w.Header().Set("X-Rate-Limit-Limit", limit)
		w.Header().Set("X-Rate-Limit-Remaining", remaining)
		w.Header().Set("X-Rate-Limit-Reset", reset)
		send(w, whole)
	}
}

func answerActs() []act {
	typed := func(contentType string) func(http.ResponseWriter, *http.Request, *Fault, *captured) {
		return func(w http.ResponseWriter, _ *http.Request, _ *Fault, whole *captured) {
			w.Header().Set("Content-Type", contentType)
			send(w, whole)
		}
	}
	return []act{
		{
			Kind: Kind{"server_error", "Answers 500 in the form of the service."},
			say:  refusal(http.StatusInternalServerError, answer.NotAuthorized, "Internal error"),
		},
		{Kind: Kind{"bad_gateway", "Answers 502 with HTML."}, say: page(http.StatusBadGateway, answer.HTMLType, maintenance)},
		{Kind: Kind{"gateway_timeout", "Answers 504 with an empty body."}, say: page(http.StatusGatewayTimeout, answer.HTMLType, "")},
		{
			Kind: Kind{"success_in_500", "Answers 500 with code 0 in the envelope."},
			say:  page(http.StatusInternalServerError, answer.JSONType, `{"code":0,"message":"success"}`),
		},
		{
			Kind: Kind{"no_content", "Answers 204 without a body."},
			say:  func(w http.ResponseWriter, _ *http.Request, _ *Fault) { w.WriteHeader(http.StatusNoContent) },
		},
		{Kind: Kind{"empty_body", "Answers 200 with a body of no bytes."}, say: page(http.StatusOK, answer.JSONType, "")},
		{Kind: Kind{"bad_request", "Answers 400 with code 2."}, say: refusal(http.StatusBadRequest, answer.InvalidValue, "Invalid value passed")},
		{
			Kind: Kind{"not_found", "Answers 404 with code 1002."},
			say:  refusal(http.StatusNotFound, answer.NoSuchRecord, "Resource does not exist."),
		},
		{
			Kind: Kind{"not_allowed", "Answers 405 with code 5."},
			say:  refusal(http.StatusMethodNotAllowed, answer.NoSuchURL, "method not supported"),
		},
		{
			Kind: Kind{"not_acceptable", "Answers 406."},
			say:  refusal(http.StatusNotAcceptable, answer.InvalidValue, "requested response type not supported"),
		},
		{
			Kind: Kind{"missing_token", "Answers 401 with code 14 although there is a token."},
			say:  refusal(http.StatusUnauthorized, answer.MissingToken, "Invalid value passed for authtoken."),
		},
		{
			Kind: Kind{"wrong_organization", "Answers 400 with code 6041 although the organization is right."},
			say:  refusal(http.StatusBadRequest, answer.NoOrganization, "This user is not associated with the company."),
		},
		{
			Kind: Kind{"retry_after", "Answers 429 with code 44 and Retry-After in seconds."},
			say:  waiting(func(_ *Fault, wait time.Duration) string { return strconv.Itoa(int(wait / time.Second)) }),
		},
		{
			Kind: Kind{"retry_date", "Answers 429 with code 44 and Retry-After as a date."},
			say:  waiting(func(f *Fault, wait time.Duration) string { return f.At.Add(wait).UTC().Format(http.TimeFormat) }),
		},
		{
			Kind: Kind{"rate_huge", "Says in rate headers that 2147483648 calls a day are allowed and left, as for a plan without limits."},
			send: rated("2147483648", "2147483648", "60"),
		},
		{
			Kind: Kind{"rate_spent", "Says in rate headers that no call is left for 25 hours."},
			send: rated("10000", "0", "90000"),
		},
		{
			Kind: Kind{"plain_429", "Answers 429 with a plain text, as a gateway does."},
			say:  page(http.StatusTooManyRequests, "text/plain", "slow down\n"),
		},
		{Kind: Kind{"wrong_type", "Answers what it should, called text/html."}, send: typed(answer.HTMLType)},
		{Kind: Kind{"missing_key", "Leaves the key of the list or record out of the envelope."}, body: whole(deform.Keyless)},
		{Kind: Kind{"object_for_list", "Gives the first record in the place of the list."}, body: whole(deform.Single)},
		{
			Kind: Kind{"two_documents", "Appends a second JSON document to the body."},
			body: whole(func(body []byte) []byte { return append(body, `{"code":0,"message":"success"}`...) }),
		},
		{
			Kind: Kind{"bom", "Puts a byte order mark before the body."},
			body: whole(func(body []byte) []byte { return append([]byte("\xef\xbb\xbf"), body...) }),
		},
		{
			Kind: Kind{"charset", "Writes the body in ISO 8859-1, and says so."},
			body: whole(deform.Latin1), send: typed("application/json;charset=ISO-8859-1"),
		},
		{Kind: Kind{"wrong_charset", "Writes the body in ISO 8859-1, and calls it UTF-8."}, body: whole(deform.Latin1)},
	}
}

func travelActs() []act {
	return []act{
		{Kind: Kind{"reset_body", "Resets the connection in the middle of a body."}, send: resetBody},
		{
			Kind: Kind{"stall", "Sends half of a body, stands still, and resets the connection."},
			send: func(w http.ResponseWriter, r *http.Request, f *Fault, whole *captured) {
				begin(w, f, whole)
				answer.Wait(r, f.pause())
				reset(w)
			},
		},
		{Kind: Kind{"gzip_unlabelled", "Compresses the body and does not say so."}, send: zipped(false, func(b []byte) []byte { return b })},
		{
			Kind: Kind{"gzip_mislabelled", "Calls a plain body compressed."},
			send: func(w http.ResponseWriter, _ *http.Request, _ *Fault, whole *captured) {
				w.Header().Set("Content-Encoding", "gzip")
				send(w, whole)
			},
		},
		{
			Kind: Kind{"gzip_broken", "Compresses the body, and changes bytes in the middle."},
			send: zipped(true, func(b []byte) []byte {
				for n := len(b) / 2; n < len(b)/2+8 && n < len(b); n++ { // eight bytes from the middle.
					b[n] ^= 0xff
				}
				return b
			}),
		},
		{
			Kind: Kind{"gzip_cut", "Compresses the body, and sends half of that."},
			send: zipped(true, func(b []byte) []byte { return b[:len(b)/2] }),
		},
		{Kind: Kind{"gzip_bomb", "Compresses the body with a gigabyte of blanks behind it."}, send: bomb},
	}
}

// begin sends the first part of a body whose whole length was announced.
func begin(w http.ResponseWriter, f *Fault, whole *captured) {
	body := whole.body.Bytes()
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(whole.code())
	_, _ = w.Write(body[:f.until(body)])
	_ = http.NewResponseController(w).Flush() // the connection breaks next in any case
}

func resetBody(w http.ResponseWriter, _ *http.Request, f *Fault, whole *captured) {
	begin(w, f, whole)
	reset(w)
}

func zipped(labelled bool, change func([]byte) []byte) func(http.ResponseWriter, *http.Request, *Fault, *captured) {
	return func(w http.ResponseWriter, _ *http.Request, _ *Fault, whole *captured) {
		var packed bytes.Buffer
		packer := gzip.NewWriter(&packed)
		_, _ = packer.Write(whole.body.Bytes()) // memory accepts every write
		_ = packer.Close()
		if labelled {
			w.Header().Set("Content-Encoding", "gzip")
		}
		whole.body.Reset()
		_, _ = whole.body.Write(change(packed.Bytes()))
		send(w, whole)
	}
}

const (
	bombSize  = 1 << 30 // bytes, unpacked
	bombPiece = 1 << 20
)

// bomb packs while it sends, until the client leaves.
func bomb(w http.ResponseWriter, _ *http.Request, _ *Fault, whole *captured) {
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Del("Content-Length")
	w.WriteHeader(whole.code())
	packer := gzip.NewWriter(w)
	_, err := packer.Write(whole.body.Bytes())
	blanks := bytes.Repeat([]byte(" "), bombPiece)
	for sent := 0; sent < bombSize && err == nil; sent += bombPiece {
		_, err = io.Copy(packer, bytes.NewReader(blanks))
	}
	if err == nil {
		_ = packer.Close()
	}
}

func tokenActs() []act {
	return []act{
		{
			Kind: Kind{"token_error", "Answers the token endpoint with 200 and invalid_code."},
			say:  page(http.StatusOK, answer.JSONType, `{"error":"invalid_code"}`),
		},
		{
			Kind: Kind{"token_denied", "Answers the token endpoint as if too many had been asked for."},
			say: page(http.StatusBadRequest, answer.JSONType, `{"error":"Access Denied","error_description":"You have made too many requests `+
				`continuously. Please try again after some time.","status":"failure"}`),
		},
		{
			Kind: Kind{"token_slow_down", "Answers the token endpoint with 200 and slow_down."},
			say:  page(http.StatusOK, answer.JSONType, `{"error":"slow_down"}`),
		},
		{
			Kind: Kind{"token_unknown", "Answers the token endpoint with 200 and a word that no document names."},
			say:  page(http.StatusOK, answer.JSONType, `{"error":"quota_plan_review"}`),
		},
		{
			Kind: Kind{"token_unauthorized", "Answers the token endpoint with 200 and unauthorized_client."},
			say:  page(http.StatusOK, answer.JSONType, `{"error":"unauthorized_client"}`),
		},
		{
			Kind: Kind{"token_empty", "Gives a token of no characters."},
			body: whole(func(body []byte) []byte { return deform.Value(body, "access_token", `""`) }),
		},
		{
			Kind: Kind{"token_no_life", "Gives a token without expires_in."},
			body: whole(func(body []byte) []byte { return deform.Without(body, "expires_in") }),
		},
		{
			Kind: Kind{"token_odd_life", "Gives a token whose expires_in is a text of a negative number."},
			body: whole(func(body []byte) []byte { return deform.Value(body, "expires_in", `"-1"`) }),
		},
		{
			Kind: Kind{"token_rotated", "Gives another refresh token with the access token."},
			body: whole(func(body []byte) []byte { return deform.With(body, `"refresh_token":"1000.rotated.rotated"`) }),
		},
	}
}

// channelActs returns the kinds of notifications, which happen where channels are granted.
func channelActs() []act {
	return []act{{Kind: Kind{"silent_channel", "Grants a channel of change notifications that is never told of any change."}}}
}
