package strict

import "strings"

// maxDepth is how deep brackets, and lists within lists on one line, may nest: configurations nest six deep. The parser keeps all
// that is open for each that opens, so that 40 KB of brackets take gigabytes.
const maxDepth = 32

// tooDeep gives the line, from 1, in which the text begins to nest too deep, 0 if none does. It looks at brackets wherever they
// stand, for what is text and what is not only the parser knows.
func tooDeep(lines []string) int {
	open := 0
	for i, line := range lines {
		if entries(line) > maxDepth {
			return i + 1
		}
		for j := range len(line) {
			switch line[j] {
			case '[', '{':
				if open++; open > maxDepth {
					return i + 1
				}
			case ']', '}':
				open = max(open-1, 0)
			}
		}
	}
	return 0
}

// entries counts the lists that may begin in a line: dashes that stand alone, wherever they are. The parser takes a tag, the end of a comment by a
// carriage return, and what more it knows for the front of a line.
func entries(line string) int {
	count := 0
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' }) {
		if word == "-" {
			count++
		}
	}
	return count
}
