package secrets_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/check"
	"sluice/pipeline/engine/config/secrets"
)

// script writes a program, and returns its path.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	check.Must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700))
	return path
}

// environment is a source with these variables.
func environment(variables map[string]string) secrets.Source {
	return secrets.Source{Limit: time.Minute, Getenv: func(name string) (string, bool) {
		value, set := variables[name]
		return value, set
	}}
}

// TestCommand reads secrets that commands print: words are split at blanks, and no shell reads the
// line.
func TestCommand(t *testing.T) {
	t.Parallel()
	echo := script(t, `for word in "$@"; do printf '<%s>' "$word"; done; echo`)
	from := environment(map[string]string{"TWO": "a b;c"})
	for line, want := range map[string]string{
		`exec:` + echo + ` one two`:              "<one><two>",
		`exec: ` + echo + `  'one;two'  "$HOME"`: `<'one;two'><"$HOME">`,
		`exec:` + echo + ` -a=;|&`:               "<-a=;|&>",
	} {
		got, err := from.Secret(line)
		check.ErrorIf(t, err != nil || got.Reveal() != want, "%s: %q, %v, want %q", line, got.Reveal(), err, want)
	}
	// A variable is one word, whatever is in it.
	counts := script(t, `echo $#:"$1" | tr ' ' _`)
	got, err := from.Secret("exec:" + counts + " ${TWO}")
	check.ErrorIf(t, err != nil || got.Reveal() != "1:a_b;c", "a variable: %q, %v", got.Reveal(), err)
}

// TestACommandDoesNotGetTheSealingKey: a command gets the environment of the process, less the key.
func TestACommandDoesNotGetTheSealingKey(t *testing.T) {
	t.Setenv("SLUICE_ENCRYPTION_KEY", canary)
	t.Setenv("SLUICE_ENCRYPTION_KEY_FILE", canary)
	t.Setenv("VAULT_ADDRESS", "here")
	got, err := environment(nil).Secret("exec:" + script(t, `echo "$SLUICE_ENCRYPTION_KEY-$SLUICE_ENCRYPTION_KEY_FILE-$VAULT_ADDRESS"`))
	check.ErrorIf(t, err != nil || got.Reveal() != "--here", "%q, %v", got.Reveal(), err)
}

// TestCommandsThatFail: no message holds what a command said or was given.
func TestCommandsThatFail(t *testing.T) {
	t.Parallel()
	said := "echo " + canary + "; echo " + canary + " >&2; "
	for name, test := range map[string]struct{ line, want string }{
		"fails":            {script(t, said+"exit 7") + " ${CANARY}", "ended with exit status 7: run it by hand"},
		"is killed":        {script(t, said+"kill -9 $$"), "ended with signal: killed"},
		"hangs":            {script(t, said+"sleep 300"), "did not end within 3s, and was killed"},
		"leaves a child":   {script(t, said+"sleep 300 & exit 0"), "kept its output open"},
		"prints much":      {script(t, said+"head -c 100000 /dev/zero | tr '\\0' x"), "printed more than 65536 bytes"},
		"prints endlessly": {script(t, "yes "+canary), "printed more than 65536 bytes"},
		"prints two lines": {script(t, said+"echo "+canary) + " ${CANARY}", "holds spaces, line breaks or control characters"},
		"prints nothing":   {script(t, "exit 0"), "holds nothing but space"},
		"does not exist":   {"/nowhere/program ${CANARY}", "the command /nowhere/program did not start: no such file or directory"},
		"is relative":      {"vault kv get", "has to be an absolute path"},
		"is empty":         {"  ", "names no command"},
		"lacks a variable": {"/bin/echo ${NONE}", "the environment variable NONE is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := environment(map[string]string{"CANARY": canary})
			if name == "hangs" {
				from.Limit = 3 * time.Second
			}
			began := time.Now()
			got, err := from.Secret("exec:" + test.line)
			check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), canary),
				"%q, %v, want %q", got.Reveal(), err, test.want)
			took := time.Since(began)
			check.ErrorIf(t, took > 2*time.Minute, "it took %s", took)
		})
	}
}

// TestOneReadingRunsACommandOnce: two organizations with one command cost one run of it.
func TestOneReadingRunsACommandOnce(t *testing.T) {
	t.Parallel()
	count := filepath.Join(t.TempDir(), "count")
	line := "exec:" + script(t, `echo x >>"$1"; wc -l <"$1"`) + " " + count
	from := environment(nil)
	from.Reading = &secrets.Reading{}
	for range 2 {
		got, err := from.Secret(line)
		check.ErrorIf(t, err != nil || got.Reveal() != "1", "%q, %v", got.Reveal(), err)
	}
	other := filepath.Join(t.TempDir(), "other")
	_, err := from.Secret(strings.Replace(line, count, other, 1))
	check.ErrorIf(t, err != nil, "the program with another argument: %v", err)
	_, err = os.Stat(other)
	check.ErrorIf(t, err != nil, "the program was not run with another argument: %v", err)
	from.Reading = &secrets.Reading{}
	got, err := from.Secret(line)
	check.ErrorIf(t, err != nil || got.Reveal() != "2", "the next reading: %q, %v", got.Reveal(), err)
}

// TestCredential reads what systemd passes to a service.
func TestCredential(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		path := filepath.Join(folder, name)
		check.Must(t, errors.Join(os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)))
	}
	write("client_secret", "right\n", 0o400)
	write("open", canary, 0o444)
	from := environment(map[string]string{"CREDENTIALS_DIRECTORY": folder})
	from.Reading = &secrets.Reading{}
	if got, err := from.Secret("cred:client_secret"); err != nil || got.Reveal() != "right" {
		t.Errorf("%q, %v", got.Reveal(), err)
	}
	want := filepath.Join(folder, "client_secret")
	check.ErrorIf(t, len(from.Reading.Files) != 1 || from.Reading.Files[0] != want, "the files are %q, want %s", from.Reading.Files, want)
	for name, test := range map[string]struct {
		from secrets.Source
		raw  string
		want string
	}{
		"outside":    {from, "cred:../client_secret", "the name of a credential"},
		"hidden":     {from, "cred:.secret", "the name of a credential"},
		"empty":      {from, "cred:", "the name of a credential"},
		"missing":    {from, "cred:none", "no such file"},
		"readable":   {from, "cred:open", "all accounts may read"},
		"no service": {environment(nil), "cred:client_secret", "CREDENTIALS_DIRECTORY is not set"},
		"relative":   {environment(map[string]string{"CREDENTIALS_DIRECTORY": "here"}), "cred:client_secret", "absolute path"},
	} {
		_, err := test.from.Secret(test.raw)
		check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), canary),
			"%s: %v, want %q", name, err, test.want)
	}
	_, err := environment(nil).Secret("cred:client_secret")
	_, missing := errors.AsType[*secrets.MissingError](err)
	check.ErrorIf(t, !missing, "commands without a call do not work outside the service: %v", err)
}

// TestLinesOfTheDocument copies each line of docs/securing.md that runs a program, with another
// program in its place that shows its arguments: each arrives as it stands there, as one word.
func TestLinesOfTheDocument(t *testing.T) {
	t.Parallel()
	page := check.Sure(os.ReadFile("../../../../docs/securing.md"))(t)
	shows := script(t, `for word in "$@"; do printf '<%s>' "$word"; done`)
	lines := regexp.MustCompile("exec:(/usr/bin/[a-z]+) ([^`\n]+)").FindAllStringSubmatch(string(page), -1)
	const platforms = 4 // Vault, and three clouds
	check.FatalIf(t, len(lines) != platforms, "the document has %d lines, want %d", len(lines), platforms)
	for _, line := range lines {
		want := "<" + strings.Join(strings.Fields(line[2]), "><") + ">"
		got, err := environment(nil).Secret("exec:" + shows + " " + line[2])
		check.ErrorIf(t, err != nil || got.Reveal() != want, "%s: %q, %v, want %q", line[0], got.Reveal(), err, want)
	}
}
