package files

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"strings"
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
	whole, behind, _ := bytes.Cut(text, []byte("."))
	if len(behind) > c.Scale {
		if len(bytes.Trim(behind[c.Scale:], "0")) > 0 {
			return dst, fmt.Errorf("%s has %s: %w", c.Name, text, ErrTooWide)
		}
		behind = behind[:c.Scale]
	}
	number, read := new(big.Int).SetString(string(whole)+string(behind)+strings.Repeat("0", c.Scale-len(behind)), 10)
	switch {
	case !read:
		return dst, fmt.Errorf("%s has %q, which is no decimal number", c.Name, text)
	case number.CmpAbs(new(big.Int).Exp(big.NewInt(10), big.NewInt(MaxDigits), nil)) >= 0:
		return dst, fmt.Errorf("%s has %s: %w", c.Name, text, ErrTooWide)
	case number.Sign() < 0:
		number.Add(number, new(big.Int).Lsh(big.NewInt(1), 8*wideSize)) //nolint:mnd // bits of a byte
	}
	return append(dst, number.FillBytes(make([]byte, wideSize))...), nil
}
