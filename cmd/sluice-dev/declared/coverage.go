package declared

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"sluice/cmd/sluice-dev/harness"
	"sluice/connectors"
	"sluice/sandbox"
	"sluice/schema/docs/endpoints"
)

// Coverage prints every endpoint that the API documents show and what sluice does with it: copied
// into which table, called for something else, asked on demand, or not called; and whether the
// sandbox plays it. Below, it prints how many values of a live answer of each list have a column.
// It fails if an endpoint has no answer, or if a declared one is on no document and not marked
// assumed. It never calls upstream.
func Coverage(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sluice-dev coverage", flag.ContinueOnError)
	if err := noArguments(flags, args, stderr); err != nil {
		return err
	}
	answers, misfits, err := laidOut(ctx)
	if err != nil {
		return err
	}
	if len(misfits) > 0 {
		return fmt.Errorf("declarations and documents disagree:\n%s", strings.Join(misfits, "\n"))
	}
	live, err := samples()
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, markdown(answers, live))
	return err
}

// laidOut compares the documents' endpoints with the declarations and the sandbox.
func laidOut(ctx context.Context) ([]answer, []string, error) {
	rows, err := endpoints.Rows()
	if err != nil {
		return nil, nil, fmt.Errorf("read the documents' endpoints: %w", err)
	}
	played, err := sandboxed(ctx)
	if err != nil {
		return nil, nil, err
	}
	roots := make(map[string]string)
	for _, service := range connectors.All() {
		roots[service.Name] = service.Root
	}
	answers, misfits := lay(rows, connectors.All())
	for i := range answers {
		row := &answers[i].Row
		answers[i].Served = played[row.Method+" "+shape(roots[row.Service]+row.Path)]
	}
	return answers, misfits, nil
}

// sandboxed returns the methods and the shapes of the paths that the sandbox finds a call by.
func sandboxed(ctx context.Context) (map[string]bool, error) {
	world, err := sandbox.New(sandbox.Options{Records: 1, Now: time.Now})
	if err != nil {
		return nil, fmt.Errorf("make a sandbox: %w", err)
	}
	var table []struct {
		Method string `json:"method"`
		Path   string `json:"path"`
	}
	if err := harness.Control(ctx, world, http.MethodGet, "endpoints", nil, &table); err != nil {
		return nil, err
	}
	played := make(map[string]bool)
	for _, row := range table {
		played[row.Method+" "+shape(row.Path)] = true
	}
	return played, nil
}
