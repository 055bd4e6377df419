package declared

import (
	"context"
	"flag"
	"fmt"
	"io"

	"sluice/connectors"
	"sluice/schema/docs"
)

// ERD prints how the tables relate. Mermaid, in Markdown, shows one diagram per service with keys
// and relations only, so that it can be read. DBML is complete: every column with its type and its
// sentence.
func ERD(_ context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sluice-dev erd", flag.ContinueOnError)
	format := flags.String("format", "mermaid", "mermaid or dbml")
	if err := noArguments(flags, args, stderr); err != nil {
		return err
	}
	switch *format {
	case "mermaid":
		return write(stdout, docs.Mermaid(connectors.All()))
	case "dbml":
		return write(stdout, docs.DBML(connectors.All()))
	default:
		return fmt.Errorf("unknown format %q: choose mermaid or dbml", *format)
	}
}
