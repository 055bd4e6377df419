package chart

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// luminance is the relative luminance of WCAG 2 of a colour, #rgb or #rrggbb.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	hex := strings.TrimPrefix(colour, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestContrast: texts have a contrast of 4.5, marks one of 3, in light and in dark colours.
func TestContrast(t *testing.T) {
	t.Parallel()
	if c := contrast(t, "#fff", "#767676"); c < 4.54 || c > 4.55 {
		t.Fatalf("the contrast of white and #767676 is 4.54, not %f", c)
	}
	palettes := regexp.MustCompile(`\.chart\{(--bg[^}]*)\}`).FindAllStringSubmatch(CSS, -1)
	if len(palettes) != 2 {
		t.Fatalf("%d palettes", len(palettes))
	}
	for _, palette := range palettes {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--(\w+):(#[0-9a-f]+)`).FindAllStringSubmatch(palette[1], -1) {
			colours[m[1]] = m[2]
		}
		if len(colours) != 14 {
			t.Errorf("%d colours", len(colours))
		}
		least := map[string]float64{"fg": 4.5, "dim": 4.5, "bg": 0, "grid": 0}
		for name, colour := range colours {
			want, text := least[name]
			if !text {
				want = 3
			}
			if got := contrast(t, colour, colours["bg"]); got < want {
				t.Errorf("--%s %s on %s has a contrast of %.2f, want %.1f", name, colour, colours["bg"], got, want)
			}
		}
	}
}
