package upstream_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/sync"
	"sluice/pipeline/upstream"
	"sluice/pipeline/upstream/token"
)

var _ sync.Source = (*upstream.Client)(nil)

func TestPageGivesRecordsAsTheyCame(t *testing.T) {
	r := newFixture(t, answer(200, "application/json;charset=UTF-8", twoAccounts,
		"Date", "Sat, 17 Jan 2026 11:59:58 GMT",
		"X-Rate-Limit-Limit", "2000", "X-Rate-Limit-Remaining", "1999", "X-Rate-Limit-Reset", "3600"))
	page := r.page(t, ask(1))
	want := pipeline.Page{
		Call: 1, Date: time.Date(2026, 1, 17, 11, 59, 58, 0, time.UTC), More: true, PerPage: 200,
		Records: [][]byte{[]byte(`{"account_id":"1","name":"Kasse"}`), []byte(`{"account_id":"2"}`)},
	}
	check.Same(t, "", want, page)
	wantCalls := []pipeline.Call{{
		Organization: "60012345678", Service: "accounting", Resource: "chart_of_accounts", Class: pipeline.ClassIncremental,
		Run: 42, Method: "GET", Path: "/books/v3/chartofaccounts", Endpoint: "/chartofaccounts", Page: 1,
	}}
	check.Same(t, "", wantCalls, r.gate.entered)
	wantLeft := []pipeline.CallResult{{
		Status: 200, Code: "0", Bytes: int64(len(twoAccounts)), Records: 2,
		DayLimit: 2000, DayRemaining: 1999, DayReset: time.Hour,
	}}
	check.Same(t, "", wantLeft, r.gate.left)
}

func TestTheRequestIsTheDocumentsRequest(t *testing.T) {
	r := newFixture(t, answer(200, "application/json", twoAccounts))
	question := ask(1)
	question.Since = time.Date(2026, 1, 17, 9, 57, 23, 0, time.UTC)
	question.Sort, question.Order = "account_name", "A"
	r.page(t, question)
	got := r.seen()[0]
	const want = "filter_by=AccountType.All&last_modified_time=2026-01-17T15%3A27%3A23%2B0530&organization_id=60012345678" +
		"&page=1&per_page=200&sort_column=account_name&sort_order=A"
	check.ErrorIf(t, got.URL.RawQuery != want || got.URL.Path != "/books/v3/chartofaccounts" || got.Method != http.MethodGet,
		"request %s %s?%s, want the query %s", got.Method, got.URL.Path, got.URL.RawQuery, want)
	for name, value := range map[string]string{
		"Authorization": "Svc-oauthtoken " + canaryToken, "Accept": "application/json", "Content-Type": "", "Referer": "",
		"Cache-Control": "no-cache", "User-Agent": "sluice", "Content-Length": "", "Transfer-Encoding": "",
	} {
		check.ErrorIf(t, got.Header.Get(name) != value, "header %s is %q, want %q", name, got.Header.Get(name), value)
	}
	check.ErrorIf(t, len(got.TransferEncoding) != 0 || got.ContentLength != 0,
		"the request has a body: %v, %d", got.TransferEncoding, got.ContentLength)
}

func TestTheOrganizationGoesWhereTheServiceWantsIt(t *testing.T) {
	r := newFixture(t, answer(200, "application/json", `{"code":0,"currencies":[]}`))
	value, err := r.client.Get(t.Context(), invoicing, home, "/settings/currencies", map[string]string{"a": "b"}, "currencies")
	check.FatalIf(t, err != nil || string(value) != "[]", "Get = %s, %v", value, err)
	got := r.seen()[0]
	check.ErrorIf(t, got.Header.Get("X-Com-Svc-Invoice-Organizationid") != "60012345678" || got.URL.RawQuery != "a=b",
		"header %v, query %s", got.Header, got.URL.RawQuery)
	check.ErrorIf(t, r.gate.entered[0].Resource != "currencies" || r.gate.entered[0].Class != pipeline.ClassProbe,
		"call %+v", r.gate.entered[0])
}

func TestAFilterWithoutADeclarationIsRefused(t *testing.T) {
	r := newFixture(t, answer(200, "application/json", twoAccounts))
	question := ask(1)
	question.Since = noon
	other := *accounts
	other.Cursor = nil
	question.Stream.Resource = &other
	r.refused(t, question, pipeline.Unexpected)
	check.Same(t, "the list was asked for nevertheless", 0, len(r.seen()))
}

func TestBaseURLReplacesHostAndRoot(t *testing.T) {
	r := newFixture(t, answer(200, "application/json", twoAccounts), func(o *upstream.Options) {
		o.Vendor.API = "https://www.nowhere.invalid"
	})
	base := map[string]string{"accounting": r.server.URL + "/copy/v9/", "inventory": "http://inventory.example.com"}
	question := ask(1)
	question.Stream.Org = &pipeline.Organization{Key: home.Key, ID: home.ID, DataCenter: "in", BaseURLs: base}
	r.page(t, question)
	check.Same(t, "path", "/copy/v9/chartofaccounts", r.seen()[0].URL.Path)
	base["accounting"] = "http://books.example.com/v9"
	r.refused(t, question, pipeline.Denied)
	base["accounting"] = ""
	r.refused(t, question, pipeline.Denied)
}

func TestARefusedCallNeverLeaves(t *testing.T) {
	r := newFixture(t, answer(200, "application/json", twoAccounts))
	refusal := &pipeline.Error{Kind: pipeline.Exhausted, Until: noon.Add(time.Hour)}
	r.gate.refuse = refusal
	if _, err := r.client.Page(t.Context(), ask(1)); !errors.Is(err, refusal) {
		t.Errorf("Page = %v, want the gate's refusal", err)
	}
	down := errors.New("no connection")
	r.gate.refuse = down
	_, err := r.client.Page(t.Context(), ask(1))
	if r.mustFail(t, err, pipeline.Unavailable); !errors.Is(err, down) {
		t.Errorf("Page = %v, want the gate's error inside", err)
	}
	check.Same(t, "calls left uncounted", 0, len(r.seen()))
}

func TestACallThatCannotBeNotedFails(t *testing.T) {
	r := newFixture(t, answer(200, "application/json", twoAccounts))
	r.gate.leaveErr = errors.New("no connection")
	r.refused(t, ask(1), pipeline.Unavailable)
}

func TestCheck(t *testing.T) {
	r := newFixture(t, func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.Path {
		case "/books/v3/organizations":
			answer(200, "application/json", `{"code":0,"organizations":[{"organization_id":"60012345678"}]}`)(w, q)
		case "/maintenanceapi/v2/chats":
			answer(200, "text/csv", "chat_id\n1\n")(w, q)
		default:
			answer(404, "application/json", `{"code":5}`)(w, q)
		}
	})
	if err := r.client.Check(t.Context(), home, accounting); err != nil {
		t.Error(err)
	}
	if err := r.client.Check(t.Context(), home, chat); err != nil {
		t.Error(err)
	}
	wrong := *accounting
	wrong.Probe.Key = "businesses"
	err := r.client.Check(t.Context(), home, &wrong)
	r.mustFail(t, err, pipeline.Unexpected)
	wrong.Probe.Path = "/elsewhere"
	err = r.client.Check(t.Context(), home, &wrong)
	r.mustFail(t, err, pipeline.Unexpected)
}

func TestNewDemandsItsOptions(t *testing.T) {
	t.Parallel()
	_, err := upstream.New(upstream.Options{})
	check.ErrorIf(t, err == nil, "New without options succeeded")
	_, err = token.New(token.Options{})
	check.ErrorIf(t, err == nil, "NewTokens without options succeeded")
}

// TestNoRequestIsSentTwice: net/http repeats a GET by itself when a reused connection dies (faults
// H10). The server must never see more requests than were counted.
func TestNoRequestIsSentTwice(t *testing.T) {
	var arrived atomic.Int32
	r := newFixture(t, nil)
	r.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if number := arrived.Add(1); number%2 == 0 { // the second request, if the connection were kept
			raw("")(w, q)
			return
		}
		answer(200, "application/json", twoAccounts)(w, q)
	})
	for range 6 {
		_, err := r.client.Page(t.Context(), ask(1))
		r.mustBeClean(t, err)
	}
	check.ErrorIf(t, arrived.Load() != 6 || len(r.gate.entered) != 6,
		"%d requests arrived, %d were counted, 6 were made", arrived.Load(), len(r.gate.entered))
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	touched := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { touched = true }))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		r := makeFixture(t, answer(status, "", "", "Location", elsewhere.URL+"/?t="+canaryToken))
		failure := r.refused(t, ask(1), pipeline.Unexpected)
		check.Same(t, "detail", "a redirect to host 127.0.0.1, not followed", failure.Detail)
	}
	check.ErrorIf(t, touched, "a redirect was followed")
}

// authority issues certificates that the client trusts.
type authority struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key := check.Sure(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	a := &authority{t: t, key: key}
	a.cert = a.issue(&x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}, nil)
	return a
}

// issue signs a certificate for the authority's own key; without a parent it is self-signed.
func (a *authority) issue(template, parent *x509.Certificate) *x509.Certificate {
	a.t.Helper()
	if parent == nil {
		parent = template
	}
	der := check.Sure(x509.CreateCertificate(rand.Reader, template, parent, &a.key.PublicKey, a.key))(a.t)
	return check.Sure(x509.ParseCertificate(der))(a.t)
}

// TestCertificatesThatAreNotValid: a trusted authority is not enough. A certificate has to be valid
// now and for the host, and the protocol has to be one that we accept (faults H17).
func TestCertificatesThatAreNotValid(t *testing.T) {
	t.Parallel()
	loopback := net.IPv4(127, 0, 0, 1)
	for name, tc := range map[string]struct {
		hosts    []net.IP
		names    []string
		from, to time.Duration
		version  uint16
		good     bool
	}{
		"a good one":      {hosts: []net.IP{loopback}, from: -time.Hour, to: time.Hour, good: true},
		"TLS 1.2":         {hosts: []net.IP{loopback}, from: -time.Hour, to: time.Hour, version: tls.VersionTLS12, good: true},
		"TLS 1.1":         {hosts: []net.IP{loopback}, from: -time.Hour, to: time.Hour, version: tls.VersionTLS11},
		"expired":         {hosts: []net.IP{loopback}, from: -2 * time.Hour, to: -time.Hour},
		"not yet valid":   {hosts: []net.IP{loopback}, from: time.Hour, to: 2 * time.Hour},
		"of another host": {names: []string{"api.example"}, from: -time.Hour, to: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			now := time.Now()
			cert := a.issue(&x509.Certificate{
				SerialNumber: big.NewInt(2), NotBefore: now.Add(tc.from), NotAfter: now.Add(tc.to), IPAddresses: tc.hosts, DNSNames: tc.names,
				ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
			}, a.cert)
			server := httptest.NewUnstartedServer(answer(200, jsonType, twoAccounts))
			server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes fail on purpose
			server.TLS = &tls.Config{
				Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: a.key}},
				MinVersion:   tls.VersionTLS10, MaxVersion: tc.version,
			}
			server.StartTLS()
			defer server.Close()
			roots := x509.NewCertPool()
			roots.AddCert(a.cert)
			r := newFixture(t, answer(200, jsonType, twoAccounts), func(o *upstream.Options) {
				o.Vendor.API, o.Transport.RootCAs = server.URL, roots
			})
			_, err := r.client.Page(t.Context(), ask(1))
			if tc.good {
				if err != nil {
					t.Error(err)
				}
				return
			}
			r.mustFail(t, err, pipeline.Unavailable)
		})
	}
}

// TestNobodyAnswersTheDoor: names that do not resolve, and addresses that do not answer, end the
// call (faults H16).
func TestNobodyAnswersTheDoor(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{
		"no such name":      "https://nobody.invalid",
		"swallowed packets": "http://" + swallowing(t),
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, answer(200, jsonType, twoAccounts), func(o *upstream.Options) {
				o.Transport.Dial = 300 * time.Millisecond
			})
			question := ask(1)
			question.Stream.Org = &pipeline.Organization{Key: home.Key, Addresses: pipeline.Addresses{API: address}}
			begun := time.Now()
			r.refused(t, question, pipeline.Unavailable)
			took := time.Since(begun)
			check.ErrorIf(t, took > time.Minute, "it took %s", took)
			check.Same(t, "calls were counted", 1, len(r.gate.entered))
		})
	}
}

// swallowing listens on an address and never accepts a connection: when its queue is full, a client
// gets no answer.
func swallowing(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		t.Cleanup(func() { _ = syscall.Close(fd) })
		err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err == nil {
		err = syscall.Listen(fd, 0)
	}
	check.Must(t, err)
	bound := check.Sure(syscall.Getsockname(fd))(t)
	address := fmt.Sprintf("127.0.0.1:%d", bound.(*syscall.SockaddrInet4).Port)
	for range 16 {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			return address
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	t.Fatal("its queue does not fill")
	return ""
}
