package oracle

import "testing"

// TestText compares undecoded strings with decoded ones.
func TestText(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`"bolt"`: "bolt", `" bolt "`: " bolt ", `""`: "", `"a\u0062\n"`: "ab\n", `"\""`: `"`, `"\ud800"`: "\ufffd", `"Łódź"`: "Łódź",
		"\"\xff\"": "\ufffd", "\"\x7f\"": "\x7f", ` "bolt"`: "bolt", `null`: "", `1.50`: "1.50", `-0`: "-0", `true`: "true", `{"a":1}`: `{"a":1}`,
		`["a"]`: `["a"]`, `"`: `"`, ``: ``,
	} {
		if got := text([]byte(raw)); got != want {
			t.Errorf("the text of %s is %q, want %q", raw, got, want)
		}
	}
}

func TestSameNumber(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"12", "12", true}, {"12", "12.0", true}, {"1e2", "100", true}, {"-3", "-3", true}, {"+3", "3", true}, {"007", "7", true}, {"12", "13", false},
		{"12.5", "12", false}, {"", "", false}, {"x", "x", false}, {"99999999999999999999", "99999999999999999999", true},
		{"99999999999999999999", "99999999999999999998", false},
	} {
		if got := sameNumber(test.a, test.b); got != test.want {
			t.Errorf("%s and %s are the same number: %t, want %t", test.a, test.b, got, test.want)
		}
	}
}
