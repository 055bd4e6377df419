package poster_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"sluice/cmd/sluice-sandbox/poster"
)

// TestPoster: a callback is one POST with the headers that it was given; a redirect is an
// answer and is not followed.
func TestPoster(t *testing.T) {
	t.Parallel()
	var got []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got = append(got, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("X-Svc-Webhook-Signature")+" "+string(body))
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(receiver.Close)
	header := http.Header{"Content-Type": {"application/json"}, "X-Svc-Webhook-Signature": {"s1"}}
	status, err := new(poster.Poster).Post(t.Context(), receiver.URL+"/hook", header, []byte(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0] != `POST /hook application/json s1 {"a":1}` || status != http.StatusTemporaryRedirect {
		t.Errorf("%d: %q", status, got)
	}
	receiver.Close()
	if _, err := new(poster.Poster).Post(t.Context(), receiver.URL, nil, nil); err == nil {
		t.Error("a callback without a receiver gave no error")
	}
}
