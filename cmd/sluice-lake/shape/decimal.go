package shape

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// The binary form of numeric: four numbers of two bytes (how many digits, the weight of the first
// one, the sign, how many decimals are shown), then digits to the base of 10,000. Source:
// PostgreSQL, src/backend/utils/adt/numeric.c, numeric_send.
const (
	numericHead     = 8
	numericNegative = 0x4000
	numericSpecial  = 0xC000 // NaN and the infinities, which records cannot have
	base            = 10_000
	baseDigits      = 4
)

// Decimal reads a numeric in the binary form of Postgres, and says whether it fits.
func Decimal(raw []byte) (decimal128.Num, bool, error) {
	var number decimal128.Num
	if len(raw) < numericHead || len(raw) != numericHead+2*int(binary.BigEndian.Uint16(raw)) {
		return number, false, errWire
	}
	weight, sign := weightAndSign(raw)
	if sign&numericSpecial == numericSpecial {
		return number, false, nil
	}
	digits := raw[numericHead:]
	var high, low uint64
	var fits bool
	// The exponent of the last digit, counted in units of 10^-Scale: 18 is no multiple of 4, so the
	// digits are shifted together at the end, and cut where zeros stand behind the scale.
	exponent := (weight+1-len(digits)/2)*baseDigits + Scale
	for len(digits) > 0 && exponent < 0 && digits[len(digits)-1] == 0 && digits[len(digits)-2] == 0 {
		digits, exponent = digits[:len(digits)-2], exponent+baseDigits
	}
	for i := 0; i < len(digits); i += 2 {
		next := uint64(binary.BigEndian.Uint16(digits[i:]))
		by := uint64(base)
		if i == len(digits)-2 && exponent < 0 {
			if exponent < -baseDigits { // digits that are not zero stand behind the scale
				return number, false, nil
			}
			cut := pow10(-exponent)
			if next%cut != 0 {
				return number, false, nil
			}
			next, by, exponent = next/cut, by/cut, 0
		}
		if high, low, fits = multiply(high, low, by, next); !fits {
			return number, false, nil
		}
	}
	if len(digits) == 0 {
		return number, true, nil
	}
	for ; exponent > 0; exponent-- {
		if high, low, fits = multiply(high, low, 10, 0); !fits {
			return number, false, nil
		}
	}
	number = decimal128.New(int64(high), low) // below 2^63, as multiply says
	if !number.FitsInPrecision(Precision) {
		return number, false, nil
	}
	if sign == numericNegative {
		number = number.Negate()
	}
	return number, true, nil
}

// multiply is (high, low) * by + plus, and whether that stays below 2^127.
func multiply(high, low, by, plus uint64) (uint64, uint64, bool) {
	over, newHigh := bits.Mul64(high, by)
	carry, newLow := bits.Mul64(low, by)
	newLow, more := bits.Add64(newLow, plus, 0)
	newHigh, again := bits.Add64(newHigh, carry, more)
	return newHigh, newLow, over == 0 && again == 0 && newHigh>>63 == 0
}

func weightAndSign(raw []byte) (int, uint16) {
	weight := int16(binary.BigEndian.Uint16(raw[2:])) //nolint:gosec // the same bits
	return int(weight), binary.BigEndian.Uint16(raw[4:])
}

func pow10(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}

// numericText is a numeric as text, without zeros at the ends.
func numericText(raw []byte) string {
	weight, sign := weightAndSign(raw)
	if sign&numericSpecial == numericSpecial {
		return "NaN"
	}
	var whole, fraction strings.Builder
	digits := raw[numericHead:]
	for at := max(weight, 0); at >= min(weight-len(digits)/2+1, 0); at-- {
		digit := 0
		if i := 2 * (weight - at); i >= 0 && i < len(digits) {
			digit = int(binary.BigEndian.Uint16(digits[i:]))
		}
		text := strconv.Itoa(base + digit)[1:]
		if at >= 0 {
			whole.WriteString(text)
		} else {
			fraction.WriteString(text)
		}
	}
	text := strings.TrimLeft(whole.String(), "0")
	if text == "" {
		text = "0"
	}
	if rest := strings.TrimRight(fraction.String(), "0"); rest != "" {
		text += "." + rest
	}
	if sign == numericNegative {
		text = "-" + text
	}
	return text
}
