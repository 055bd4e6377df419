package validate_test

import (
	"errors"
	"strings"
	"testing"

	"sluice/pipeline/check"
	"sluice/schema"
	"sluice/schema/validate"
)

// good returns a declaration without faults; every case below breaks one thing.
func good() schema.Service {
	return schema.Service{
		Name: "shop", Doc: "What the shop sells.", Host: schema.HostAPI, Root: "/shop/v1", Scope: "Shop",
		Organization: schema.OrganizationPlacement{Query: "organization_id"},
		Limits:       schema.Limits{Shared: "suite", PerMinute: 100, Plans: map[string]schema.Plan{"free": {Daily: 1000, Concurrent: 5}}},
		Probe:        schema.Probe{Path: "/things", Key: "things"},
		Resources: []schema.Resource{{
			Name: "things", Doc: "One thing for sale.", Path: "/things", Key: "things", ID: "thing_id",
			Scope: "things", Every: "15m",
			Params: map[string]string{"filter_by": "Status.All"},
			Single: &schema.Single{Path: "/things/{id}", Key: "thing"},
			Cursor: schema.Since{Column: "changed", Param: "changed", Created: "made"},
			Columns: []schema.Column{
				schema.ID("thing_id", "Identifier of the thing."),
				schema.Time("changed", "When it last changed."),
				schema.Time("made", "When it was made."),
				schema.JSON("blob", "Kept as JSON because its shape is not shown.").Is(schema.FreeText),
			},
			Children: []schema.Child{{
				Name: "parts", Doc: "One part of it.", Columns: []schema.Column{schema.Text("name", "Name of the part.").Is(schema.Plain)},
			}},
			Ignored: map[string]string{"made_formatted": "a localised twin of made"},
			Assumed: []string{"The filter is assumed."},
		}},
	}
}

func TestValidateAcceptsTheGoodDeclaration(t *testing.T) {
	t.Parallel()
	err := validate.Services([]schema.Service{good()})
	check.FatalIf(t, err != nil, "want no fault, got %v", err)
}

// TestAServiceOfUsersListsNeedsNoProbe: neither without a list nor with those that users declare,
// which lie in a schema of their own.
func TestAServiceOfUsersListsNeedsNoProbe(t *testing.T) {
	t.Parallel()
	service := good()
	service.Probe = schema.Probe{}
	service.Resources[0].Schema = "custom"
	for _, resources := range [][]schema.Resource{nil, service.Resources} {
		service.Resources = resources
		err := validate.Services([]schema.Service{service})
		check.ErrorIf(t, err != nil, "%d lists: %v", len(resources), err)
	}
}

type validateCase struct {
	name  string
	spoil func(s *schema.Service, r *schema.Resource)
	want  string
}

func TestValidateNamesEveryFault(t *testing.T) {
	t.Parallel()
	cases := append(append(serviceCases(), resourceCases()...), columnCases()...)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			service := good()
			c.spoil(&service, &service.Resources[0])
			assertOneFault(t, validate.Services([]schema.Service{service}), c.want)
		})
	}
}

func assertOneFault(t *testing.T, err error, want string) {
	t.Helper()
	check.FatalIf(t, err == nil, "want %q, got no fault", want)
	got := err.Error()
	check.ErrorIf(t, got != want, "\nwant %s\ngot  %s", want, got)
	var fault *validate.DeclarationError
	check.ErrorIf(t, !errors.As(err, &fault) || !strings.HasPrefix(want, fault.Where+": "), "no *DeclarationError with its place in %v", err)
}

func TestValidateReportsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	one, two := good(), good()
	one.Doc = ""
	one.Resources[0].Every = "1s"
	err := validate.Services([]schema.Service{one, two})
	for _, want := range []string{"shop: the sentence is empty", "shop.things: every \"1s\"", "shop: the service is declared twice"} {
		check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), want), "want %q in %v", want, err)
	}
}

func serviceCases() []validateCase {
	return []validateCase{
		{"service name", func(s *schema.Service, _ *schema.Resource) { s.Name, s.Resources = "Shop", nil },
			`Shop: service name "Shop" must be 1 to 55 of a-z, 0-9 and _, a letter first; rename`},
		{"reserved schema", func(s *schema.Service, _ *schema.Resource) { s.Name = "river" },
			`river: the Postgres schema "river" has another owner; choose another service name`},
		{"host", func(s *schema.Service, _ *schema.Resource) { s.Host = 7 },
			"shop: host is not one of the closed set; use HostAPI or HostChat"},
		{"root", func(s *schema.Service, _ *schema.Resource) { s.Root = "shop/" },
			`shop: root "shop/" must start with a slash and not end with one`},
		{"envelope", func(s *schema.Service, _ *schema.Resource) { s.Envelope = 7 },
			"shop: envelope 7 is not one of the closed set; use EnvelopeCoded, EnvelopePlain or EnvelopeInfo"},
		{"no probe", func(s *schema.Service, _ *schema.Resource) { s.Probe = schema.Probe{Key: "things"} },
			`shop.probe: path "" must start with a slash and hold no query; write it as the document does`},
		{"scope", func(s *schema.Service, _ *schema.Resource) { s.Scope = "" },
			"shop: scope is empty; give the product part of the scope, such as Books"},
		{"probe path", func(s *schema.Service, _ *schema.Resource) { s.Probe.Path = "things" },
			`shop.probe: path "things" must start with a slash and hold no query; write it as the document does`},
		{"probe key", func(s *schema.Service, _ *schema.Resource) { s.Probe.Key = "" },
			"shop.probe: the response key is empty; name the key that carries the records"},
		{"probe format", func(s *schema.Service, _ *schema.Resource) { s.Probe.Format = 9 },
			"shop.probe: format 9 is not one of the closed set; use FormatJSON or FormatCSV"},
		{"minute", func(s *schema.Service, _ *schema.Resource) { s.Limits.PerMinute = -1 },
			"shop.limits: per minute is -1; use zero for not limited"},
		{"plans", func(s *schema.Service, _ *schema.Resource) { s.Limits.Plans = nil },
			"shop.limits: no plan is declared; name at least one with its figures"},
		{"plan name", func(s *schema.Service, _ *schema.Resource) { s.Limits.Plans = map[string]schema.Plan{"": {}} },
			`shop.limits.: plan name "" must be 1 to 55 of a-z, 0-9 and _, a letter first; rename`},
		{"plan figures", func(s *schema.Service, _ *schema.Resource) {
			s.Limits.Plans["free"] = schema.Plan{Daily: -1, Concurrent: 5}
		}, "shop.limits.free: daily -1, concurrent 5; use zero for not limited"},
		{"shared", func(s *schema.Service, _ *schema.Resource) { s.Limits.Shared = "" },
			"shop.limits: shared is empty; name the allowance that calls are counted against"},
	}
}

func resourceCases() []validateCase {
	return []validateCase{
		{"path", func(_ *schema.Service, r *schema.Resource) { r.Path = "/things?x=1" },
			`shop.things: path "/things?x=1" must start with a slash and hold no query; write it as the document does`},
		{"key", func(_ *schema.Service, r *schema.Resource) { r.Key = "" },
			"shop.things: the response key is empty; name the key that carries the records"},
		{"csv key", func(_ *schema.Service, r *schema.Resource) {
			r.Cursor, r.Children = schema.Export{FieldsParam: "fields"}, nil
		}, `shop.things: a CSV answer has no response key "things"; leave it empty`},
		{"area", func(_ *schema.Service, r *schema.Resource) { r.Scope = "" },
			"shop.things: scope is empty; give the area of the scope, such as bills"},
		{"every", func(_ *schema.Service, r *schema.Resource) { r.Every = "59s" },
			`shop.things: every "59s" is not a duration of at least a minute; write one such as 15m`},
		{"every no duration", func(_ *schema.Service, r *schema.Resource) { r.Every = "daily" },
			`shop.things: every "daily" is not a duration of at least a minute; write one such as 15m`},
		{"assumed", func(_ *schema.Service, r *schema.Resource) { r.Assumed = []string{"the filter is assumed"} },
			`shop.things.assumed: the sentence "the filter is assumed" does not end with a full stop; add it`},
		{"single id", func(_ *schema.Service, r *schema.Resource) { r.Single.Path = "/things" },
			`shop.things.single: path "/things" has no {id}; put it where the identifier goes`},
		{"single key", func(_ *schema.Service, r *schema.Resource) { r.Single.Key = "" },
			"shop.things.single: key is empty; name the response key that carries the record"},
		{"key first", func(_ *schema.Service, r *schema.Resource) { r.ID = "changed" },
			`shop.things: the first column is "thing_id" and not the key "changed"; declare the key first`},
		{"key kind", func(_ *schema.Service, r *schema.Resource) { r.Columns[0].Kind = schema.KindText },
			"shop.things.thing_id: the key column is no identifier; declare it by ID"},
		{"no cursor", func(_ *schema.Service, r *schema.Resource) { r.Cursor = nil },
			"shop.things.cursor: no cursor is declared; FullScan reads any list"},
		{"cursor column", func(_ *schema.Service, r *schema.Resource) {
			r.Cursor = schema.NewestFirst{Column: "when", Sort: "when"}
		},
			`shop.things.cursor: column "when" is not declared; declare it by Time`},
		{"cursor kind", func(_ *schema.Service, r *schema.Resource) { r.Cursor = schema.FullScan{Modified: "blob"} },
			`shop.things.cursor: column "blob" is no instant; declare it by Time`},
		{"filter", func(_ *schema.Service, r *schema.Resource) { r.Cursor = schema.Since{Column: "changed"} },
			"shop.things.cursor: the filter parameter is empty; without a filter use FullScan"},
		{"newest sort", func(_ *schema.Service, r *schema.Resource) { r.Cursor = schema.NewestFirst{Column: "changed"} },
			"shop.things.cursor: the sort is empty; without a sort use FullScan"},
		{"full sort", func(_ *schema.Service, r *schema.Resource) { r.Cursor = schema.FullScan{Sort: "made"} },
			"shop.things.cursor: a sort is declared but no creation time; name the column it sorts by"},
		{"export fields", func(_ *schema.Service, r *schema.Resource) {
			r.Cursor, r.Children, r.Key = schema.Export{}, nil, ""
		}, "shop.things.cursor: the parameter that names the columns is empty; name it"},
		{"export children", func(_ *schema.Service, r *schema.Resource) {
			r.Cursor, r.Key = schema.Export{FieldsParam: "fields"}, ""
		}, "shop.things.cursor: a line of CSV has no arrays; drop the children"},
		{"params", func(_ *schema.Service, r *schema.Resource) { r.Params = map[string]string{"page": "1"} },
			`shop.things.params: "page" is set by the engine; drop it`},
		{"params of info", func(s *schema.Service, r *schema.Resource) {
			s.Envelope, r.Cursor, r.Params = schema.EnvelopeInfo, schema.FullScan{}, map[string]string{"page_token": "x"}
		}, `shop.things.params: "page_token" is set by the engine; drop it`},
		{"filter of info", func(s *schema.Service, _ *schema.Resource) { s.Envelope = schema.EnvelopeInfo },
			"shop.things.cursor: no parameter filters the lists of shop by time; use NewestFirst"},
		{"params organization", func(_ *schema.Service, r *schema.Resource) {
			r.Params = map[string]string{"organization_id": "1"}
		}, `shop.things.params: "organization_id" is set by the engine; drop it`},
		{"params value", func(_ *schema.Service, r *schema.Resource) { r.Params = map[string]string{"x": ""} },
			"shop.things.params: a parameter without name or value; give both or drop it"},
		{"table twice", func(s *schema.Service, r *schema.Resource) {
			other := *r
			other.Name, other.Children = "things_parts", nil
			s.Resources = append(s.Resources, other)
		}, "shop.things_parts: table things_parts is already the table of shop.things.parts; rename one"},
		{"table length", func(_ *schema.Service, r *schema.Resource) { r.Children[0].Name = strings.Repeat("p", 55) + "arts" },
			"shop.things." + strings.Repeat("p", 55) + "arts: table name things_" + strings.Repeat("p", 55) +
				"arts has 66 bytes, Postgres keeps 63; shorten a name\nshop.things." + strings.Repeat("p", 55) +
				`arts: child name "` + strings.Repeat("p", 55) + `arts" must be 1 to 55 of a-z, 0-9 and _, a letter first; rename`},
	}
}

func columnCases() []validateCase {
	column := func(c schema.Column) func(*schema.Service, *schema.Resource) {
		return func(_ *schema.Service, r *schema.Resource) { r.Columns = append(r.Columns, c) }
	}
	nested := []schema.Child{{
		Name: "a", Doc: "One of a.", Columns: []schema.Column{schema.Text("x", "The x of it.").Is(schema.Plain)},
		Children: []schema.Child{{Name: "b", Doc: "One of b.", Columns: []schema.Column{schema.Text("y", "The y of it.").Is(schema.Plain)}}},
	}}
	return []validateCase{
		{"no sentence", column(schema.Text("a", "").Is(schema.Plain)), "shop.things.a: the sentence is empty; say what it is"},
		{"no full stop", column(schema.Text("a", "What it is").Is(schema.Plain)),
			`shop.things.a: the sentence "What it is" does not end with a full stop; add it`},
		{"one word", column(schema.Text("a", "A.").Is(schema.Plain)), `shop.things.a: "A." is no sentence; say what an analyst needs to know`},
		{"line break", column(schema.Text("a", "What it\nis.").Is(schema.Plain)),
			`shop.things.a: the sentence "What it\nis." holds a line break or a dash pair, which migrations cannot; write one plain line`},
		{"underscore", column(schema.Text("_content_hash", "What it is.").Is(schema.Plain)),
			`shop.things._content_hash: column name "_content_hash" begins with an underscore, as only columns of ours do; rename`},
		{"upper case", column(schema.Text("Total", "What it is.").Is(schema.Plain)),
			`shop.things.Total: column name "Total" must be 1 to 55 of a-z, 0-9 and _, a letter first; rename`},
		{"organization", column(schema.Text("organization_id", "What it is.").Is(schema.Plain)),
			"shop.things.organization_id: organization_id is the column of ours that tells organizations apart; rename by As"},
		{"kind", column(schema.Column{Wire: "a", Doc: "What it is.", Kind: 42, Class: schema.Plain}),
			"shop.things.a: kind 42 is not one of the closed set; use a constructor of package schema"},
		{"no wire", column(schema.Text("", "What it is.").Is(schema.Plain).As("a")),
			"shop.things.: the wire name is empty; spell the key as the document does"},
		{"json reason", column(schema.JSON("a", "What it is.").Is(schema.FreeText)),
			"shop.things.a: the sentence of a JSON column must say why it has no typed columns; add a because"},
		{"class", column(schema.Text("a", "What it is.")),
			"shop.things.a: the column does not say what its values may tell about people; add Is with a class, such as Is(schema.FreeText)"},
		{"class of an element", func(_ *schema.Service, r *schema.Resource) {
			r.Children[0].Columns = append(r.Children[0].Columns, schema.JSON("b", "JSON because it is open."))
		}, "shop.things.parts.b: the column does not say what its values may tell about people; add Is with a class, such as Is(schema.FreeText)"},
		{"column name twice", column(schema.Text("a", "What it is.").Is(schema.Plain).As("blob")),
			`shop.things.a: column name "blob" is taken; give one another name by As`},
		{"ignored twice", column(schema.Text("made_formatted", "What it is.").Is(schema.Plain)),
			"shop.things.made_formatted: the key is declared as column and as ignored; keep one"},
		{"ignored reason", func(_ *schema.Service, r *schema.Resource) { r.Ignored["x"] = " " },
			"shop.things.x: ignored without key or reason; say why it is not copied"},
		{"child twice", func(_ *schema.Service, r *schema.Resource) { r.Ignored["parts"] = "for a reason" },
			"shop.things.parts: the key is declared as child and as ignored; keep one"},
		{"empty child", func(_ *schema.Service, r *schema.Resource) { r.Children[0].Columns = nil },
			"shop.things.parts: an array without columns; declare them, or the key by JSON or as ignored"},
		{"scalar", func(_ *schema.Service, r *schema.Resource) {
			r.Children[0].Scalar = true
			r.Children[0].Columns = append(r.Children[0].Columns, schema.Text("b", "What it is.").Is(schema.Plain))
		}, "shop.things.parts: an array of bare values has exactly one column and nothing else; declare one column"},
		{"child sentence", func(_ *schema.Service, r *schema.Resource) { r.Children[0].Doc = "One part of it" },
			`shop.things.parts: the sentence "One part of it" does not end with a full stop; add it`},
		{"depth", func(_ *schema.Service, r *schema.Resource) { r.Children[0].Children = nested },
			"shop.things.parts.a.b: arrays nest 3 deep, tables only 2; declare the inner one by JSON"},
	}
}

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
	err := validate.Services([]schema.Service{dated()})
	check.FatalIf(t, err != nil, "want no fault, got %v", err)
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
