package pins

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMaskHidesWhatVaries: what differs between two runs is masked, and nothing else.
func TestMaskHidesWhatVaries(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"synced 2026-11-28T13:20:10.123Z":                    "synced <time>",
		"synced 2026-11-28 13:20:10.1+00":                    "synced <time>",
		"due 2026-11-28":                                     "due 2026-11-28",
		"at 13:20":                                           "at <clock>",
		`"_call_id": 85, "page": 2`:                          `"_call_id": <number>, "page": 2`,
		`"_payload_hash": -8077335079852022645`:              `"_payload_hash": <number>`,
		`"records": 12, "took_ms": 1.5`:                      `"records": 12, "took_ms": <duration>`,
		`"bill_id": "460040000000004000"`:                    `"bill_id": "460040000000004000"`,
		"460040000000004000\n-807733507985202264":            "460040000000004000\n<digest>",
		"70 calls in 3 s: 103 new":                           "70 calls in <duration>: 103 new",
		"dial 127.0.0.1:40123":                               "dial <host>",
		"0123456789abcdef0123456789abcdef is not 0123abcd":   "<digest> is not 0123abcd",
		"/tmp/pins12/config.yaml and /dev/shm/x are folders": "<path> and <path> are folders",
	} {
		if diff := cmp.Diff(want, string(mask([]byte(text)))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestRenamesReplaceWholeWords: a file of renames makes an older version write the new words.
func TestRenamesReplaceWholeWords(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "renames")
	must(t, os.WriteFile(file, []byte("# old and new\nlook\tdeletion_check\nsluice.told\tsluice.trusted\n"), 0o600))
	renames, err := readRenames(file)
	must(t, err)
	p := &pinned{dir: t.TempDir(), renames: renames}
	must(t, p.write("rows/a.txt", []byte("look lookup sluice.told sluicextold\n")))
	text, err := os.ReadFile(filepath.Join(p.dir, "rows", "a.txt"))
	must(t, err)
	if want := "deletion_check lookup sluice.trusted sluicextold\n"; string(text) != want {
		t.Errorf("written %q, want %q", text, want)
	}
	must(t, os.WriteFile(file, []byte("\nlook deletion_check\n"), 0o600))
	if _, err := readRenames(file); err == nil || !strings.Contains(err.Error(), ":2: ") {
		t.Errorf("a line without a tab: %v, want the number of the line", err)
	}
}

// TestPagesOfAKind: addresses that differ in their variable parts are of one kind.
func TestPagesOfAKind(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"/runs/12":                      "/runs/*?",
		"/runs?before=4&stream=a":       "/runs?before&stream",
		"/r/inventory.bills/4600400000": "/r/*/*?",
		"/dictionary/inventory":         "/dictionary/inventory?",
	} {
		if got := kindOf(address); got != want {
			t.Errorf("%s is of kind %s, want %s", address, got, want)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
