package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// MaxDigits is how many digits a decimal of Parquet has at most.
const MaxDigits = 38

// wideSize is the size of such a decimal in bytes.
const wideSize = 16

// ErrTooWide says that a decimal has more digits than its column in Parquet.
var ErrTooWide = errors.New("more digits than a decimal of Parquet has, which csv and jsonl write as they are")

// isDecimal reports whether a text is digits, with a sign and a point at most: numeric of Postgres
// may also be NaN or infinite.
func isDecimal(text []byte) bool {
	for i, b := range text {
		if (b < '0' || b > '9') && b != '.' && (b != '-' || i > 0) {
			return false
		}
	}
	return len(text) > 0
}

// appendWide appends the number that is the decimal without its point, at a scale: 16 bytes, the
// largest first, in two's complement. -0 and 0 are one number.
func appendWide(dst []byte, c Column, text []byte) ([]byte, error) {
	if !isDecimal(text) {
		return dst, fmt.Errorf("%s has %q, which is no decimal number", c.Name, text)
	}
	high, low, digits, behind, negative, point := uint64(0), uint64(0), 0, 0, false, false
	add := func(digit byte) {
		carry, sum := bits.Mul64(low, 10)
		var over uint64
		low, over = bits.Add64(sum, uint64(digit), 0)
		high = high*10 + carry + over
		if digits > 0 || digit > 0 {
			digits++
		}
	}
	for _, b := range text {
		switch {
		case b == '-':
			negative = true
		case b == '.':
			point = true
		case point && behind == c.Scale:
			if b != '0' {
				return dst, fmt.Errorf("%s has %s: %w", c.Name, text, ErrTooWide)
			}
		default:
			add(b - '0')
			if point {
				behind++
			}
		}
		if digits > MaxDigits {
			break
		}
	}
	for ; behind < c.Scale && digits <= MaxDigits; behind++ {
		add(0)
	}
	if digits > MaxDigits {
		return dst, fmt.Errorf("%s has %s: %w", c.Name, text, ErrTooWide)
	}
	if negative {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	dst = binary.BigEndian.AppendUint64(dst, high)
	return binary.BigEndian.AppendUint64(dst, low), nil
}
