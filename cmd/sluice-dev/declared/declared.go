// Package declared prints what developers need of the declarations: the diagrams of the tables, what
// becomes of every endpoint of the documents, and the migration that changed declarations need.
package declared

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// noArguments parses the flags of a command that takes no arguments.
func noArguments(flags *flag.FlagSet, args []string, stderr io.Writer) error {
	flags.SetOutput(stderr)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return errors.New("it takes no arguments")
	}
	return nil
}

// write writes a text as it is.
func write(out io.Writer, text string) error {
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("write the text: %w", err)
	}
	return nil
}
