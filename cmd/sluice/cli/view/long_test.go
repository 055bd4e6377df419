package view_test

import (
	"bytes"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/view"
)

// written writes a line in so many pieces of half a kilobyte, and the begin of another one.
func written(tb testing.TB, pieces int) time.Duration {
	tb.Helper()
	var out bytes.Buffer
	outlet, piece, began := view.NewOutlet(&out, nil), bytes.Repeat([]byte("x"), 512), time.Now()
	for range pieces {
		if _, err := outlet.Write(piece); err != nil {
			tb.Fatal(err)
		}
	}
	if _, err := outlet.Write([]byte("\nrest")); err != nil || out.Len() != pieces*len(piece)+1 {
		tb.Errorf("%d bytes came out, %v", out.Len(), err)
	}
	took := time.Since(began)
	if err := outlet.Flush(); err != nil || !bytes.HasSuffix(out.Bytes(), []byte("x\nrest")) {
		tb.Errorf("at its end stands %q, %v", out.Bytes()[out.Len()-8:], err)
	}
	return took
}

func TestALongLineInPieces(t *testing.T) {
	t.Parallel()
	written(t, 2048)
}

// BenchmarkLongLine reports how much longer a line of 8 MB takes than one of 2 MB: 4 times if the
// time grows with the length, 16 times if with the square of it.
func BenchmarkLongLine(b *testing.B) {
	var short, long time.Duration
	for b.Loop() {
		short += written(b, 4<<10)
		long += written(b, 16<<10)
	}
	b.ReportMetric(float64(long)/float64(short), "4x-length")
}
