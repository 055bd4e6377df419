package cli

import (
	"context"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/erasures"
)

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
	n, err := a.AllowErasedText(ctx, organization, text)
	if err != nil {
		return err
	}
	return c.show(map[string]int64{"allowed": n}, view.Text(func(page *view.Page) {
		page.Linef("%s allowed again: runs load them when upstream shows them.", view.Plural(n, "value"))
	}))
}
