package consent_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sluice/cmd/sluice/cli/consent"
)

const state = "STATE-of-the-test"

// asked is a consent whose answer goes to a socket.
func asked(t *testing.T, socket net.Listener) consent.Request {
	t.Helper()
	redirect, err := url.Parse("http://" + socket.Addr().String() + "/callback")
	if err != nil {
		t.Fatal(err)
	}
	return consent.Request{Redirect: redirect, State: state}
}

// listening opens a listener, and gives its address and the number of foreign answers.
func listening(t *testing.T) (*consent.Listener, string, chan struct{}) {
	t.Helper()
	socket, err := consent.Open(t.Context(), "127.0.0.1", "0")
	if err != nil {
		t.Fatal(err)
	}
	foreign := make(chan struct{}, 10)
	l := consent.Listen(socket, asked(t, socket), func() { foreign <- struct{}{} })
	t.Cleanup(func() { l.Close(context.WithoutCancel(t.Context())) })
	return l, "http://" + socket.Addr().String(), foreign
}

// browse sends a request as a browser does, and gives status, head and page.
func browse(t *testing.T, method, address string) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(body)
}

// TestOneAnswer: the listener ignores what is no answer to its consent, takes the first that is,
// and refuses further ones. No page shows anything of a request.
func TestOneAnswer(t *testing.T) {
	t.Parallel()
	l, address, foreign := listening(t)
	const attack = "%3Cscript%3Ealert(1)%3C/script%3E"
	for query, want := range map[string]int{
		"/favicon.ico": 404, "/": 404, "/callback/?code=1&state=" + state: 404, "/callback": 400, "/callback?code=1000.a": 400,
		"/callback?code=1000.a&state=" + attack: 400, "/callback?code=1000.a&state=" + state + "x": 400, "/callback?code=&state=" + state: 400,
		"/callback?error=access_denied&state=other": 400, "/callback?code=" + attack + "%20x&state=" + state: 400, "/callback?code=%zz": 400,
	} {
		status, _, body := browse(t, http.MethodGet, address+query)
		errorIf(t, status != want || strings.Contains(body, "script") || strings.Contains(body, "1000.a"),
			"%s: status %d, want %d\n%s", query, status, want, body)
	}
	if status, _, _ := browse(t, http.MethodPost, address+"/callback?code=1000.a&state="+state); status != 404 {
		t.Errorf("POST: status %d, want 404", status)
	}
	errorIf(t, len(foreign) != 5, "%d answers to other consents were told, want 5", len(foreign))
	select {
	case answer := <-l.Answers():
		t.Fatalf("taken before it came: %+v", answer)
	default:
	}
	status, header, body := browse(t, http.MethodGet, address+"/callback?state="+state+"&code=1000.first&location=eu")
	errorIf(t, status != 200 || strings.Contains(body, "1000.first"), "status %d\n%s", status, body)
	for name, want := range map[string]string{
		"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff",
	} {
		errorIf(t, !strings.HasPrefix(header.Get(name), want), "%s: %q", name, header.Get(name))
	}
	status, _, _ = browse(t, http.MethodGet, address+"/callback?code=1000.second&state="+state)
	errorIf(t, status != 409, "a second answer: status %d, want 409", status)
	answer := <-l.Answers()
	errorIf(t, answer.Code != "1000.first" || answer.Err != nil, "%+v", answer)
}

func TestDenied(t *testing.T) {
	t.Parallel()
	for word, says := range map[string]string{"access_denied": "refused", "invalid_scope": "by the authorization server"} {
		l, address, _ := listening(t)
		status, _, body := browse(t, http.MethodGet, address+"/callback?error="+word+"&state="+state)
		answer := <-l.Answers()
		if status != 200 || !strings.Contains(body, "refused") || !errors.Is(answer.Err, consent.ErrDenied) || !strings.Contains(answer.Err.Error(), says) {
			t.Errorf("%s: status %d, %v\n%s", word, status, answer.Err, body)
		}
	}
}

// TestLoopback: only an address of this machine, in plain HTTP, can be listened to.
func TestLoopback(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://127.0.0.1:9466/callback": "127.0.0.1", "http://localhost:8000/x": "127.0.0.1", "http://[::1]:1/": "::1",
		"https://127.0.0.1:9466/callback": "", "http://example.com/": "", "http://10.0.0.1/": "", "http://127.0.0.1.evil.example/": "",
	} {
		redirect, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		host, ok := consent.Loopback(redirect)
		errorIf(t, ok != (want != "") || ok && host != want, "%s: %q %t, want %q", address, host, ok, want)
	}
}

// TestPaste: a person pastes the code, or the address to which the browser was sent.
func TestPaste(t *testing.T) {
	t.Parallel()
	redirect, err := url.Parse("https://app.example/done")
	if err != nil {
		t.Fatal(err)
	}
	a := consent.Request{Redirect: redirect, State: state}
	for name, c := range map[string]struct {
		input, code string
		refused     int
		err         error
	}{
		"code":              {input: "  1000.abc.def \n", code: "1000.abc.def"},
		"code, no line end": {input: "1000.abc.def", code: "1000.abc.def"},
		"address":           {input: "https://app.example/done?state=" + state + "&code=1000.a%2Eb&location=us#x\n", code: "1000.a.b"},
		"query":             {input: "code=1000.ab&state=" + state + "\n", code: "1000.ab"},
		"part":              {input: "?code=1000.ab&state=" + state + "\n", code: "1000.ab"},
		"wrong state":       {input: "https://app.example/done?state=other&code=1000.evil\n1000.good\n", code: "1000.good", refused: 1},
		"no code":           {input: "https://app.example/done\nnot a code\n\n", err: io.EOF, refused: 2},
		"broken":            {input: "https://app.example/done?code=%zz\n1000.good\n", code: "1000.good", refused: 1},
		"denied":            {input: "https://app.example/done?error=access_denied&state=" + state + "\n", err: consent.ErrDenied},
		"denied elsewhere":  {input: "https://app.example/done?error=access_denied&state=x\n1000.good\n", code: "1000.good", refused: 1},
		"nothing":           {input: "", err: io.EOF},
		"endless":           {input: strings.Repeat("x", 5000) + "\n", err: io.EOF, refused: 1},
	} {
		refused := 0
		code, err := a.Paste(t.Context(), strings.NewReader(c.input), func(err error) {
			refused++
			errorIf(t, strings.Contains(err.Error(), "1000.") || strings.Contains(err.Error(), "zz"), "%s: %v quotes the answer", name, err)
		})
		errorIf(t, code != c.code || !errors.Is(err, c.err) || refused != c.refused,
			"%s: %q, %v, %d lines refused; want %q, %v, %d", name, code, err, refused, c.code, c.err, c.refused)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	late := errors.New("too late")
	cancel(late)
	reader, writer := io.Pipe()
	defer func() { _ = writer.Close() }()
	_, err = a.Paste(ctx, reader, func(error) {})
	errorIf(t, !errors.Is(err, late), "after its time: %v", err)
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
