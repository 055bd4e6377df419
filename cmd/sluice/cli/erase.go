package cli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/erasures"
)

// eraseOptions are the flags of erase.
type eraseOptions struct {
	organization             organizationFlag
	note, contains           string
	dry, verify, allow, list bool
}

func (c *cli) eraseCommand() *cobra.Command {
	var options eraseOptions
	cmd := &cobra.Command{
		Use:   "erase RESOURCE ID | erase --contains TEXT",
		Short: "Erase a record or a text wherever a copy of it stands, and do not load it again",
		Long: `Erase one record for good: its row and arrays, former values, versions and values by
day, its raw records, and what of it is in quarantine, in callbacks and in notes of the
program. Other records keep their bytes. The log of changes says that the row is deleted,
so that copies which follow it can do the same. Erase it upstream first.

From then on no run loads the record, whatever upstream shows, until --allow. All of it
is one transaction: a kill leaves everything or nothing.

With --contains, each value that holds the text becomes [erased], in all records of the
organization and in every copy: an address in a note, a name in a custom field, a key. A
number goes if it is the text. The records stay, and so do identifiers. Runs leave out
the same values from then on, and a value that upstream changed comes as it is. An
erasure that was stopped or killed goes on when the same command is given again. TEXT -
is read from standard input, so that it is in no list of processes and in no history of
the shell. Letters of ASCII match in any case: sluice find shows beforehand what holds it.

Both are safe beside runs, which wait for some seconds. The warehouse keeps salted hashes
of what it refuses, and a receipt without data: where, how many, when, and a digest.

--verify looks everywhere again. For a record it does not look for its values in other
records. Backups, archived WAL and dumps keep what was erased until they expire, and files
of the database until the tables are vacuumed: docs/privacy.md says how to deal with both.

Exit codes: 0 erased, or nothing is left of what is refused. 1 nothing of it stands here,
or some rows wait to be rebuilt; for --verify, something is left; for --list, a receipt
was altered.`,
		Example: "  sluice erase accounting.contact_persons 460000000026051 --dry-run\n" +
			"  sluice erase accounting.contact_persons 460000000026051 --note 'request 2026-117'\n" +
			"  sluice erase contact_persons 460000000026051 --verify\n" +
			"  sluice erase --contains - --org acme --dry-run < address.txt\n  sluice erase --list",
		Args: cobra.MaximumNArgs(2), //nolint:mnd // resource and identifier
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := options.check(args, cmd.Flags().Changed("contains")); err != nil {
				return err
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				if options.list {
					return c.listErasures(ctx, a)
				}
				chosen, err := a.ChooseOrganization(string(options.organization))
				if err != nil {
					return err
				}
				switch {
				case cmd.Flags().Changed("contains"):
					return c.eraseText(ctx, a, chosen.Key, &options)
				case options.allow:
					return c.allowErased(ctx, a, args, chosen.Key)
				default:
					return c.erase(ctx, a, args, chosen.Key, &options)
				}
			})
		},
	}
	options.organization.add(cmd)
	cmd.Flags().BoolVar(&options.dry, "dry-run", false, "say what would be erased, and erase nothing")
	cmd.Flags().StringVar(&options.contains, "contains", "", "erase each value that holds this text; - reads it from standard input")
	cmd.Flags().StringVar(&options.note, "note", "", "what the receipt is to say, such as the number of the request: no name")
	cmd.Flags().BoolVar(&options.verify, "verify", false, "look whether anything of the record is left")
	cmd.Flags().BoolVar(&options.allow, "allow", false, "load the record again when upstream shows it")
	cmd.Flags().BoolVar(&options.list, "list", false, "list the receipts")
	return cmd
}

func (o *eraseOptions) check(args []string, text bool) error {
	modes := 0
	for _, set := range []bool{o.dry, o.verify, o.allow, o.list} {
		if set {
			modes++
		}
	}
	switch {
	case modes > 1:
		return usage("--dry-run, --verify, --allow and --list go one at a time")
	case o.list && (len(args) > 0 || text):
		return usage("--list takes no record and no text")
	case text && len(args) > 0:
		return usage("name a record or a text with --contains, one at a time")
	case !o.list && !text && len(args) != 2: //nolint:mnd // resource and identifier
		return usage("name the resource and the identifier of a record: sluice erase accounting.contact_persons 460000000026051")
	case o.note != "" && modes > 0:
		return usage("--note is for an erasure")
	}
	return nil
}

// eraseState is a closed set: what became of what was named.
type eraseState string

const (
	wasErased   eraseState = "erased"
	wouldErase  eraseState = "would erase"
	nothingLeft eraseState = "nothing left"
	isLeft      eraseState = "left"
	// absent: nothing of it stands here, and it is not refused.
	absent eraseState = "absent"
)

// state is what became of what was named, by the error of the engine; refused says that runs leave
// it out. It returns the errors that say something else.
func (o *eraseOptions) state(err error, refused bool) (eraseState, error) {
	switch nothing := errors.Is(err, erasures.ErrNothing); {
	case nothing && refused:
		return nothingLeft, nil
	case nothing:
		return absent, nil
	case err != nil:
		return "", err
	case o.verify:
		return isLeft, nil
	case o.dry:
		return wouldErase, nil
	default:
		return wasErased, nil
	}
}

// erasureView is what became of a record.
type erasureView struct {
	erasures.Receipt

	// State is erased, would erase, nothing left, left or absent.
	State eraseState `json:"state"`
	// Erasure is the number of the erasure because of which the record is refused; 0 if it is not.
	Erasure int64 `json:"erasure"`
}

func (c *cli) erase(ctx context.Context, a *engine.App, args []string, organization string, options *eraseOptions) error {
	earlier, err := a.Erasure(ctx, args[0], args[1], organization)
	if err != nil {
		return err
	}
	receipt, err := a.EraseRecord(ctx, args[0], args[1], organization, options.note, options.dry || options.verify)
	shown := erasureView{Receipt: receipt, Erasure: earlier}
	if shown.State, err = options.state(err, earlier != 0); err != nil {
		return err
	}
	if shown.State == wasErased {
		shown.Erasure = receipt.ID
	}
	if err := c.show(shown, view.Text(shown.text)); err != nil {
		return err
	}
	return exitIf(shown.State == absent || shown.State == isLeft)
}

func (v *erasureView) text(page *view.Page) {
	switch v.State {
	case nothingLeft:
		page.Linef("Nothing of the record is left. It is refused since erasure %d.", v.Erasure)
		return
	case absent:
		page.Linef("Nothing of such a record stands here. It is not refused either: runs load it when upstream shows it.")
		return
	case isLeft:
		page.Linef("Of the record there are left:")
	case wouldErase:
		page.Linef("This would be erased:")
	default:
		page.Linef("Erasure %d of a record of %s.%s: the receipt has the digest %s.", v.ID, v.Service, v.Resource, v.Digest)
	}
	erasedPlaces(page, v.Places)
	if v.State == wasErased {
		keptElsewhere(page, &v.Receipt, "Runs do not load it again.")
	}
}

// erasedPlaces shows how much was erased, or would be, by place.
func erasedPlaces(page *view.Page, places map[string]int64) {
	page.Linef("")
	names := slices.Sorted(maps.Keys(places))
	page.Add(view.Table(names, "PLACE  ERASED", func(name *string) view.Row { return view.Row{*name, places[*name]} }))
	page.Linef("")
}

// keptElsewhere says what runs do from now on, and what an erasure does not reach.
func keptElsewhere(page *view.Page, receipt *erasures.Receipt, runs string) {
	if tables := receipt.Unanalyzed; len(tables) > 0 {
		page.Linef("Statistics of the planner keep frequent values until the owner of the tables makes them anew:")
		page.Linef("  ANALYZE %s;", strings.Join(tables, ", "))
	}
	page.Linef("%s Backups, archived WAL and dumps keep what was erased until they expire, and", runs)
	page.Linef("files of the database until the tables are vacuumed: docs/privacy.md. sluice erase --verify looks again.")
}

func (c *cli) allowErased(ctx context.Context, a *engine.App, args []string, organization string) error {
	was, err := a.AllowErased(ctx, args[0], args[1], organization)
	if err != nil {
		return err
	}
	shown := map[string]bool{"was_refused": was}
	return c.show(shown, view.Text(func(page *view.Page) {
		if was {
			page.Linef("The record is allowed again: the next run that reads it loads it. A sweep or a backfill reads the whole list.")
			return
		}
		page.Linef("The record was not refused.")
	}))
}

func (c *cli) listErasures(ctx context.Context, a *engine.App) error {
	receipts, err := erasures.List(ctx, a.DB.Pool())
	if err != nil {
		return err
	}
	err = c.show(receipts, view.Table(receipts, "ERASURE  ORGANIZATION  OF  BEGUN  PLACES  STATE  BY  NOTE", func(r *erasures.Receipt) view.Row {
		places := make([]string, 0, len(r.Places))
		for _, name := range slices.Sorted(maps.Keys(r.Places)) {
			places = append(places, view.Count(r.Places[name])+" "+name)
		}
		state := "refused"
		switch {
		case r.Altered:
			state = "ALTERED"
		case r.EndedAt == nil:
			state = "stopped"
		case r.AllowedAt != nil:
			state = "allowed again"
		}
		return view.Row{
			r.ID, r.Organization, erasedWhat(r), view.Minute(r.BegunAt, a.Zone(r.Organization)), strings.Join(places, ", "), state, r.AskedBy, r.Note,
		}
	}))
	if err != nil {
		return err
	}
	return exitIf(slices.ContainsFunc(receipts, func(r erasures.Receipt) bool { return r.Altered }))
}

// erasedWhat names what a receipt is about, which it does not hold.
func erasedWhat(r *erasures.Receipt) string {
	if r.Resource == "" {
		return "a text"
	}
	return r.Service + "." + r.Resource
}

// textView is what became of a text.
type textView struct {
	engine.TextErased

	// State is erased, would erase, nothing left, left or absent.
	State eraseState `json:"state"`
}

func (c *cli) eraseText(ctx context.Context, a *engine.App, organization string, options *eraseOptions) error {
	text, needle, err := c.givenText(options.contains, fewestCharacters, "write more of it")
	if err != nil {
		return err
	}
	if options.allow {
		return c.allowErasedText(ctx, a, organization, text)
	}
	progress := view.NewProgress(c.env.Stderr)
	dry := options.dry || options.verify
	result, err := a.EraseText(ctx, &erasures.TextSubject{
		Organization: organization, Needle: needle, Text: text, Note: options.note,
		Progress: func(place string, erased int64) {
			progress.Show(place + ": " + view.Plural(erased, "value") + " erased")
		},
	}, dry)
	progress.Clear()
	shown := textView{TextErased: result}
	if shown.State, err = options.state(err, result.Earlier != 0); err != nil {
		return err
	}
	if err := c.show(shown, view.Text(shown.text)); err != nil {
		return err
	}
	return exitIf(shown.State == isLeft || shown.State == absent && !options.verify || len(result.Waiting) > 0)
}

func (v *textView) text(page *view.Page) {
	switch v.State {
	case nothingLeft, absent:
		page.Linef("The text stands nowhere.")
		if v.Earlier != 0 {
			page.Linef("Runs leave out the values that held it since erasure %d.", v.Earlier)
		}
		v.renewed(page)
		return
	case isLeft:
		page.Linef("The text is left in:")
	case wouldErase:
		page.Linef("These values and raw records would be erased:")
	default:
		page.Linef("Erasure %d of a text: the receipt has the digest %s.", v.ID, v.Digest)
	}
	erasedPlaces(page, v.Places)
	if v.State == wasErased {
		v.renewed(page)
		keptElsewhere(page, &v.Receipt, "Runs leave the same values out.")
	}
}

// renewed says which rows were rebuilt, and which wait.
func (v *textView) renewed(page *view.Page) {
	if v.Rewritten > 0 {
		page.Linef("%s rebuilt from raw records, which lack the text now.", view.Plural(v.Rewritten, "row"))
	}
	for _, why := range v.Waiting {
		page.Linef("Rows of %s. Give the same command again to rebuild them.", why)
	}
}

func (c *cli) allowErasedText(ctx context.Context, a *engine.App, organization, text string) error {
	n, err := erasures.AllowText(ctx, a.DB.Pool(), organization, text)
	if err != nil {
		return err
	}
	return c.show(map[string]int64{"allowed": n}, view.Text(func(page *view.Page) {
		page.Linef("%s allowed again: runs load them when upstream shows them.", view.Plural(n, "value"))
	}))
}
