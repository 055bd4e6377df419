package secrets_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sluice/pipeline/check"
	"sluice/pipeline/engine/config/secrets"
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
		"not base64":   {value: canary + "§", want: "is not base64"},
		"short":        {value: base64.StdEncoding.EncodeToString([]byte(canary)), want: "holds 6 bytes and not 32"},
		"all the same": {value: strings.Repeat("A", 43), want: "repeats one byte"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := secrets.Source{Getenv: func(name string) (string, bool) {
				if name != "SLUICE_ENCRYPTION_KEY" {
					return "", false
				}
				return test.value, true
			}}
			got, err := from.EncryptionKeys()
			switch {
			case test.want == "" && (err != nil || len(got) != 1 || !bytes.Equal(got[0], key)):
				t.Errorf("got %q, %v", got, err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) ||
				!strings.Contains(err.Error(), "openssl rand -base64 32")):
				t.Errorf("got %v, want %q", err, test.want)
			case err != nil && strings.Contains(err.Error(), canary):
				t.Errorf("the message holds the key: %v", err)
			}
		})
	}
}

// keyed returns a source whose environment has a key, the path of a file with keys, or both.
func keyed(key, path string) secrets.Source {
	return secrets.Source{Getenv: func(name string) (string, bool) {
		value, ok := map[string]string{"SLUICE_ENCRYPTION_KEY": key, "SLUICE_ENCRYPTION_KEY_FILE": path}[name]
		return value, ok && value != ""
	}}
}

// TestEncryptionKeys reads several keys from the variable and from a file, in their order.
func TestEncryptionKeys(t *testing.T) {
	t.Parallel()
	const one, two = "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=", "dnV0c3JxcG9ubWxramloZ2ZlZGNiYTk4NzY1NDMyMTA="
	want := [][]byte{[]byte("0123456789abcdefghijklmnopqrstuv"), []byte("vutsrqponmlkjihgfedcba9876543210")}
	file := func(mode os.FileMode, text string) string {
		path := filepath.Join(t.TempDir(), "key")
		check.Must(t, errors.Join(os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)))
		return path
	}
	for name, from := range map[string]secrets.Source{
		"comma": keyed(one+","+two, ""), "comma and blank": keyed(" "+one+" , "+two+" ", ""), "file": keyed("", file(0o600, one+"\n"+two+"\n")),
		"file of a mount": keyed("", file(0o440, one+"\r\n"+two)),
	} {
		got, err := from.EncryptionKeys()
		check.ErrorIf(t, err != nil || !slices.EqualFunc(got, want, bytes.Equal), "%s: %q, %v", name, got, err)
	}
	open := file(0o606, one)
	pipe := filepath.Join(t.TempDir(), "pipe")
	check.Must(t, syscall.Mkfifo(pipe, 0o600))
	for name, test := range map[string]struct {
		from secrets.Source
		want string
	}{
		"none":           {keyed("", ""), "SLUICE_ENCRYPTION_KEY is not set"},
		"both":           {keyed(one, file(0o600, one)), "both set: remove one"},
		"relative":       {keyed("", "key"), "absolute path"},
		"missing":        {keyed("", "/nowhere/key"), "/nowhere/key"},
		"empty file":     {keyed("", file(0o600, "\n")), "holds no key"},
		"writable":       {keyed("", open), "(mode 0606): run `chmod go-w " + open + "`"},
		"pipe":           {keyed("", pipe), "is not a regular file"},
		"huge":           {keyed("", file(0o600, strings.Repeat(one+"\n", 2000))), "larger than 65536 bytes"},
		"a bad second":   {keyed(one+","+canary+"§", ""), "SLUICE_ENCRYPTION_KEY is not base64"},
		"a short second": {keyed("", file(0o600, one+"\nY2FuYXJ5")), "holds 6 bytes and not 32"},
	} {
		if _, err := test.from.EncryptionKeys(); err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
