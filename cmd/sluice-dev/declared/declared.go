// Package declared prints what developers need of the declarations: the diagrams of the tables, what
// becomes of every endpoint of the documents, and the migration that changed declarations need.
package declared

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"sluice/connectors"
	"sluice/schema"
	"sluice/schema/docs"
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

// ERD prints how the tables relate. Mermaid, in Markdown, shows one diagram per service with keys
// and relations only, so that it can be read. DBML is complete: every column with its type and its
// sentence.
func ERD(_ context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sluice-dev erd", flag.ContinueOnError)
	format := flags.String("format", "mermaid", "mermaid or dbml")
	if err := noArguments(flags, args, stderr); err != nil {
		return err
	}
	draw, known := map[string]func([]schema.Service) string{"mermaid": docs.Mermaid, "dbml": docs.DBML}[*format]
	if !known {
		return fmt.Errorf("unknown format %q: choose mermaid or dbml", *format)
	}
	_, err := io.WriteString(stdout, draw(connectors.All()))
	return err
}
