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
