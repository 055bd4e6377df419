package strict

import "strings"

// Hint names the allowed word that was probably meant, or lists all of them.
func Hint(word string, allowed []string) string {
	best, distance := "", 1+max(2, len(word)/3)
	for _, candidate := range allowed {
		if n := edits(strings.ToLower(word), candidate); n < distance {
			best, distance = candidate, n
		}
	}
	switch {
	case best != "":
		return "did you mean " + best + "?"
	case len(allowed) == 0:
		return "there is nothing to choose from"
	default:
		return "write one of: " + strings.Join(allowed, ", ")
	}
}

// edits is the number of letters to insert, delete or replace between two words.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
