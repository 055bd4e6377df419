package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDemoKeep runs the demo until it keeps running, and then other commands with only the lines
// that it printed.
func TestDemoKeep(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var out, errs buffer
	ended := make(chan int, 1)
	go func() {
		ended <- Main(ctx, []string{"demo", "--keep", "--records", "200"}, Env{
			Stdout: &out, Stderr: &errs, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now,
		})
	}()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !strings.Contains(out.String(), "export SLUICE_ENCRYPTION_KEY=") {
		select {
		case code := <-ended:
			t.Fatalf("the demo ended with %d:\n%s\n%s", code, out.String(), errs.String())
		case <-ticker.C:
		}
	}
	environment := map[string]string{}
	for line := range strings.Lines(out.String()) {
		if export, found := strings.CutPrefix(strings.TrimSpace(line), "export "); found {
			name, value, _ := strings.Cut(export, "=")
			environment[name] = strings.Trim(value, "'")
		}
	}
	for command, says := range map[string]string{
		"status": "inventory.bills", "check": "Sandbox Trading", "runs": "done", "sync inventory.items": "records read with", "migrate": "up to date",
	} {
		var stdout, stderr buffer
		code := Main(t.Context(), strings.Fields(command), Env{
			Stdout: &stdout, Stderr: &stderr, ReadFile: os.ReadFile, Now: time.Now,
			LookupEnv: func(name string) (string, bool) {
				value, ok := environment[name]
				return value, ok
			},
		})
		if code != codeFine || !strings.Contains(stdout.String(), says) {
			t.Errorf("%s: exit code %d, want 0 and %q\n%s%s", command, code, says, stdout.String(), stderr.String())
		}
	}
	info, err := os.Stat(environment["SLUICE_CONFIG"])
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the configuration has mode %o", info.Mode().Perm())
	}
	interrupt()
	if code := <-ended; code != codeFine {
		t.Errorf("the demo ended with %d:\n%s", code, errs.String())
	}
	if left, err := os.Stat(filepath.Dir(environment["SLUICE_CONFIG"])); err == nil {
		t.Errorf("%s is left behind", left.Name())
	}
}
