package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

const million = 1_000_000

// pagesAsked are the pages that a benchmark goes to, here and there, so that nothing
// it measures is an answer of before.
const pagesAsked = 499

// BenchmarkMillion asks a world of a million records for list pages of 200 (the goal:
// 1,000 a second on one core under 300 MB; run it with -cpu 1, and each part by
// itself, since peak_MB is that of the process).
func BenchmarkMillion(b *testing.B) {
	for name, target := range map[string]string{
		"items":          "/inventory/v1/items?",
		"bills":          "/inventory/v1/bills?",
		"bills_sorted":   "/inventory/v1/bills?sort_column=last_modified_time&",
		"bills_modified": "/inventory/v1/bills?last_modified_time=2020-01-01T00:00:00%2B0000&",
		"payments":       "/books/v3/vendorpayments?",
		"creditnotes":    "/inventory/v1/creditnotes?",
	} {
		b.Run(name, func(b *testing.B) { pages(b, target, false) })
		b.Run(name+"_headers_only", func(b *testing.B) { pages(b, target, true) })
	}
}

func pages(b *testing.B, target string, headersOnly bool) {
	b.Helper()
	begun := time.Now()
	server, token := grown(b, headersOnly)
	built := time.Since(begun)
	asked, size := 0, 0
	ask := func() {
		asked++
		page := 1 + asked*211%pagesAsked // prime to each other: every page comes once in a round.
		request := httptest.NewRequestWithContext(b.Context(), http.MethodGet,
			fmt.Sprintf("%spage=%d&organization_id=%s", target, page, sandbox.DefaultOrganizationID), http.NoBody)
		request.Header.Set("Authorization", "Svc-oauthtoken "+token)
		answer := drain{header: http.Header{}}
		server.ServeHTTP(&answer, request)
		if answer.status != http.StatusOK || answer.size < 200*100 { // 200 records of 100 bytes at least.
			b.Fatalf("status %d, %d bytes", answer.status, answer.size)
		}
		size = answer.size
	}
	begun = time.Now()
	ask() // the first one may have to sort.
	first := time.Since(begun)
	b.ReportAllocs()
	worked := work(b)
	for b.Loop() {
		ask()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	if worked = work(b) - worked; worked > 0 { // by the work alone, where others use the processor, too.
		b.ReportMetric(float64(b.N)/worked, "requests/cpu_s")
	}
	b.ReportMetric(built.Seconds()*1000, "ms_built")
	b.ReportMetric(first.Seconds()*1000, "ms_first")
	b.ReportMetric(float64(size)/1024, "KB/answer")
	b.ReportMetric(peak(b), "peak_MB")
}

// drain takes an answer and keeps nothing, as a network does.
type drain struct {
	header       http.Header
	status, size int
}

func (d *drain) Header() http.Header    { return d.header }
func (d *drain) WriteHeader(status int) { d.status = status }

func (d *drain) Write(piece []byte) (int, error) {
	d.size += len(piece)
	return len(piece), nil
}

// grown builds a sandbox of a million records and authorizes.
func grown(b *testing.B, headersOnly bool) (*sandbox.Server, string) {
	b.Helper()
	noon := time.Date(2026, 3, 10, 6, 30, 0, 0, time.UTC)
	server, err := sandbox.New(sandbox.Options{
		Seed: 4, Records: million, HeadersOnly: headersOnly, Now: func() time.Time { return noon }, Limits: sandbox.Limits{Off: true},
	})
	if err != nil {
		b.Fatal(err)
	}
	query := url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {sandbox.RefreshToken},
		"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret},
	}
	recorder := httptest.NewRecorder()
	server.ServeHTTP(recorder, httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/oauth/v2/token?"+query.Encode(), http.NoBody))
	var token struct {
		Text string `json:"access_token"`
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), &token); err != nil {
		b.Fatal(err)
	}
	return server, token.Text
}

// peak is the highest resident size that the process ever had; 0 where the system
// does not tell.
func peak(b *testing.B) float64 {
	b.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	line, _, _ := strings.Cut(rest, " kB")
	size, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return 0
	}
	return float64(size) / 1024 // kilobytes.
}

// work is how many seconds the process has spent working; 0 where the system does not
// tell.
func work(b *testing.B) float64 {
	b.Helper()
	data, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), ") ") // the name in brackets may hold anything.
	fields := strings.Fields(rest)
	if len(fields) < 13 { // utime and stime are the twelfth and the thirteenth of them.
		return 0
	}
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err1 != nil || err2 != nil {
		return 0
	}
	return float64(user+system) / 100 // ticks a second, on every Linux.
}
