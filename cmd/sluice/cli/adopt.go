package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/lineage/adopt"
	"sluice/pipeline/warehouse/adoptions"
)

// adoptOptions are the flags of adopt.
type adoptOptions struct {
	organization organizationFlag
	maps         []string
	engine.AdoptOptions
}

func (c *cli) adoptCommand() *cobra.Command {
	var options adoptOptions
	cmd := &cobra.Command{
		Use:   "adopt --from airbyte|fivetran|singer|jsonl",
		Short: "Take over what Airbyte, Fivetran or a Singer target has read already, without a call",
		Long: `Take over the records that another program has read upstream, as rows and raw
records, without a call: from the tables that Airbyte, Fivetran or a Singer target
filled, or from files. Do it before the first sync of the resources.

Tables are matched with resources by name; --map names one. Of each record the
newest version is taken. Deleted ones are left out, and what does not fit goes to
quarantine. Records with what only single records carry need no further call; those
without are completed by runs over details. A row is replaced only by a record that
was modified later.

The stream's watermark starts a day below what the other program can have read, so
the next sync reads what changed since. Then the sweep is due: it finds what the other
program missed, and what was deleted.

A kill loses nothing: the same command goes on. Tables of others are read only.

--database is an address without a password, or the name of a variable of the
environment that has one; by default the warehouse is looked through. --files is the
folder with *.jsonl or *.ndjson: for jsonl a record a line and a file a resource, where
a line can be {"extracted_at": …, "record": {…}}; for singer the messages of a tap.

Exit codes: 0 all was adopted, 1 a stream was not, or too many of its records did not
fit.`,
		Example: "  sluice adopt --from airbyte --dry-run\n  sluice adopt --from airbyte --database AIRBYTE_URL --schema airbyte_internal\n" +
			"  sluice adopt --from fivetran --schema zbooks --map invoice_bill=inventory.bills\n  sluice adopt --from jsonl --files ./export --org acme",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := options.check(); err != nil {
				return err
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error { return c.adopt(ctx, a, options) })
		},
	}
	options.organization.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&options.From, "from", "", "the program that read the records: airbyte, fivetran, singer, or jsonl for files")
	flags.StringVar(&options.Database, "database", "",
		"the database with its tables: an address without password, or the name of a variable that has one (default: the warehouse)")
	flags.StringVar(&options.Schema, "schema", "", "look only at this schema")
	flags.StringVar(&options.Files, "files", "", "the folder with files")
	flags.StringArrayVar(&options.maps, "map", nil, "the resource of a stream of the other program, as bill=inventory.bills; can be given often")
	flags.StringVar(&options.Times, "times", "",
		"how typed columns without an offset are read: utc or organization (default: utc; organization for airbyte)")
	flags.BoolVar(&options.Dry, "dry-run", false, "say what would be adopted, and write nothing")
	flags.BoolVar(&options.Again, "again", false, "also resources that were copied or adopted before; newer rows stay")
	return cmd
}

// check refuses flags that do not go together.
func (o *adoptOptions) check() error {
	switch {
	case !slices.Contains([]string{"airbyte", "fivetran", "singer", "jsonl"}, o.From):
		return usage("adopt: --from is one of airbyte, fivetran, singer and jsonl")
	case o.From == "jsonl" && o.Files == "":
		return usage("adopt: --from jsonl needs --files")
	case o.Files != "" && o.From != "jsonl" && o.From != "singer":
		return usage("adopt: --files goes with --from jsonl and --from singer")
	case o.Files != "" && (o.Database != "" || o.Schema != "" || o.Times != ""):
		return usage("adopt: --files goes with none of --database, --schema and --times")
	case !slices.Contains([]string{"", "utc", "organization"}, o.Times):
		return usage("adopt: --times is utc or organization")
	}
	o.Map = map[string]string{}
	for _, pair := range o.maps {
		stream, resource, found := strings.Cut(pair, "=")
		if !found || stream == "" || resource == "" {
			return usage("adopt: --map %q: write it as stream=service.resource", pair)
		}
		o.Map[stream] = resource
	}
	return nil
}

// adoptedView is the result for one stream.
type adoptedView struct {
	Organization string `json:"organization"`
	Resource     string `json:"resource"`
	Origin       string `json:"origin"`
	adoptions.Counts

	// Watermark is where the next sync reads from; nil if it reads the whole list.
	Watermark *time.Time `json:"watermark"`
	// CallsSaved are the calls for single records that are not needed.
	CallsSaved int64    `json:"calls_saved"`
	Resumed    bool     `json:"resumed,omitempty"`
	Losses     []string `json:"losses,omitempty"`
	// Withheld says why the stream got no watermark, Error why it was not adopted, or only in part.
	Withheld string `json:"withheld,omitempty"`
	Error    string `json:"error,omitempty"`
}

// adoptView is the result of the command.
type adoptView struct {
	Adopted []adoptedView `json:"adopted"`
	Left    []adopt.Left  `json:"left"`
	DryRun  bool          `json:"dry_run,omitempty"`
}

func (c *cli) adopt(ctx context.Context, a *engine.App, options adoptOptions) error {
	organization, err := a.ChooseOrganization(string(options.organization))
	if err != nil {
		return err
	}
	options.Organization = organization.Key
	progress := view.NewProgress(c.env.Stderr)
	defer progress.Clear()
	options.Progress = func(stream pipeline.Stream, n int64) {
		progress.Show(stream.Service.Name + "." + stream.Resource.Name + ": " + view.Plural(n, "record"))
	}
	results, left, err := a.Adopt(ctx, options.AdoptOptions)
	if ctx.Err() != nil {
		return errors.Join(errors.New("interrupted: the same command goes on where it stopped"), err)
	}
	if err != nil {
		return err
	}
	shown := adoptView{Adopted: make([]adoptedView, 0, len(results)), Left: left, DryRun: options.Dry}
	failed := false
	for i := range results {
		r := &results[i]
		one := adoptedView{
			Organization: r.Match.Stream.Organization, Resource: r.Match.Stream.Service.Name + "." + r.Match.Stream.Resource.Name,
			Origin: r.Match.Origin.String(), Counts: r.Counts, CallsSaved: r.Saved, Resumed: r.Resumed, Losses: r.Losses,
			Withheld: string(r.Withheld), Error: said(r.Err),
		}
		if !r.Watermark.IsZero() {
			one.Watermark = &r.Watermark
		}
		failed = failed || one.Error != "" || one.Withheld != ""
		shown.Adopted = append(shown.Adopted, one)
	}
	return errors.Join(c.printAdopted(a, &shown), exitIf(failed))
}

func (c *cli) printAdopted(a *engine.App, shown *adoptView) error {
	loaded := "LOADED"
	if shown.DryRun {
		loaded = "TO LOAD"
	}
	saved := int64(0)
	header := "TABLE  FROM  RECORDS  " + loaded + "  DELETED  REJECTED  WITH DETAILS  READ ON FROM  REMARK"
	table := view.Table(shown.Adopted, header, func(v *adoptedView) view.Row {
		saved += v.CallsSaved
		count, from := v.Inserted+v.Updated, "the first record"
		if shown.DryRun {
			count = v.Records - v.Rejected
		}
		if v.Watermark != nil {
			from = view.Instant(v.Watermark, a.Zone(v.Organization))
		}
		remark := v.Error
		if v.Withheld != "" {
			remark = v.Withheld
		}
		return view.Row{v.Resource, v.Origin, v.Records, count, v.Deleted, v.Rejected, v.Whole, from, remark}
	}).Or("Nothing was found that can be adopted.")
	return c.show(shown, table, view.Text(func(page *view.Page) {
		for i := range shown.Adopted {
			for _, loss := range shown.Adopted[i].Losses {
				page.Linef("%s: %s.", shown.Adopted[i].Resource, loss)
			}
		}
		for _, l := range shown.Left {
			page.Linef("Left alone: %s (%s): %s.", l.Origin, l.Stream, l.Why)
		}
		if saved > 0 {
			page.Linef("%s for single records %s not needed.", view.Plural(saved, "call"), map[bool]string{true: "is", false: "are"}[saved == 1])
		}
		if len(shown.Adopted) > 0 && !shown.DryRun {
			page.Linef("Next: sluice sync reads what changed since, and sweeps find what is missing.")
		}
	}))
}
