package upstream_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream"
)

// inEightSpellings gives the spellings in which an answer may echo a secret; an echo that is cut
// off has one of them, too.
func inEightSpellings(secret string) map[string]string {
	every := ""
	for i := range len(secret) {
		every += fmt.Sprintf("%%%02X", secret[i])
	}
	escaped := ""
	for _, r := range secret {
		escaped += fmt.Sprintf(`\\u%04x`, r) // escaped twice, as within JSON
	}
	return map[string]string{
		"raw": secret, "cut": "xx" + secret[3:], "large": strings.ToUpper(secret), "percent": every, "query": url.QueryEscape(secret),
		"base64": base64.StdEncoding.EncodeToString([]byte("v=" + secret)), "base64 of addresses": base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"hex": hex.EncodeToString([]byte(secret)), "json": escaped,
	}
}

// leaks gives the spelling in which twelve characters of a secret in a row are in a text; "" if
// none is.
func leaks(text, secret string) string {
	for name, spelled := range inEightSpellings(secret) {
		spelled = strings.ReplaceAll(strings.Trim(spelled, "="), `\\`, `\`)
		if name == "base64" {
			spelled = spelled[4 : len(spelled)-2] // the text in front of it changes the first characters
		}
		for i := 0; i+12 <= len(spelled); i++ {
			if strings.Contains(strings.ToLower(text), strings.ToLower(spelled[i:i+12])) {
				return name
			}
		}
	}
	return ""
}

// echoes are answers of a list that contain the given echo.
func echoes() map[string]func(echo string) http.HandlerFunc {
	body := func(format string) func(string) http.HandlerFunc {
		return func(echo string) http.HandlerFunc { return answer(200, jsonType, fmt.Sprintf(format, echo)) }
	}
	with := func(status int, contentType, body string, header ...string) func(string) http.HandlerFunc {
		return func(echo string) http.HandlerFunc {
			put := strings.NewReplacer("ECHO", echo)
			for i := range header {
				header[i] = put.Replace(header[i])
			}
			return answer(status, put.Replace(contentType), put.Replace(body), header...)
		}
	}
	return map[string]func(string) http.HandlerFunc{
		"code": body(`{"code":"%s","message":"m"}`), "message": body(`{"code":7,"message":"%s"}`), "key": body(`{"%s":1}`), "keys": body(`{"code":0,"%[1]s":1,"%[1]s":2}`),
		"no code": body(`{"message":"%s"}`), "no JSON": body(`%s`), "cut": body(`{"code":0,"message":"%s`), "behind": body(`{"code":0}%s`),
		"context": body(`{"code":0,"chartofaccounts":[],"page_context":{"page":"%s"}}`), "more": body(`{"code":0,"chartofaccounts":[],"page_context":{"page":1,"has_more_page":"%s"}}`),
		"list": body(`{"code":0,"chartofaccounts":"%s"}`),
		"400":  with(400, jsonType, `{"code":"ECHO","message":"ECHO"}`), "401": with(401, jsonType, `{"code":"ECHO"}`), "403": with(403, jsonType, `{"code":"ECHO"}`),
		"404": with(404, "text/html", "ECHO"), "429": with(429, jsonType, `{"code":"ECHO"}`), "500": with(500, "text/html", "<html>ECHO"),
		"charset": with(200, "application/json; charset=ECHO", "{}"), "quoted charset": with(200, `application/json; charset="ECHO"`, "{}"),
		"content type": with(200, "text/ECHO", "hello"), "page": with(200, "text/html", "<html><body>ECHO"), "far on the page": with(200, "text/html", strings.Repeat("x", 58)+"ECHO"),
		"host": with(302, "", "", "Location", "http://ECHO.host/"), "port": with(302, "", "", "Location", "http://host:ECHO/"), "path": with(302, "", "", "Location", "/ECHO"),
		"user": with(302, "", "", "Location", "http://ECHO@host/"), "query": with(307, "", "", "Location", "http://host/?ECHO"),
		"retry after": with(503, jsonType, "{}", "Retry-After", "ECHO"), "rates": with(429, jsonType, `{"code":45}`, "X-Rate-Limit-Reset", "ECHO"),
		"date": with(500, jsonType, "{}", "Date", "ECHO"), "encoding": with(200, jsonType, "ECHO", "Content-Encoding", "gzip"), "age": with(200, jsonType, `{"code":"ECHO"}`, "Age", "ECHO"),
	}
}

// TestNoEchoOfATokenIsSaid lets upstream echo the access token in every part of an answer and every
// spelling (invariant 10).
func TestNoEchoOfATokenIsSaid(t *testing.T) {
	t.Parallel()
	for place, echo := range echoes() {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			for spelling, text := range inEightSpellings(canaryToken) {
				r := makeFixture(t, echo(text))
				_, err := r.client.Page(t.Context(), ask(1))
				r.mustNotSay(t, spelling, err, canaryToken, canaryRenewed)
			}
		})
	}
}

// TestNoEchoOfACredentialIsSaid lets the token endpoint echo the request.
func TestNoEchoOfACredentialIsSaid(t *testing.T) {
	t.Parallel()
	places := echoes()
	maps.Copy(places, map[string]func(string) http.HandlerFunc{
		"error": func(echo string) http.HandlerFunc { return answer(200, jsonType, `{"error":"`+echo+`"}`) },
		"error among words": func(echo string) http.HandlerFunc {
			return answer(400, jsonType, `{"error":"`+strings.Repeat("no ", 18)+echo+`","error_description":"`+echo+`"}`)
		},
		"unusable": func(echo string) http.HandlerFunc { return answer(200, jsonType, `{"access_token":"a b `+echo+`"}`) },
	})
	for place, echo := range places {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			for _, secret := range []string{canarySecret, canaryRefresh} {
				for spelling, text := range inEightSpellings(secret) {
					r := makeTokenFixture(t, echo(text))
					_, _, err := r.process(t).Token(t.Context(), one)
					r.mustNotSay(t, spelling, err, secret)
					for _, row := range r.store.rows {
						check.Same(t, fmt.Sprintf("%s: in the stored reason %q", spelling, row.Reason), "", leaks(string(row.Reason), secret))
					}
				}
			}
		})
	}
}

// mustNotSay demands an error, and that neither the error nor the call log holds one of the
// secrets.
func (r *fixture) mustNotSay(t *testing.T, spelling string, err error, secrets ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", spelling)
		return
	}
	texts := []string{fmt.Sprintf("%v %+v %#v", err, err, err), fmt.Sprintf("%+v", r.gate.left)}
	for e := err; e != nil; e = errors.Unwrap(e) {
		texts = append(texts, e.Error())
	}
	for _, secret := range secrets {
		for _, text := range texts {
			check.Same(t, fmt.Sprintf("echoed %s, is in %q", spelling, text), "", leaks(text, secret))
		}
	}
}

// TestAPathIsScrubbed: an identifier in the data that equals a token becomes part of a path, which
// the call log keeps.
func TestAPathIsScrubbed(t *testing.T) {
	scrub := outside.NewScrubber()
	scrub.Know(canaryToken)
	r := newFixture(t, answer(500, jsonType, "{}"), func(o *upstream.Options) { o.Scrub = scrub })
	_, err := r.client.Details(t.Context(), detailsOf(bills), []string{canaryToken})
	r.mustNotSay(t, "raw", err, canaryToken)
	check.ErrorIf(t,
		!slices.ContainsFunc(r.gate.entered, func(c pipeline.Call) bool { return strings.Contains(string(c.Path), "[redacted]") }),
		"calls %+v", r.gate.entered)
}

// TestNoEchoOfANewRefreshTokenIsSaid: a refresh token that upstream sent is as secret as the
// configured one.
func TestNoEchoOfANewRefreshTokenIsSaid(t *testing.T) {
	const newer = "2000.9f8e7d6c5b4a39281706f5e4d3c2b1a0"
	o := &consentOffice{gives: newer}
	r := newTokenFixture(t, o.ServeHTTP)
	check.Must(t, r.ask(t))
	r.advance(2 * time.Hour)
	o.tell(says("not " + newer))
	r.mustNotSay(t, "raw", r.ask(t), newer)
}
