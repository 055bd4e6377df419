package knock_test

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sluice/pipeline/check"
	"sluice/pipeline/upstream/knock"
)

func TestPost(t *testing.T) {
	t.Parallel()
	asked := make(chan *http.Request, 10)
	handler := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		q.Header.Set("Body", string(body))
		asked <- q
		if q.URL.Path == "/moved" {
			http.Redirect(w, q, "/", http.StatusFound)
			return
		}
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, strings.Repeat("x", 10_000))
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(secure.Certificate())
	closed, silent := listen(t), listen(t)
	check.Must(t, closed.Close())
	go func() {
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			_ = conn.Close() // it accepts, and never answers
		}
	}()
	for name, test := range map[string]struct {
		address string
		roots   *x509.CertPool
		status  int // 0 without an answer
	}{
		"answered":                {plain.URL + "/test", nil, 418},
		"answered over TLS":       {secure.URL + "/test", trusted, 418},
		"no redirect is followed": {plain.URL + "/moved", nil, 302},
		"no such name":            {"http://nothing.invalid/", nil, 0},
		"no such address":         {"http://%zz/", nil, 0},
		"nothing listens":         {"http://" + closed.Addr().String() + "/", nil, 0},
		"a stranger's authority":  {secure.URL + "/test", x509.NewCertPool(), 0},
		"no TLS there":            {strings.Replace(plain.URL, "http:", "https:", 1), trusted, 0},
		"hung up":                 {"http://" + silent.Addr().String() + "/", nil, 0},
	} {
		status, said, err := knock.Post(t.Context(), test.address, "X-Signature", "canary-signature", []byte("the body"), test.roots)
		if status != test.status || (err == nil) != (status > 0) || len(said) > 4<<10 || err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %d, %d bytes, %v, want status %d", name, status, len(said), err, test.status)
		}
	}
	close(asked)
	for q := range asked {
		if q.Method != http.MethodPost || q.Header.Get("X-Signature") != "canary-signature" || q.Header.Get("Body") != "the body" || !strings.HasPrefix(q.Header.Get("Content-Type"), "application/json") {
			t.Errorf("sent %s with %v", q.Method, q.Header)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, _, err := knock.Post(ctx, plain.URL, "X-Signature", "x", nil, nil)
	check.ErrorIf(t, err == nil, "after the end of its context: %d", status)
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener := check.Sure((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}
