package dataset

import (
	"strconv"

	"sluice/schema"
)

// field is a column with its kind of values. They are as long and as varied as those of the
// documents' samples, since that decides the cost of storing a raw record.
type field struct {
	column schema.Column
	value  func(buf []byte, s seed) []byte
}

// seed is the origin of a value.
type seed struct {
	// n is the number of the record or element, place that of the field.
	n, place int
	// version matters to what is edited: amounts, longer texts and the time of the edit.
	version int
}

// mixed returns pseudo-random bits, by splitmix64 (https://prng.di.unimi.it/splitmix64.c).
func (s seed) mixed() uint64 {
	z := (uint64(s.n)<<12 | uint64(s.place)<<4 | uint64(s.version)) * 0x9e3779b97f4a7c15 //nolint:gosec // neither is negative
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unedited returns the seed of values that no edit changes.
func (s seed) unedited() uint64 { return seed{n: s.n, place: s.place}.mixed() }

const firstID = 460_000_000_000_000_000

// appendID adds the key of record number n.
func appendID(buf []byte, n int) []byte {
	return strconv.AppendInt(buf, firstID+int64(n), 10)
}

// own returns the record's own identifier, which grows with its number.
func own(name string) field {
	return field{schema.ID(name, "Key."), func(buf []byte, s seed) []byte {
		return append(appendID(append(buf, '"'), s.n), '"')
	}}
}

// other returns the identifier of one of a number of other records.
func other(name string, count uint64) field {
	return field{schema.ID(name, "Another record."), func(buf []byte, s seed) []byte {
		const apart = 1_000_003
		return append(appendID(append(buf, '"'), int(s.unedited()%count)*apart), '"') //nolint:gosec // below count
	}}
}

// vocabulary has 64 words, so that six bits choose one.
var vocabulary = [64]string{
	"Steel", "Bracket", "galvanised", "Brackets", "Bowman", "Söhne", "Oak", "Table", "round", "Cable", "40", "mm", "Valve", "brass", "Hinge",
	"left", "Panel", "white", "Bolt", "M8", "Washer", "zinc", "Trading", "Ltd", "Lamp", "LED", "warm", "Motor", "230", "V", "Filter", "fine",
	"Hose", "rubber", "Pump", "Drill", "set", "of", "ten", "Glass", "clear", "Paint", "grey", "Brush", "wide", "Timber", "cut", "to", "length",
	"Sensor", "Pune", "Supplies", "and", "Co", "Deliver", "gate", "two", "for", "January", "settlement", "Copper", "Pipe", "Fitting", "spare",
}

// words returns a text of so many words. Short ones are names, which no edit changes.
func words(name string, count int) field {
	const edited = 5
	return field{schema.Text(name, "Text."), func(buf []byte, s seed) []byte {
		bits := s.unedited()
		if count >= edited {
			bits = s.mixed()
		}
		buf = append(buf, '"')
		for i := range count {
			if i > 0 {
				buf = append(buf, ' ')
			}
			buf = append(buf, vocabulary[bits%64]...)
			bits /= 64
		}
		return append(buf, '"')
	}}
}

// few returns one of a few texts.
func few(name string, values ...string) field {
	return field{schema.Text(name, "One of a few."), func(buf []byte, s seed) []byte {
		return append(append(append(buf, '"'), values[s.unedited()%uint64(len(values))]...), '"')
	}}
}

// code returns a text of digits after a constant beginning.
func code(name, before string, digits int) field {
	bound := uint64(1)
	for range digits {
		bound *= 10
	}
	return field{schema.Text(name, "Digits."), func(buf []byte, s seed) []byte {
		buf = append(append(buf, '"'), before...)
		start := len(buf)
		buf = strconv.AppendUint(buf, bound+s.unedited()%bound, 10)
		return append(append(buf[:start], buf[start+1:]...), '"') // with leading zeros
	}}
}

// amount returns a number with two decimals.
func amount(name string) field {
	return field{schema.Decimal(name, "Amount."), func(buf []byte, s seed) []byte {
		cents := s.mixed() % 1_000_000
		buf = append(strconv.AppendUint(buf, cents/100, 10), '.')
		return append(buf, byte('0'+cents/10%10), byte('0'+cents%10))
	}}
}

// whole returns a number below a bound.
func whole(name string, bound uint64) field {
	return field{schema.Int(name, "Number."), func(buf []byte, s seed) []byte {
		return strconv.AppendUint(buf, s.unedited()%bound, 10)
	}}
}

func truth(name string) field {
	return field{schema.Bool(name, "Truth."), func(buf []byte, s seed) []byte { return strconv.AppendBool(buf, s.unedited()%2 == 0) }}
}

func day(name string) field {
	return field{schema.Date(name, "Day."), func(buf []byte, s seed) []byte {
		return append(appendDay(buf, s.unedited()), '"')
	}}
}

// appendDay adds a day of 2025, as text that is not closed yet.
func appendDay(buf []byte, bits uint64) []byte {
	month, day := 1+bits%12, 1+bits/12%28
	return append(append(buf, `"2025-`...), byte('0'+month/10), byte('0'+month%10), '-', byte('0'+day/10), byte('0'+day%10))
}

func instant(name string) field {
	return field{schema.Time(name, "Instant."), func(buf []byte, s seed) []byte {
		bits := s.unedited()
		minute, second := bits>>32%60, bits>>40%60
		buf = append(appendDay(buf, bits), 'T', '1', byte('0'+bits>>48%10), ':', byte('0'+minute/10), byte('0'+minute%10))
		return append(append(buf, ':', byte('0'+second/10), byte('0'+second%10)), `+0530"`...)
	}}
}

// edited is the time of writing of a version: later versions are of later days.
func edited(name string) field {
	return field{schema.Time(name, "Edited."), func(buf []byte, s seed) []byte {
		day := 1 + s.version
		buf = append(append(buf, `"2026-01-`...), byte('0'+day/10), byte('0'+day%10)) //nolint:gosec // a digit
		return append(append(buf, 'T', '1', byte('0'+s.unedited()%10)), `:27:23+0530"`...)
	}}
}
