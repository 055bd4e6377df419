package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"sluice/pipeline/warehouse/places"
)

// fewestCharacters is how many characters a text has at least that is searched for or erased:
// shorter ones stand in most records.
const fewestCharacters = 3

// givenText reads a text that an argument gives; of the argument - it reads one line of standard
// input. A text with fewer characters than fewest is refused, with what to do instead. No error
// repeats it.
func (c *cli) givenText(argument string, fewest int, instead string) (string, *places.Needle, error) {
	if argument == "-" {
		if c.env.Stdin == nil {
			return "", nil, usage("there is nothing on standard input")
		}
		read, err := io.ReadAll(io.LimitReader(c.env.Stdin, places.MaxText+int64(len("\r\n"))))
		if err != nil {
			return "", nil, fmt.Errorf("read the text from standard input: %w", err)
		}
		if argument = strings.TrimRight(string(read), "\r\n"); strings.Contains(argument, "\n") {
			return "", nil, usage("standard input has more than one line: give one text at a time")
		}
	}
	needle, err := places.NewNeedle(argument)
	if errors.Is(err, places.ErrText) {
		return "", nil, usage("%v", err)
	}
	if utf8.RuneCountInString(argument) < fewest {
		return "", nil, usage("the text has fewer than %d characters, and so stands in most records: %s", fewest, instead)
	}
	return argument, needle, err
}
