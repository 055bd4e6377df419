package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// share is the divisor of the world and its lists: with -short (make bench QUICK=1) the benchmarks
// run, but measure little.
func share() int {
	if testing.Short() {
		return 20
	}
	return 1
}

// lists holds the requested lists, each with its number of pages. The benchmark jumps between the
// pages of all of them, so that no answer is a repeated one.
var lists = map[string]struct {
	target string
	pages  int
}{
	"items":           {"/inventory/v1/items?", 1400},
	"bills":           {"/inventory/v1/bills?", 1400},
	"bills_sorted":    {"/inventory/v1/bills?sort_column=last_modified_time&", 1400},
	"bills_modified":  {"/inventory/v1/bills?last_modified_time=2020-01-01T00:00:00%2B0000&", 1400},
	"payments":        {"/books/v3/vendorpayments?", 600},
	"creditnotes":     {"/inventory/v1/creditnotes?", 500},
	"expenses":        {"/books/v3/expenses?", 100},
	"composite_items": {"/inventory/v1/compositeitems?", 50},
}

// stride is the distance between one requested page and the next: coprime to every number of pages.
const stride = 211

// BenchmarkMillion requests list pages of 200 from a world of a million records. The goal is 1,000
// a second on one core under 300 MB. Run it with -cpu 1, and each part by itself, since peak_MB is
// that of the process. It calls the handler without a network.
func BenchmarkMillion(b *testing.B) {
	for name, list := range lists {
		b.Run(name, func(b *testing.B) { pages(b, list.target, list.pages, false, handled) })
		b.Run(name+"_headers_only", func(b *testing.B) { pages(b, list.target, list.pages, true, handled) })
	}
}

// BenchmarkMillionOverHTTP is BenchmarkMillion through a server, a connection and a client, all in
// this process: with -cpu 1 they share the core.
func BenchmarkMillionOverHTTP(b *testing.B) {
	for name, list := range lists {
		b.Run(name, func(b *testing.B) { pages(b, list.target, list.pages, false, served) })
		b.Run(name+"_headers_only", func(b *testing.B) { pages(b, list.target, list.pages, true, served) })
	}
}

// asking returns a function that requests a path and returns the length of the answer.
type asking func(b *testing.B, server *sandbox.Server, token string) func(path string) int

func pages(b *testing.B, target string, count int, headersOnly bool, by asking) {
	b.Helper()
	count /= share()
	begun := time.Now()
	server, token := grown(b, headersOnly)
	built := time.Since(begun)
	get := by(b, server, token)
	asked, size := 0, 0
	ask := func() {
		asked++
		size = get(fmt.Sprintf("%spage=%d&organization_id=%s", target, 1+asked*stride%count, sandbox.DefaultOrganizationID))
		if size < 200*100 { // 200 records of 100 bytes at least.
			b.Fatalf("%d bytes", size)
		}
	}
	begun = time.Now()
	ask() // the first request may have to sort.
	first := time.Since(begun)
	b.ReportAllocs()
	worked := work(b)
	for b.Loop() {
		ask()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	if worked = work(b) - worked; worked > 0 { // by processor time, since others use the machine, too.
		b.ReportMetric(float64(b.N)/worked, "requests/cpu_s")
	}
	b.ReportMetric(built.Seconds()*1000, "ms_built")
	b.ReportMetric(first.Seconds()*1000, "ms_first")
	b.ReportMetric(float64(size)/1024, "KB/answer")
	b.ReportMetric(peak(b), "peak_MB")
}

// handled calls the handler.
func handled(b *testing.B, server *sandbox.Server, token string) func(string) int {
	b.Helper()
	return func(path string) int {
		request := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, http.NoBody)
		request.Header.Set("Authorization", "Svc-oauthtoken "+token)
		answer := drain{header: http.Header{}}
		server.ServeHTTP(&answer, request)
		if answer.status != http.StatusOK {
			b.Fatalf("%s: status %d", path, answer.status)
		}
		return answer.size
	}
}

// served requests from a server on this machine over one connection that stays open.
func served(b *testing.B, server *sandbox.Server, token string) func(string) int {
	b.Helper()
	listening := httptest.NewServer(server)
	b.Cleanup(listening.Close)
	piece := make([]byte, 256<<10)
	return func(path string) int {
		request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, listening.URL+path, http.NoBody)
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Authorization", "Svc-oauthtoken "+token)
		answer, err := listening.Client().Do(request)
		if err != nil {
			b.Fatal(err)
		}
		size := 0
		for err == nil {
			var n int
			n, err = answer.Body.Read(piece)
			size += n
		}
		if closed := answer.Body.Close(); answer.StatusCode != http.StatusOK || !errors.Is(err, io.EOF) || closed != nil {
			b.Fatalf("%s: status %d, %v", path, answer.StatusCode, err)
		}
		return size
	}
}

// drain accepts an answer and discards it, as a network does.
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
		Seed: 4, Records: million / share(), HeadersOnly: headersOnly, Now: func() time.Time { return noon }, Limits: sandbox.Limits{Off: true},
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

// peak returns the highest resident size of the process so far, in MB; 0 where the system does not
// report it.
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

// work returns the processor time of the process in seconds; 0 where the system does not report it.
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
