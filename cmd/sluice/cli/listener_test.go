package cli

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestServeSurvivesAClosedLog: the reader of standard error ends, and the work goes on.
func TestServeSurvivesAClosedLog(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 63, Records: 20, Limits: sandbox.Limits{Off: true}}).narrow()
	reader, writer, err := os.Pipe()
	must(t, err)
	p := s.startOn(writer, "serve", "--listen", "127.0.0.1:0")
	must(t, writer.Close())
	// The first line says that it serves; from then on its standard error has no reader.
	lines, heard := bufio.NewReader(reader), ""
	for !strings.Contains(heard, `"serving"`) {
		if heard, err = lines.ReadString('\n'); err != nil {
			t.Fatalf("the log ended: %v", err)
		}
	}
	must(t, reader.Close())
	s.until("runs ended of which the log has a line", `SELECT count(*) >= 3 FROM sluice.runs WHERE ended_at > clock_timestamp() - interval '1 minute'`)
	select {
	case <-p.done:
		t.Fatalf("serve ended with %d", p.code)
	default:
	}
	p.terminate()
	p.ends(codeFine, stopLimit)
	if strings.Contains(p.stdout.String(), "panic") {
		t.Error(p.stdout.String())
	}
}
