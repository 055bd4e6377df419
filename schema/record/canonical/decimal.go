package canonical

import (
	"bytes"
	"strconv"
)

// maxDigits bounds an expanded decimal: amounts have a few digits, and a short literal such as
// 1e1000000 must not become a megabyte.
const maxDigits = 64

// appendDecimal appends the canonical spelling of a decimal: no exponent, no leading zeros, no
// trailing zeros in the fraction, no negative zero. It is exact.
func appendDecimal(dst, literal []byte) ([]byte, Reason) {
	if size := plainDecimal(literal); size > 0 {
		return append(dst, literal[:size]...), Reason{}
	}
	mantissa, exponent, ok := splitExponent(literal)
	if !ok {
		return dst, badDecimal()
	}
	negative := len(mantissa) > 0 && mantissa[0] == '-'
	if negative {
		mantissa = mantissa[1:]
	}
	whole, fraction, point := bytes.Cut(mantissa, []byte("."))
	if !allDigits(whole) || point && !allDigits(fraction) {
		return dst, badDecimal()
	}
	exponent -= len(fraction)
	var room [2 * maxDigits]byte
	digits := append(append(room[:0], whole...), fraction...)
	digits = bytes.TrimLeft(digits, "0")
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		exponent++
	}
	if len(digits) == 0 {
		return append(dst, '0'), Reason{}
	}
	if len(digits)+max(exponent, 0) > maxDigits || -exponent > maxDigits {
		return dst, Reason{OutOfRange, "the number has more than " + strconv.Itoa(maxDigits) + " digits"}
	}
	if negative {
		dst = append(dst, '-')
	}
	return placePoint(dst, digits, exponent), Reason{}
}

// plainDecimal returns the length of the front of a literal that is already canonical, as nearly
// all are: digits without a leading zero or an exponent, and only zeros cut off the fraction. It is
// 0 for all others.
func plainDecimal(literal []byte) int {
	at := 0
	if len(literal) > 0 && literal[0] == '-' {
		at = 1
	}
	from := at
	for at < len(literal) && literal[at] >= '0' && literal[at] <= '9' {
		at++
	}
	if at == from || literal[from] == '0' && (from > 0 || at-from > 1) || len(literal) > maxDigits {
		return 0
	}
	end := at
	if at < len(literal) {
		if literal[at] != '.' || at+1 == len(literal) {
			return 0
		}
		for at++; at < len(literal); at++ {
			switch c := literal[at]; {
			case c > '0' && c <= '9':
				end = at + 1
			case c != '0':
				return 0
			}
		}
	}
	return end
}

// placePoint appends digits times ten to the exponent; digits has no zeros at either end.
func placePoint(dst, digits []byte, exponent int) []byte {
	whole := len(digits) + exponent
	switch {
	case exponent >= 0:
		dst = append(dst, digits...)
		return appendZeros(dst, exponent)
	case whole > 0:
		dst = append(append(dst, digits[:whole]...), '.')
		return append(dst, digits[whole:]...)
	default:
		dst = appendZeros(append(dst, '0', '.'), -whole)
		return append(dst, digits...)
	}
}

func appendZeros(dst []byte, count int) []byte {
	for range count {
		dst = append(dst, '0')
	}
	return dst
}

// splitExponent returns the mantissa and the exponent, or false. An exponent too long to read
// counts as infinite: zero times it is zero, everything else is out of range.
func splitExponent(literal []byte) ([]byte, int, bool) {
	at := bytes.IndexAny(literal, "eE")
	if at < 0 {
		return literal, 0, true
	}
	tail := literal[at+1:]
	negative := len(tail) > 0 && tail[0] == '-'
	if negative || len(tail) > 0 && tail[0] == '+' {
		tail = tail[1:]
	}
	if !allDigits(tail) {
		return nil, 0, false
	}
	const infinite = 1 << 40
	exponent := 0
	tail = bytes.TrimLeft(tail, "0")
	if len(tail) > 9 {
		exponent = infinite
	} else {
		for _, c := range tail {
			exponent = exponent*10 + int(c-'0')
		}
	}
	if negative {
		exponent = -exponent
	}
	return literal[:at], exponent, true
}

func badDecimal() Reason {
	return Reason{BadNumber, "a decimal number in plain digits is declared"}
}
