package cli

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestGroupsOfCommands: help shows every command in its group, and no other command.
func TestGroupsOfCommands(t *testing.T) {
	t.Parallel()
	var out buffer
	if code := Main(t.Context(), []string{"--help"}, Env{Stdout: &out, Stderr: &out, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile}); code != codeFine {
		t.Fatalf("exit code %d\n%s", code, out.String())
	}
	shown := sections(out.String())
	for group, commands := range map[string]string{
		"Run": "sync serve backfill plan import", "Inspect": "status runs budget explain find export drift close read console", "Repair": "verify rebuild quarantine tombstones erase",
		"Set up":   "init config check authorize migrate resources organizations readers keys redact notifications events",
		"Generate": "dictionary metrics",
		"Other":    "completion health help version",
	} {
		want := strings.Fields(commands)
		slices.Sort(want)
		if got := shown[group]; !slices.Equal(got, want) {
			t.Errorf("help shows under %s: %q, want %q", group, got, want)
		}
		delete(shown, group)
	}
	delete(shown, "Usage")
	delete(shown, "Flags")
	if len(shown) > 0 {
		t.Errorf("help has further sections: %q", shown)
	}
}

// sections are the first words of the lines below each heading of a help text. It begins with the
// heading Usage.
func sections(help string) map[string][]string {
	_, help, _ = strings.Cut(help, "\nUsage:\n")
	words := map[string][]string{}
	heading := "Usage"
	for line := range strings.Lines(help) {
		switch title, found := strings.CutSuffix(strings.TrimRight(line, "\n"), ":"); {
		case found && !strings.HasPrefix(line, " "):
			heading = title
		case strings.HasPrefix(line, "  "):
			words[heading] = append(words[heading], strings.Fields(line)[0])
		}
	}
	return words
}
