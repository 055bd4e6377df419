package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

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
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
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
		if strings.Contains(text, "canary") || strings.Contains(text, fmt.Sprintf("%x", "canary")) {
			t.Errorf("the secret prints: %q", text)
		}
	}
	if text, err := secret.MarshalText(); err != nil || string(text) != "[redacted]" || fmt.Sprint(secret) != "[redacted]" {
		t.Errorf("text %q, %v", text, err)
	}
	if secret.Reveal() != "canary" || (wire.Secret{}).Reveal() != "" {
		t.Error("the secret is lost")
	}
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
		if got != tc.want || (err != nil) != (tc.want == "") {
			t.Errorf("Address(%q, %d, %q) = %q, %v; want %q", tc.base, tc.host, tc.dataCenter, got, err, tc.want)
		}
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("the error prints the address: %v", err)
		}
	}
}
