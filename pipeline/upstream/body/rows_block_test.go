package body_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"sluice/pipeline/upstream/body"
)

// TestRowsStayWhatTheyWere: objects are cut from blocks. Later objects do not change an object that
// was given, however long or escaped they are.
func TestRowsStayWhatTheyWere(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	var want []string
	for i := range 3000 {
		text := fmt.Sprintf("row %d ", i) + strings.Repeat([]string{"x", "\\", "\x01", `""`, "\x80"}[i%5], (i*37)%400)
		if i%1000 == 999 {
			text += strings.Repeat("\\", 200_000) // larger than any block, and twice as large when escaped
		}
		fmt.Fprintf(&lines, "%d,\"%s\"\n", i, text)
		want = append(want, strings.ReplaceAll(text, `""`, `"`))
	}
	rows, _, err := body.NewRows(strings.NewReader(lines.String()), []string{"id", "text"})
	if err != nil {
		t.Fatal(err)
	}
	var got [][]byte
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row)
	}
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range got {
		var fields map[string]string
		if err := json.Unmarshal(got[i], &fields); err != nil {
			t.Fatal(i, err)
		}
		if fields["id"] != fmt.Sprint(i) || fields["text"] != strings.ToValidUTF8(want[i], "\uFFFD") && i%5 != 4 {
			t.Fatalf("row %d is %.60q, want %.60q", i, fields["text"], want[i])
		}
		if cap(got[i]) != len(got[i]) {
			t.Fatalf("row %d has room behind it: appending to it would write into the next", i)
		}
	}
}
