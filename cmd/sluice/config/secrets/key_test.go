package secrets_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"sluice/cmd/sluice/config/secrets"
)

// canary is a secret that no message may hold.
const canary = "canary"

func TestEncryptionKey(t *testing.T) {
	t.Parallel()
	key := []byte("0123456789abcdefghijklmnopqrstuv") // 32 bytes
	for name, test := range map[string]struct{ value, want string }{
		"padded":       {value: "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY="},
		"unpadded":     {value: "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY"},
		"line end":     {value: "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=\n"},
		"missing":      {value: "", want: "is not set"},
		"not base64":   {value: canary + " §", want: "is not base64"},
		"short":        {value: base64.StdEncoding.EncodeToString([]byte(canary)), want: "holds 6 bytes and not 32"},
		"all the same": {value: strings.Repeat("A", 43), want: "repeats one byte"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := secrets.EncryptionKey(func(name string) (string, bool) { return test.value, name == "SLUICE_ENCRYPTION_KEY" })
			switch {
			case test.want == "" && (err != nil || !bytes.Equal(got, key)):
				t.Errorf("got %q, %v", got, err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) ||
				!strings.Contains(err.Error(), "openssl rand -base64 32")):
				t.Errorf("got %v, want %q", err, test.want)
			case err != nil && strings.Contains(err.Error(), canary):
				t.Errorf("the message holds the key: %v", err)
			}
		})
	}
	if _, err := secrets.EncryptionKey(func(string) (string, bool) { return "", false }); err == nil || !strings.Contains(err.Error(), "is not set") {
		t.Errorf("got %v", err)
	}
}
