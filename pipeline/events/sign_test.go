package events_test

import (
	"strings"
	"testing"
	"time"

	"sluice/pipeline/events"
	"sluice/pipeline/upstream/wire"
)

// TestSignature holds signatures against the vector of the reference libraries of Standard
// Webhooks (libraries/go/webhook_test.go, TestWebhookSign, and the same in the other languages).
func TestSignature(t *testing.T) {
	t.Parallel()
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	of := key(t, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	sign := func(keys ...[]byte) string {
		return events.Signature(keys, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	}
	if signed := sign(of); signed != want {
		t.Errorf("signed %s, want %s", signed, want)
	}
	both := strings.Fields(sign(key(t, secret), of)) // during a rotation the newest key is the first
	if len(both) != 2 || both[1] != want || both[0] == want || !strings.HasPrefix(both[0], "v1,") {
		t.Errorf("signed by two keys %q, want the second one %s", both, want)
	}
}

// TestKeys refuses what is no secret, and says how to make one.
func TestKeys(t *testing.T) {
	t.Parallel()
	if read := key(t, secret); string(read) != secretKey {
		t.Errorf("read %q, want %q", read, secretKey)
	}
	for _, bad := range []string{
		"", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_not base64 at all!", "whsec_c2hvcnQ=", "whsk_c2x1aWNlLXRlc3RzLXNsdWljZS10ZXN0cy1zbHVpY2U=",
		"whsec_" + strings.Repeat("QUFB", 22), // 66 bytes
	} {
		if _, err := events.Key(wire.NewSecret(bad)); err == nil || !strings.Contains(err.Error(), "openssl rand") || len(bad) > 6 && strings.Contains(err.Error(), bad) {
			t.Errorf("%q: error %v, want one that says how to make a secret, and not the secret", bad, err)
		}
	}
}

// TestRetryAfter reads both forms of the header (RFC 9110, 10.2.3), and believes a day at most.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, "0": 0, "-5": 0, "soon": 0, "99999999": 24 * time.Hour, "999999999999999999999": 0,
		"Thu, 26 Nov 2026 10:00:30 GMT": 30 * time.Second, "Thu, 26 Nov 2026 09:00:00 GMT": 0, "Thu, 26 Nov 2093 09:00:00 GMT": 24 * time.Hour,
	} {
		if got := events.RetryAfter(header, now); got != want {
			t.Errorf("%q is %s, want %s", header, got, want)
		}
	}
}
