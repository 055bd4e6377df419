package view_test

import (
	"bytes"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/view"
)

// TestALongLineInPieces: the time for a line of many pieces grows with its length, not with the
// square of it. At 16 MB the square took a minute.
func TestALongLineInPieces(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	outlet, piece, began := view.NewOutlet(&out, nil), bytes.Repeat([]byte("x"), 512), time.Now()
	for range 32 << 10 {
		if _, err := outlet.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := outlet.Write([]byte("\nrest")); err != nil || out.Len() != 16<<20+1 {
		t.Errorf("%d bytes came out, %v", out.Len(), err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	if err := outlet.Flush(); err != nil || !bytes.HasSuffix(out.Bytes(), []byte("x\nrest")) {
		t.Errorf("at its end stands %q, %v", out.Bytes()[out.Len()-8:], err)
	}
}
