package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/width"

	"sluice/cmd/sluice/cli/view"
)

// word returns a text of others in one line, without the characters that turn the direction of what
// follows.
func word(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x61c:
			return -1
		case r == '\n' || r == '\r' || r == '\t' || r == 0x2028 || r == 0x2029:
			return ' '
		}
		return r
	}, text)
}

// name returns a text of others as a part of a sentence: written from right to left, it turns only
// itself.
func name(text string) string { return isolated(word(text)) }

// The characters between which the direction of a text is its own.
const (
	isolate    = '\u2068'
	isolateEnd = '\u2069'
)

// isolated encloses a text that has letters written from right to left.
func isolated(text string) string {
	for _, r := range text {
		if r == isolate {
			return text
		}
		if r < 0x590 {
			continue
		}
		if kind, _ := bidi.LookupRune(r); kind.Class() == bidi.R || kind.Class() == bidi.AL {
			return string(isolate) + text + string(isolateEnd)
		}
	}
	return text
}

// advance estimates the width of a letter of 12 units, rather too wide than too narrow: the fonts
// of readers differ.
func advance(r rune) float64 {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case strings.ContainsRune("iljtfrI.,:;'|!()[] ", r):
		return 4.6
	case strings.ContainsRune("mwMW@%", r):
		return 11
	case r < 0x590 && (unicode.IsUpper(r) || unicode.IsDigit(r)):
		return 7.9
	case r < 0x2000:
		return 7.3
	}
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 12.5
	}
	return 10
}

// lengthOf estimates the width of a text.
func lengthOf(text string) float64 {
	sum := 0.0
	for _, r := range text {
		sum += advance(r)
	}
	return sum
}

// fit returns the text, cut and with an ellipsis if it is longer than the room.
func fit(text string, room float64) string {
	const ellipsis = 10
	sum, cut := 0.0, 0
	for i, r := range text {
		if sum+ellipsis <= room {
			cut = i
		}
		if sum += advance(r); sum > room {
			return strings.TrimRight(text[:cut], " ") + "…"
		}
	}
	return text
}

// span writes a duration in at most two units: 41 min, 1 h 35 min, 12 d.
func span(d time.Duration) string {
	d = max(d, 0)
	two := func(big, small time.Duration, bigName, smallName string) string {
		whole, rest := d/big, d%big/small
		if rest == 0 || whole >= 10 {
			return fmt.Sprintf("%s %s", view.Count(whole), bigName)
		}
		return fmt.Sprintf("%d %s %d %s", whole, bigName, rest, smallName)
	}
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return two(time.Minute, time.Second, "min", "s")
	case d < 24*time.Hour:
		whole, rest := d/time.Hour, d%time.Hour/time.Minute
		if rest == 0 {
			return fmt.Sprintf("%d h", whole)
		}
		return fmt.Sprintf("%d h %d min", whole, rest)
	default:
		return two(24*time.Hour, time.Hour, "d", "h")
	}
}

// add adds counts; what is negative counts as none, and a sum too large is the largest number.
func add(counts ...int) int {
	sum := 0
	for _, n := range counts {
		if n = max(n, 0); sum > math.MaxInt-n {
			return math.MaxInt
		}
		sum += n
	}
	return sum
}

// power writes a multiple of a power of ten for an axis: 20,000 in full, 3×10¹² above a billion.
func power(multiple, exponent int) string {
	if value := float64(multiple) * math.Pow10(exponent); value < 1e9 {
		return view.Count(int(value))
	}
	for multiple%10 == 0 && multiple > 0 {
		multiple, exponent = multiple/10, exponent+1
	}
	superscript := strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")
	return fmt.Sprintf("%d×10%s", multiple, superscript.Replace(strconv.Itoa(exponent)))
}
