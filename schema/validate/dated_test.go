package validate_test

import (
	"testing"

	"sluice/schema"
	"sluice/schema/validate"
)

// dated is the wide declaration with all words for the period of a record.
func dated() schema.Service {
	s := wide()
	thing := &s.Resources[things]
	thing.Columns = append(thing.Columns, schema.Date("sold_on", "Day on which it was sold."), schema.ID("currency", "Code of its currency."))
	thing.Dated = &schema.Dated{
		On: "sold_on", Figures: []string{"price", "cost"}, Currency: "currency", Rate: "rate", State: "state", Out: []string{"new"}, With: []string{"colour"},
		Lines: "parts", LineColumns: []string{"name"},
	}
	return s
}

func TestValidateNamesEveryFaultOfAPeriod(t *testing.T) {
	t.Parallel()
	if err := validate.Services([]schema.Service{dated()}); err != nil {
		t.Fatalf("want no fault, got %v", err)
	}
	for name, c := range map[string]struct {
		spoil func(*schema.Dated)
		want  string
	}{
		"an instant":         {func(d *schema.Dated) { d.On = "changed" }, `the column "changed" is no declared day; declare it by Date`},
		"no day":             {func(d *schema.Dated) { d.On = "" }, `the column "" is no declared day; declare it by Date`},
		"no figure":          {func(d *schema.Dated) { d.Figures = nil }, "no figure is named, so a period would have no sums; name one or drop it"},
		"a figure of text":   {func(d *schema.Dated) { d.Figures[1] = "state" }, `the figure "state" is no declared decimal, or named twice; declare it once, by Decimal`},
		"a figure twice":     {func(d *schema.Dated) { d.Figures[1] = "price" }, `the figure "price" is no declared decimal, or named twice; declare it once, by Decimal`},
		"no currency":        {func(d *schema.Dated) { d.Currency = "" }, `the currency "" is no declared identifier; declare it by ID, or leave out the rate, too`},
		"a currency of text": {func(d *schema.Dated) { d.Currency = "state" }, `the currency "state" is no declared identifier; declare it by ID, or leave out the rate, too`},
		"a rate of text":     {func(d *schema.Dated) { d.Rate = "state" }, `the rate "state" is no declared decimal; declare it by Decimal`},
		"a state of numbers": {func(d *schema.Dated) { d.State = "price" }, `the state "price" is no declared text, or has no states that do not count; name both or none`},
		"states of nothing":  {func(d *schema.Dated) { d.State = "" }, `the state "" is no declared text, or has no states that do not count; name both or none`},
		"a personal column": {func(d *schema.Dated) { d.With[0] = "blob" },
			`"blob" is no declared column, is personal, or is named twice; what is kept of a closed period tells nothing about people`},
		"a figure once more": {func(d *schema.Dated) { d.With[0] = "cost" },
			`"cost" is no declared column, is personal, or is named twice; what is kept of a closed period tells nothing about people`},
		"no lines":        {func(d *schema.Dated) { d.Lines = "pieces" }, `the lines "pieces" are no declared array, or have no columns; name both or none`},
		"empty lines":     {func(d *schema.Dated) { d.LineColumns = nil }, `the lines "parts" are no declared array, or have no columns; name both or none`},
		"columns nowhere": {func(d *schema.Dated) { d.Lines = "" }, `the lines "" are no declared array, or have no columns; name both or none`},
		"a line column":   {func(d *schema.Dated) { d.LineColumns[0] = "size" }, `"size" is no declared column of a line, is personal, or is named twice`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := dated()
			c.spoil(service.Resources[things].Dated)
			assertOneFault(t, validate.Services([]schema.Service{service}), "shop.things.dated: "+c.want)
		})
	}
}
