package canonical

import (
	"time"

	"sluice/schema"
)

// Spelled gives how many bytes at the front of a literal are the one spelling of its value, as most of what upstream writes has it: nothing
// needs to be written then. Quoted says that it stood between quotes, with nothing in it escaped; other literals are whole values that are
// valid JSON. It says false where that is not so, or not seen at a glance: Append knows.
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

// plainInt reports whether a literal is the one spelling of a whole number of no more digits than always fit 64 bits.
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
