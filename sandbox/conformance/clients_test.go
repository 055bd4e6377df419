package conformance

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// The page for other clients shows commands. The test runs them unchanged, in a shell that stops at
// the first failure. curl fails on each status from 400 on.
func TestClientsPage(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("bash") // -o pipefail: a failure at the start of a pipe counts.
	if err != nil {
		t.Fatal("bash is missing: install it")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("curl is missing: run .ci/setup, or install it")
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "sandbox-clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	var signed []string // the texts of webhooks that are signed as the page says
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		sum := hmac.New(sha256.New, []byte("sandboxsecret1"))
		sum.Write([]byte("sourcesandbox" + string(body)))
		if r.URL.String() == "/bills?source=sandbox" && r.Header.Get("X-Svc-Webhook-Signature") == hex.EncodeToString(sum.Sum(nil)) {
			signed = append(signed, string(body))
		}
	}))
	t.Cleanup(receiver.Close)
	caller := newCallerOf(t, sandbox.Options{Records: records, Demo: true, Poster: overHTTP{}}, "")
	command := exec.CommandContext(t.Context(), shell, "-eu", "-o", "pipefail", "-c", commands(t, string(page)))
	command.Env = append(os.Environ(), "SANDBOX="+caller.base, "RECEIVER="+receiver.URL, "TMPDIR="+t.TempDir(), "no_proxy=*")
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, tail(string(output)))
	}
	receiver.Close() // it writes no more
	if len(signed) != 1 || !regexp.MustCompile(`^\{"bill_id":"\d+"\}$`).MatchString(signed[0]) {
		t.Errorf("signed webhooks: %q", signed)
	}
}

// overHTTP sends webhooks as the program does.
type overHTTP struct{}

func (overHTTP) Post(ctx context.Context, address string, header http.Header, body []byte) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header = header
	answer, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}

// commands joins the shell blocks of a page.
func commands(t *testing.T, page string) string {
	t.Helper()
	var script strings.Builder
	blocks := strings.Split(page, "```sh\n")[1:]
	for _, block := range blocks {
		inside, _, closed := strings.Cut(block, "\n```\n")
		if !closed {
			t.Fatalf("a block is not closed: %.80s", block)
		}
		script.WriteString(inside + "\n")
	}
	if len(blocks) < 2 { // the start, and a call.
		t.Fatalf("%d blocks of commands", len(blocks))
	}
	return script.String()
}

func tail(output string) string {
	const enough = 2000
	return output[max(0, len(output)-enough):]
}

// docs/upstream.md U108: a list ignores an unknown filter: 200 and the full list. A strict sandbox
// refuses it, so that a client's mistake shows.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	send := step{Send: "GET /inventory/v1/items", Query: map[string]string{"colour": "red", "per_page": "2"}, Status: http.StatusOK, Answer: []byte(`{"items":["$object","$object"]}`)}
	newCallerOf(t, sandbox.Options{Limits: sandbox.Limits{Off: true}}, "").play(t, send)

	strict := newCallerOf(t, sandbox.Options{Strict: true, Limits: sandbox.Limits{Off: true}}, "")
	send.Status, send.Answer = http.StatusBadRequest, []byte(`{"code":"$integer","message":"$text","items":"$absent"}`)
	strict.play(t, send)
	strict.play(t, step{
		Send: "GET /inventory/v1/items", Query: map[string]string{"page": "1", "per_page": "2", "sort_column": "name", "sort_order": "A"},
		Status: http.StatusOK, Answer: []byte(`{"items":["$object","$object"]}`),
	})
}

// A strict sandbox accepts every documented parameter of every row: those that the cases send,
// except calls expected to fail for another reason.
func TestStrictTakesWhatDocumentsShow(t *testing.T) {
	t.Parallel()
	for _, f := range readFiles(t, "rows") {
		for _, c := range f.Cases {
			t.Run(f.name+"/"+c.name(), func(t *testing.T) {
				t.Parallel()
				options := c.World.options()
				options.Strict = true
				c.runAt(t, newCallerOf(t, options, c.Scope))
			})
		}
	}
}

// docs/upstream.md U6: an organization uses the suffix of its host region for all endpoints and the
// token flow. Here the region is a prefix.
func TestDataCenters(t *testing.T) {
	t.Parallel()
	const id, variant = "60099999999", "eu"
	caller := newCallerOf(t, sandbox.Options{
		Records: 60, Limits: sandbox.Limits{Off: true},
		Organizations: []sandbox.OrganizationOptions{{ID: id, DataCenter: variant, Seed: 9}},
	}, "")
	at := func(status int, answer string) step {
		return step{
			Send: "GET /dc/eu/books/v3/organizations", Query: map[string]string{"organization_id": id},
			Status: status, Answer: []byte(answer),
		}
	}
	caller.play(t, at(http.StatusUnauthorized, `{"code":57,"message":"$text"}`)) // a token of another data center.
	caller.kept["refresh_token"] = sandbox.RefreshTokenFor(id, variant)
	refresh := step{
		Send: "POST /dc/eu/oauth/v2/token", Without: []string{"token"},
		Query:  map[string]string{"grant_type": "refresh_token", "refresh_token": "${refresh_token}", "client_id": "${client_id}", "client_secret": "${client_secret}"},
		Status: http.StatusOK, Answer: []byte(`{"access_token":"$text","token_type":"Bearer","expires_in":3600}`),
		Keep: map[string]string{"token": "access_token"},
	}
	caller.play(t, refresh)
	caller.token = caller.kept["token"]
	caller.play(t, at(http.StatusOK, `{"code":0,"organizations":[{"organization_id":"60099999999"}]}`))
	caller.play(t, step{Send: "GET /books/v3/chartofaccounts", Status: http.StatusUnauthorized, Answer: []byte(`{"code":57}`)})

	refresh.Send, refresh.Answer, refresh.Keep = "POST /oauth/v2/token", []byte(`{"error":"invalid_code"}`), nil
	caller.play(t, refresh) // a refresh token of another data center.
}
