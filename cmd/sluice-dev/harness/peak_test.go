package harness_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"sluice/cmd/sluice-dev/harness"
)

// asked tells the test's program that it is the child.
const asked = "BENCH_SAY_PEAK"

func TestPeakIsOfTheProcessAloneAndNotOfItsParent(t *testing.T) {
	t.Parallel()
	if os.Getenv(asked) != "" {
		most, err := harness.Peak()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stdout.WriteString("peak " + strconv.FormatInt(most, 10) + "\n"); err != nil {
			t.Fatal(err)
		}
		return
	}
	held := make([]byte, 256<<20)
	for i := 0; i < len(held); i += 4096 { // memory is resident, by pages, once it was touched
		held[i] = 1
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), asked+"=1")
	said, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(said), "peak ")
	child, err := strconv.ParseInt(strings.Fields(rest + " none")[0], 10, 64)
	if err != nil || child < 1<<20 || child > 128<<20 {
		t.Errorf("a child that holds nothing says %d bytes, %v", child, err)
	}
	if most, err := harness.Peak(); err != nil || most < int64(len(held)) {
		t.Errorf("with %d bytes in use the peak is %d, %v", len(held), most, err)
	}
}
