package upstream_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/upstream"
)

// authority issues certificates that the client trusts.
type authority struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
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
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &a.key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert
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
			t.Parallel()
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
			t.Parallel()
			r := newFixture(t, answer(200, jsonType, twoAccounts), func(o *upstream.Options) {
				o.Transport.Dial = 300 * time.Millisecond
			})
			question := ask(1)
			question.Stream.Org = &pipeline.Organization{Key: home.Key, Addresses: pipeline.Addresses{API: address}}
			begun := time.Now()
			_, err := r.client.Page(t.Context(), question)
			r.mustFail(t, err, pipeline.Unavailable)
			if took := time.Since(begun); took > time.Minute {
				t.Errorf("it took %s", took)
			}
			if len(r.gate.entered) != 1 {
				t.Errorf("%d calls were counted", len(r.gate.entered))
			}
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
	if err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
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
