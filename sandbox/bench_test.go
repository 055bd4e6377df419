package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sluice/sandbox"
)

const manyRecords = 500_000

func grown(b *testing.B) (*sandbox.Server, *http.Request) {
	b.Helper()
	now := time.Date(2026, 3, 10, 6, 0, 0, 0, time.UTC)
	server, err := sandbox.New(sandbox.Options{Records: manyRecords, Now: func() time.Time { return now }, Limits: sandbox.Limits{Off: true}})
	if err != nil {
		b.Fatal(err)
	}
	recorder := httptest.NewRecorder()
	server.ServeHTTP(recorder, httptest.NewRequestWithContext(b.Context(), http.MethodPost, tokenURL(nil), http.NoBody))
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := jsonInto(recorder, &answer); err != nil {
		b.Fatal(err)
	}
	request := httptest.NewRequestWithContext(b.Context(), http.MethodGet, target("/inventory/v1/bills", "page", "300"), http.NoBody)
	request.Header.Set("Authorization", "Svc-oauthtoken "+answer.Token)
	return server, request
}

func ask(b *testing.B, server *sandbox.Server, request *http.Request) {
	b.Helper()
	recorder := httptest.NewRecorder()
	server.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusOK {
		b.Fatalf("status %d: %.200s", recorder.Code, recorder.Body)
	}
}

// BenchmarkNewAndFirstPage is what a demonstration with half a million records
// waits for.
func BenchmarkNewAndFirstPage(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		server, request := grown(b)
		ask(b, server, request)
	}
}

// BenchmarkPage is one page of 200 bills when nothing changed since the last.
func BenchmarkPage(b *testing.B) {
	server, request := grown(b)
	ask(b, server, request)
	b.ReportAllocs()
	for b.Loop() {
		ask(b, server, request)
	}
}

// BenchmarkPageAfterChange is one page after an edit: the order is made anew.
func BenchmarkPageAfterChange(b *testing.B) {
	server, request := grown(b)
	for b.Loop() {
		if _, err := server.Change(sandbox.Change{Edits: 1, Resources: []string{"bills"}}); err != nil {
			b.Fatal(err)
		}
		ask(b, server, request)
	}
}
