package strict_test

import (
	"runtime"
	"strings"
	"testing"
)

// TestDepthIsCountedBeforeParsing runs alone, because the memory of other tests would count, too.
// Without the limit 40 KB took 2.5 GB.
func TestDepthIsCountedBeforeParsing(t *testing.T) { //nolint:paralleltest // see above
	const most = 24 << 20
	for name, c := range map[string]struct{ text, line string }{
		"brackets":         {strings.Repeat("[", 40_000), "1:"},
		"closed again":     {"place: x\nlist: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), "2:"},
		"braces":           {strings.Repeat("{", 1<<20), "1:"},
		"a line each":      {strings.Repeat("[\n", 20_000), "33:"},
		"lists in lists":   {strings.Repeat("- ", 20_000), "1:"},
		"with their tabs":  {"place: x\n  " + strings.Repeat("-\t ", 20_000), "2:"},
		"behind a tag":     {"!a " + strings.Repeat("- ", 20_000), "1:"},
		"below a tagged":   {"place: x\nlist: !a " + strings.Repeat("- ", 20_000), "2:"},
		"each with a tag":  {strings.Repeat("- !t ", 20_000), "1:"},
		"behind a return":  {"# x\r" + strings.Repeat("- ", 20_000), "1:"},
		"behind brackets":  {strings.Repeat("[{", 20_000), "1:"},
		"behind a closing": {strings.Repeat("]", 100) + strings.Repeat("[", 20_000), "1:"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, d := decode(c.text)
		runtime.ReadMemStats(&after)
		err := d.Err("f")
		if err == nil || !strings.Contains(err.Error(), "nests more than 32 deep") || !strings.Contains(err.Error(), "\n  "+c.line) || d.Shaped() {
			t.Errorf("%s: %.200v", name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > most {
			t.Errorf("%s: %d MiB were taken", name, took>>20)
		}
	}
	for name, text := range map[string]string{
		"as deep as may be":  "list: " + strings.Repeat("[", 32) + strings.Repeat("]", 32),
		"many, none of them": strings.Repeat("- [a]\n- {b: c}\n", 5_000),
		"a line of dashes":   "# " + strings.Repeat("-", 200) + "\nplace: " + strings.Repeat("-", 200),
		"dashes in a text":   "place: a - b - c",
		"negative numbers":   strings.Repeat("- -1\n", 100),
	} {
		_, d := decode(text)
		if err := d.Err("f"); err != nil && strings.Contains(err.Error(), "deep") {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}
