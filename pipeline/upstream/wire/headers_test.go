package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

// TestFiguresOfHeadersAreBelievable: figures that no plan has are ignored. Each goes into a column
// of the call log, and a figure that did not fit there stopped every call.
func TestFiguresOfHeadersAreBelievable(t *testing.T) {
	t.Parallel()
	const fine = "1000"
	unbelievable := []string{
		"", " ", "-1", "1000000001", "2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "1e3", "1e30", "NaN", "Inf", "0x10",
		"1,000", "10.5", "99999999999999999999999999999999999999999999", "unlimited",
	}
	headers := func(limit, remaining, reset string) http.Header {
		header := http.Header{}
		header.Set("X-Rate-Limit-Limit", limit)
		header.Set("X-Rate-Limit-Remaining", remaining)
		header.Set("X-Rate-Limit-Reset", reset)
		return header
	}
	for _, text := range unbelievable {
		for _, header := range []http.Header{headers(text, fine, fine), headers(fine, text, fine), headers(fine, fine, text)} {
			limit, remaining, reset := wire.DayHeaders(header)
			check.ErrorIf(t, limit != 0 || remaining != 0 || reset != 0, "%v gives %d, %d, %v; want no figures", header, limit, remaining, reset)
		}
	}
	if limit, remaining, reset := wire.DayHeaders(headers("1000000000", "0", "172800")); limit != 1_000_000_000 || remaining != 0 || reset != 48*time.Hour {
		t.Errorf("the largest figures give %d, %d, %v", limit, remaining, reset)
	}
}

// TestRetryAfterIsBelievedForAnHour: one answer delays calls for at most an hour.
func TestRetryAfterIsBelievedForAnHour(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"1": time.Second, "3600": time.Hour, "3601": time.Hour, "86400": time.Hour, "86401": 0, "0": 0, "-1": 0, "": 0, "1e3": 0, "NaN": 0,
		"999999999": 0, "2147483648": 0, "9223372036854775808": 0, "Sat, 17 Jan 2026 12:00:30 GMT": 30 * time.Second,
		"Sat, 17 Jan 2026 18:00:00 GMT": time.Hour, "Fri, 31 Dec 9999 23:59:59 GMT": 0, "Sat, 17 Jan 2026 11:00:00 GMT": 0,
	} {
		check.Same(t, fmt.Sprintf("%q asks for", text), want, wire.RetryAfter(http.Header{"Retry-After": {text}}, now))
	}
}

func TestAnAgeBeyondNumbersIsOld(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "0": false, "60": false, "61": true, "2147483648": true, "99999999999999999999": true, "-1": false, "-99999999999999999999": false,
		"soon": false,
	} {
		check.Same(t, fmt.Sprintf("an age of %q is old", text), want, wire.Older(http.Header{"Age": {text}}, 60))
	}
}

// TestAStaleGrantIsNotSent: a process that was suspended between the grant and the first byte sends
// no request, at whichever point it was suspended.
func TestAStaleGrantIsNotSent(t *testing.T) {
	t.Parallel()
	granted := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	for name, jumps := range map[string]int64{"before connecting": 1, "while connecting": 2, "not at all": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var arrived, looked atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) }))
			defer server.Close()
			// The clock jumps just before it is read for the nth time.
			clock := func() time.Time {
				if looked.Add(1) >= jumps {
					return granted.Add(21 * time.Second)
				}
				return granted.Add(19 * time.Second)
			}
			door := wire.NewDoor(wire.Transport{Now: clock}, "")
			request := check.Sure(http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody))(t)
			err := door.Open(t.Context(), wire.Call{Op: "GET /", Granted: granted}, time.Minute, request, func(*wire.Reply) error { return nil })
			if stale := jumps < 3; stale != (pipeline.KindOf(err) == pipeline.Unavailable) || stale != (arrived.Load() == 0) {
				t.Errorf("open = %v, %d requests arrived", err, arrived.Load())
			}
		})
	}
}

func TestSecretNeverPrints(t *testing.T) {
	t.Parallel()
	secret := wire.NewSecret("canary")
	type hidden struct{ inner wire.Secret }
	values := []any{
		secret, &secret, []wire.Secret{secret}, map[string]wire.Secret{"k": secret}, struct{ S wire.Secret }{secret},
		hidden{secret}, &hidden{secret}, []any{secret},
	}
	var texts []string
	for _, value := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%X"} {
			texts = append(texts, fmt.Sprintf(verb, value))
		}
		encoded := check.Sure(json.Marshal(value))(t)
		texts = append(texts, string(encoded))
		for _, handler := range []func(*bytes.Buffer) slog.Handler{
			func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
			func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		} {
			var out bytes.Buffer
			slog.New(handler(&out)).Info("x", "value", value)
			texts = append(texts, out.String())
		}
	}
	texts = append(texts, fmt.Errorf("wrapped: %v", secret).Error(), secret.String(), secret.GoString())
	for _, text := range texts {
		check.ErrorIf(t, strings.Contains(text, "canary") || strings.Contains(text, fmt.Sprintf("%x", "canary")), "the secret prints: %q", text)
	}
	text, err := secret.MarshalText()
	check.ErrorIf(t, err != nil || string(text) != "[redacted]" || fmt.Sprint(secret) != "[redacted]", "text %q, %v", text, err)
	check.ErrorIf(t, secret.Reveal() != "canary" || (wire.Secret{}).Reveal() != "", "the secret is lost")
}

func TestAddress(t *testing.T) {
	t.Parallel()
	const auth = wire.HostAuth
	for _, tc := range []struct {
		base       string
		host       schema.Host
		dataCenter string
		want       string
	}{
		{"https://www.svcapis.com", schema.HostAPI, "com", "https://www.svcapis.com"},
		{"https://www.svcapis.com/", schema.HostAPI, "eu", "https://www.svcapis.eu"},
		{"https://www.svcapis.com", schema.HostAPI, "in", "https://www.svcapis.in"},
		{"https://www.svcapis.com", schema.HostAPI, "com.au", "https://www.svcapis.com.au"},
		{"https://www.svcapis.com", schema.HostAPI, "jp", "https://www.svcapis.jp"},
		{"https://www.svcapis.com", schema.HostAPI, "ca", "https://www.svcapis.ca"},
		{"https://www.svcapis.com", schema.HostAPI, "com.cn", "https://www.svcapis.com.cn"},
		{"https://www.svcapis.com", schema.HostAPI, "sa", "https://www.svcapis.sa"},
		{"https://chat.svc.com", schema.HostChat, "uk", "https://chat.svc.uk"},
		{"https://chat.svc.com", schema.HostChat, "cn", "https://chat.svc.cn"},
		{"https://chat.svc.com", schema.HostChat, "com.cn", "https://chat.svc.cn"},
		{"https://accounts.svc.com", auth, "com.cn", "https://accounts.svc.com.cn"},
		{"https://accounts.svc.com:8443/x", auth, "eu", "https://accounts.svc.eu:8443/x"},
		{"https://WWW.SVC.COM", schema.HostAPI, "eu", "https://www.svc.eu"},
		{"https://chat.svccloud.ca", schema.HostChat, "ca", "https://chat.svccloud.ca"},
		{"https://www.svcapis.eu", schema.HostAPI, "eu", "https://www.svcapis.eu"},
		{"https://my.com.eu.com", schema.HostAPI, "eu", "https://my.com.eu.eu"},
		{"http://127.0.0.1:8080", schema.HostAPI, "com", "http://127.0.0.1:8080"},
		{"http://[::1]:8080/x/", schema.HostChat, "com", "http://[::1]:8080/x"},
		{"http://localhost:1", schema.HostAPI, "com", "http://localhost:1"},
		{"https://10.1.2.3", schema.HostAPI, "com", "https://10.1.2.3"},
		// Refused.
		{"http://www.svcapis.com", schema.HostAPI, "com", ""},
		{"https://www.svcapis.com", schema.HostAPI, "moon", ""},
		{"https://www.svcapis.com", schema.HostAPI, "", ""},
		{"https://www.svcapis.com", schema.HostAPI, "uk", ""},
		{"https://chat.svc.com", schema.HostChat, "ca", ""},
		{"https://accounts.svc.com", auth, "ca", ""},
		{"https://www.svcapis.com.evil.test", schema.HostAPI, "eu", ""},
		{"https://www.svcapis.com.evil.test", schema.HostAPI, "com", ""},
		{"https://www.svcapis.eu", schema.HostAPI, "com", ""},
		{"https://www.svcapis.com.", schema.HostAPI, "com", ""},
		{"https://user:canary@www.svcapis.com", schema.HostAPI, "com", ""},
		{"https://www.svcapis.com@evil.test", schema.HostAPI, "com", ""},
		{"https://www.svcapis.com?x=canary", schema.HostAPI, "com", ""},
		{"https://www.svcapis.com#canary", schema.HostAPI, "com", ""},
		{"https:///canary", schema.HostAPI, "com", ""},
		{"ftp://www.svcapis.com", schema.HostAPI, "com", ""},
		{"http://127.0.0.1.evil.test", schema.HostAPI, "com", ""},
		{"http://10.1.2.3", schema.HostAPI, "com", ""},
		{"http://127.0.0.1:8080", schema.HostAPI, "in", ""},
		{"://canary", schema.HostAPI, "com", ""},
		{"", schema.HostAPI, "com", ""},
	} {
		got, err := wire.Address(tc.base, tc.host, tc.dataCenter)
		check.ErrorIf(t, got != tc.want || (err != nil) != (tc.want == ""),
			"Address(%q, %d, %q) = %q, %v; want %q", tc.base, tc.host, tc.dataCenter, got, err, tc.want)
		check.ErrorIf(t, err != nil && strings.Contains(err.Error(), "canary"), "the error prints the address: %v", err)
	}
}
