package strict

import "strings"

// maxDepth is how deep brackets, and lists within lists on one line, may nest: configurations nest
// six deep. The parser keeps all that is open for each that opens, so that 40 KB of brackets take
// gigabytes.
const maxDepth = 32

// tooDeep gives the line, from 1, in which the text begins to nest too deep, 0 if none does. It
// looks at brackets and at dashes that stand alone wherever they are. What is text, and what the
// parser takes for the front of a line, only the parser knows.
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
