package canonical

import (
	"time"

	"sluice/schema"
)

// Spelled returns the number of bytes at the front of a literal that are already canonical, as most
// of upstream's values are: then nothing needs to be written. Quoted says that the literal was a
// string without escapes; other literals are whole valid JSON values. It returns false if the
// literal is not canonical, or not obviously: Append decides then.
func Spelled(kind schema.Kind, literal []byte, quoted bool) (int, bool) {
	switch kind {
	case schema.KindText:
		return len(literal), quoted
	case schema.KindID:
		return len(literal), quoted && !Blank(literal) || !quoted && allDigits(literal)
	case schema.KindDecimal:
		size := plainDecimal(literal)
		return size, size > 0
	case schema.KindInt:
		return len(literal), plainInt(literal)
	case schema.KindBool:
		return len(literal), string(literal) == "true" || string(literal) == "false"
	case schema.KindDate:
		_, ok := Day(literal)
		return len(literal), ok && len(literal) == len(time.DateOnly)
	case schema.KindTime, schema.KindJSON:
	}
	return 0, false
}

// plainInt reports whether a literal is a canonical whole number whose digits always fit 64 bits.
func plainInt(literal []byte) bool {
	const fits = 18
	digits := literal
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) > fits || !allDigits(digits) {
		return false
	}
	return digits[0] != '0' || len(literal) == 1
}
