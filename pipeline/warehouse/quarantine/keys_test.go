package quarantine_test

import (
	"fmt"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/schema"
	"sluice/schema/record"
)

// bills returns a resource with a value, two arrays, one in the other, rows made of a prefix, and a
// column that the wire never carries.
func bills() *schema.Resource {
	network := schema.Text("network", "Where it was listed.")
	network.Given = true
	return &schema.Resource{
		Name: "bills", ID: "bill_id", Cursor: schema.FullScan{},
		Columns: []schema.Column{schema.ID("bill_id", "Key."), schema.Text("status", "State."), network},
		Children: []schema.Child{
			{Name: "lines", Doc: "A line.", Columns: []schema.Column{schema.Text("name", "Name.")}, Children: []schema.Child{
				{Name: "taxes", Doc: "A tax.", Columns: []schema.Column{schema.Text("tax", "Tax.")}},
			}},
		},
	}
}

// answer returns a list's answer with ten records of each given form.
func answer(t *testing.T, forms ...string) *pipeline.Batch {
	t.Helper()
	resource := bills()
	normalizer := check.Sure(record.New(resource, time.UTC))(t)
	batch := &pipeline.Batch{Claim: pipeline.Claim{Stream: pipeline.Stream{Resource: resource}}, Call: 1, Listed: true}
	for _, form := range forms {
		for i := range 10 {
			record := check.Sure(normalizer.Record(fmt.Appendf(nil, `{"bill_id":"%d"%s}`, i, form)))(t)
			batch.Records = append(batch.Records, record)
		}
	}
	return batch
}

func TestWhatMostRecordsCarry(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forms         []string
		came, lacking []string
	}{
		"all of it":            {[]string{`,"status":"paid","lines":[{"name":"x","taxes":[]}]`}, []string{"bill_id", "status", "lines"}, nil},
		"null and empty come":  {[]string{`,"status":null,"lines":[]`}, []string{"bill_id", "status", "lines"}, nil},
		"no array":             {[]string{`,"status":""`}, []string{"bill_id", "status"}, []string{"lines"}},
		"half of them":         {[]string{`,"status":""`, `,"lines":[]`}, []string{"bill_id"}, []string{"status", "lines"}},
		"two thirds have both": {[]string{`,"lines":[],"status":""`, `,"lines":[]`, `,"status":""`}, []string{"bill_id", "status", "lines"}, nil},
		"renamed":              {[]string{`,"state":"paid","lines":[]`}, []string{"bill_id", "lines"}, []string{"status"}},
	} {
		want := quarantine.Sight{Came: c.came, Lacking: c.lacking, Read: 10 * len(c.forms)}
		check.Same(t, name, want, quarantine.Look(answer(t, c.forms...)))
	}
}

func TestWhatSaysNothingAboutKeys(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*pipeline.Batch){
		"too few records":         func(u *pipeline.Batch) { u.Records = u.Records[:9] },
		"single records":          func(u *pipeline.Batch) { u.Listed = false },
		"out of raw records":      func(u *pipeline.Batch) { u.Call = 0 },
		"known by their bytes":    func(u *pipeline.Batch) { u.Records[3].Unchanged = true },
		"an old part of the list": func(u *pipeline.Batch) { u.Claim.Stream.Work = pipeline.WorkBackfill },
	} {
		batch := answer(t, "")
		spoil(batch)
		seen := quarantine.Look(batch)
		check.ErrorIf(t, len(seen.Came)+len(seen.Lacking) > 0, "%s: %+v", name, seen)
	}
}
