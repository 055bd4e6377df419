package copybinary

import (
	"encoding/binary"
	"strconv"
	"strings"
	"time"

	"sluice/schema/record/canonical"
)

const (
	// group is how many decimal digits a digit of a numeric holds; mostGroup bounds the number of
	// such digits.
	group     = 4
	mostGroup = 64
	negative  = 0x4000
	// epochDay is 2000-01-01, the zero of Postgres' dates, in days since 1970-01-01.
	epochDay = 10_957
)

func boolean(buf []byte, text string) ([]byte, error) {
	switch text {
	case "true":
		return append(Size(buf, 1), 1), nil
	case "false":
		return append(Size(buf, 1), 0), nil
	default:
		return buf, ErrText
	}
}

func whole(buf []byte, text string) ([]byte, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return buf, ErrText
	}
	return Int(buf, n), nil
}

// decimal adds a numeric: digits to the base of 10,000, the weight of the first, the sign, and the
// decimal places.
func decimal(buf []byte, text string) ([]byte, error) {
	sign := uint16(0)
	if strings.HasPrefix(text, "-") {
		sign, text = negative, text[1:]
	}
	before, fraction, point := strings.Cut(text, ".")
	if before == "" || point && fraction == "" || len(text) > group*mostGroup {
		return buf, ErrText
	}
	at := len(buf)
	buf = append(buf, make([]byte, 4+8)...) //nolint:mnd // size; digits, weight, sign, scale
	first := (len(before) + group - 1) / group
	weight, count, zeros := first-1, 0, 0
	add := func(digit int) {
		switch {
		case digit == 0 && count == 0:
			weight--
		case digit == 0:
			zeros++
		default:
			for ; zeros > 0; zeros-- {
				buf, count = append(buf, 0, 0), count+1
			}
			buf, count = binary.BigEndian.AppendUint16(buf, uint16(digit)), count+1 //nolint:gosec // below 10,000
		}
	}
	for from := len(before) - first*group; from < len(before); from += group {
		digit, ok := canonical.Digits(before[max(from, 0) : from+group])
		if !ok {
			return buf[:at], ErrText
		}
		add(digit)
	}
	for from := 0; from < len(fraction); from += group {
		part := fraction[from:min(from+group, len(fraction))]
		digit, ok := canonical.Digits(part)
		if !ok {
			return buf[:at], ErrText
		}
		for range group - len(part) {
			digit *= 10
		}
		add(digit)
	}
	if count == 0 {
		weight, sign = 0, 0
	}
	head := buf[at : at : at+12]
	head = binary.BigEndian.AppendUint32(head, uint32(8+2*count))                                  //nolint:mnd // at most 64 digits
	for _, word := range [...]uint16{uint16(count), uint16(weight), sign, uint16(len(fraction))} { //nolint:gosec // bounded above
		head = binary.BigEndian.AppendUint16(head, word)
	}
	return buf, nil
}

// date adds a date, in days since 2000.
func date(buf []byte, text string) ([]byte, error) {
	day, ok := canonical.Day(text)
	if !ok || len(text) != len(time.DateOnly) {
		return buf, ErrText
	}
	return Short(buf, int32(day-epochDay)), nil //nolint:gosec // years have four digits
}

// instant adds a timestamptz of the form 2006-01-02 15:04:05.999999+00.
func instant(buf []byte, text string) ([]byte, error) {
	const (
		clock = len("2006-01-02 15:04:05")
		zone  = "+00"
	)
	day, ok := canonical.Day(text)
	if !ok || len(text) < clock+len(zone) || text[10] != ' ' || text[13] != ':' || text[16] != ':' || text[len(text)-len(zone):] != zone {
		return buf, ErrText
	}
	hour, okH := canonical.Digits(text[11:13])
	minute, okM := canonical.Digits(text[14:16])
	second, okS := canonical.Digits(text[17:19])
	fraction := text[clock : len(text)-len(zone)]
	micros := 0
	if fraction != "" {
		const most = len(".999999")
		if fraction[0] != '.' || len(fraction) == 1 || len(fraction) > most {
			return buf, ErrText
		}
		if micros, ok = canonical.Digits(fraction[1:]); !ok {
			return buf, ErrText
		}
		for range most - len(fraction) {
			micros *= 10
		}
	}
	if !okH || !okM || !okS || hour > 23 || minute > 59 || second > 59 {
		return buf, ErrText
	}
	seconds := ((day-epochDay)*24+hour)*3600 + minute*60 + second
	return Int(buf, int64(seconds)*1_000_000+int64(micros)), nil
}
