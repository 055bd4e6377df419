package strict

import "strings"

// maxDepth is how deep brackets, and lists within lists on one line, may nest. Configurations nest
// six deep. The parser's memory grows with the square of the depth, so 40 KB of brackets take
// gigabytes.
const maxDepth = 32

// tooDeep returns the line, from 1, in which the text begins to nest too deep; 0 if none does. It
// counts all brackets and single dashes, also those in quoted text, because only the parser can
// tell them apart.
func tooDeep(lines []string) int {
	open := 0
	for i, line := range lines {
		dashes := 0
		for word := range strings.FieldsSeq(line) {
			if word == "-" {
				dashes++
			}
		}
		for j := range len(line) {
			switch line[j] {
			case '[', '{':
				open++
			case ']', '}':
				open = max(open-1, 0)
			}
			if open > maxDepth || dashes > maxDepth {
				return i + 1
			}
		}
	}
	return 0
}
