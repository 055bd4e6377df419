package canonical

import "time"

// secondsOfDay is how many seconds a day has in UTC, as package time counts them.
const secondsOfDay = 24 * 60 * 60

// Day reads YYYY-MM-DD, of the years 1 to 9999, from the front of a text, as days since 1970-01-01.
// It is false if there is no such day. time.Parse makes an error for each text that is none, and
// reads only whole ones.
func Day[T string | []byte](text T) (int, bool) {
	if len(text) < len(time.DateOnly) || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	year, okY := Digits(text[:4])
	month, okM := Digits(text[5:7])
	day, okD := Digits(text[8:10])
	at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	exists := at.Day() == day && int(at.Month()) == month && year > 0 // other days are carried into another month
	return int(at.Unix() / secondsOfDay), okY && okM && okD && exists
}

// Digits reads one to nine digits.
func Digits[T string | []byte](text T) (int, bool) {
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n = n*10 + int(text[i]-'0')
	}
	return n, true
}
