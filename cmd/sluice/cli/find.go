package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/places"
)

// listedRecords is how many records are listed for each resource of each organization.
const listedRecords = 20

func (c *cli) findCommand() *cobra.Command {
	search := engine.Search{}
	var organization organizationFlag
	cmd := &cobra.Command{
		Use:   "find TEXT",
		Short: "Find every place where a text stands: rows, versions, raw records, quarantine, callbacks, logs",
		Long: `Find every place of the warehouse in which a text stands, such as the mail address of a
person who asks what is stored: rows and their arrays, versions, values by day, raw
records, quarantine, unknown keys, the change log, notifications, the call log, notes.
Which tables there are is read from the database, so none is forgotten. Tables of other
roles are not read.

The text - is read from standard input. An argument stays in the history of the shell,
and other accounts of the machine see it in the list of processes. No log and no error
repeats the text, and it is not sent to Postgres: all tables are read and searched here.

Letters match in any case. Escapes of JSON are decoded. Search for each spelling that a
person may have: a phone number with and without blanks, a name in each order.

Columns of numbers, dates and times are not searched. Neither are copies outside of the
warehouse: backups, exports, lakes, and tables that analysts made.

Counts are complete; --limit bounds the records that are listed. With --org or
--resource, places that name none are left out. The search makes no call, and disturbs no
run. The exit code is 0 whether or not the text was found.`,
		Example: "  sluice find - <address.txt\n  sluice find 'anna@example.com' --org acme --limit 100\n" +
			"  sluice find - --resource contact_persons --json <address.txt",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if search.Limit < 0 {
				return usage("--limit is a number from 0")
			}
			text, err := c.givenText(args[0])
			if err != nil {
				return err
			}
			search.Organization = string(organization)
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error { return c.find(ctx, a, text, search) })
		},
	}
	organization.add(cmd)
	cmd.Flags().StringVar(&search.Resource, "resource", "", "only this resource, such as accounting.contact_persons")
	cmd.Flags().IntVar(&search.Limit, "limit", listedRecords, "how many records are listed for each resource of each organization")
	return cmd
}

// findView is where a text stands.
type findView struct {
	// Somewhere says whether it stands anywhere.
	Somewhere bool `json:"found"`
	places.Found

	Seconds float64 `json:"seconds"`
}

func (c *cli) find(ctx context.Context, a *engine.App, text *places.Needle, search engine.Search) error {
	progress := view.NewProgress(c.env.Stderr)
	search.Progress = func(done, all int, table string) { progress.Show(fmt.Sprintf("%d of %d tables: %s", done, all, table)) }
	started := c.env.Now()
	found, err := a.Find(ctx, text, search)
	progress.Clear()
	if err != nil {
		return err
	}
	shown := findView{Somewhere: len(found.Places) > 0, Found: found, Seconds: c.env.Now().Sub(started).Seconds()}
	return c.show(shown, view.Table(found.Places, "PLACE  TABLE  COLUMN  STATE  COUNT", func(p *places.Place) view.Row {
		return view.Row{string(p.Family), p.Table, p.Column, p.State, p.Count}
	}).Or("The text stands nowhere."), view.Text(func(page *view.Page) { shown.text(page) }))
}

func (shown *findView) text(page *view.Page) {
	if len(shown.Records) > 0 {
		page.Linef("")
		page.Add(view.Table(shown.Records, "RESOURCE  ORGANIZATION  ID  IN", func(r *places.Record) view.Row {
			in := make([]string, len(r.In))
			for i, family := range r.In {
				in[i] = string(family)
			}
			return view.Row{r.Resource, r.Organization, r.ID, strings.Join(in, ", ")}
		}))
	}
	for _, more := range shown.More {
		page.Linef("More records of %s in %s: --limit lists them.", outside.Visible(more.Resource), outside.Visible(more.Organization))
	}
	page.Linef("")
	for _, place := range shown.Places {
		if place.Archives > 0 {
			page.Linef("%s: %s, in %s.", place.Family, view.Plural(place.Count, "record"), view.Plural(place.Archives, "archive"))
		}
	}
	page.Linef("%s searched in %.1f s.", view.Plural(shown.Tables, "table"), shown.Seconds)
	if shown.LeftOut > 0 {
		page.Linef("%s left out, which do not say whose their rows are.", view.Plural(shown.LeftOut, "table"))
	}
}

// fewestCharacters is how many characters a text has at least: shorter ones stand in most records.
const fewestCharacters = 3

// givenText reads the text that the argument gives; of the argument - it reads one line of standard
// input. A text with fewer than fewestCharacters is refused. No error repeats it.
func (c *cli) givenText(argument string) (*places.Needle, error) {
	if argument == "-" {
		if c.env.Stdin == nil {
			return nil, usage("there is nothing on standard input")
		}
		read, err := io.ReadAll(io.LimitReader(c.env.Stdin, places.MaxText+int64(len("\r\n"))))
		if err != nil {
			return nil, fmt.Errorf("read the text from standard input: %w", err)
		}
		if argument = strings.TrimRight(string(read), "\r\n"); strings.Contains(argument, "\n") {
			return nil, usage("standard input has more than one line: give one text at a time")
		}
	}
	needle, err := places.NewNeedle(argument)
	if errors.Is(err, places.ErrText) {
		return nil, usage("%v", err)
	}
	if utf8.RuneCountInString(argument) < fewestCharacters {
		return nil, usage("the text has fewer than %d characters, and so stands in most records", fewestCharacters)
	}
	return needle, err
}
