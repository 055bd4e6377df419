package redact_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"testing"

	"sluice/pipeline/check"
	"sluice/schema"
	"sluice/schema/redact"
)

// people is a resource with every shape that a record can have.
func people() *schema.Resource {
	return &schema.Resource{
		Name: "people", ID: "person_id", Key: "people",
		Cursor: schema.Since{Column: "modified", Created: "created"},
		Columns: []schema.Column{
			schema.ID("person_id", "Key."), schema.Text("name", "Name.").Is(schema.Person),
			schema.Text("email", "Address.").As("mail").Is(schema.Contact), schema.ID("phone", "Number.").Is(schema.Contact),
			schema.Text("notes", "Notes.").Is(schema.FreeText), schema.JSON("more", "Open.").Is(schema.FreeText),
			schema.Decimal("amount", "Amount."), schema.Time("modified", "Changed.").OrAs("modified_at"), schema.Time("created", "Made."),
			schema.ID("company_id", "Company."), schema.Text("state", "State.").OneOf("a", "b").Is(schema.Plain),
			schema.Date("born", "Day.").Is(schema.Person),
		},
		Children: []schema.Child{
			{Name: "persons", Columns: []schema.Column{
				schema.ID("id", "Key."), schema.Text("email", "Address.").Is(schema.Contact),
			}, Children: []schema.Child{{Name: "tags", Scalar: true, Columns: []schema.Column{schema.Text("tag", "Tag.").Is(schema.FreeText)}}}},
			{Name: "place", Object: true, Columns: []schema.Column{schema.Text("street", "Street.").Is(schema.Address), schema.Text("city", "City.").Is(schema.Plain)}},
			{Name: "mails", Scalar: true, Columns: []schema.Column{schema.Text("mail", "Address.").Is(schema.Contact)}},
			{Name: "fields", Prefix: "cf_", Twin: "_formatted", Columns: []schema.Column{
				schema.ID("key", "Key."), schema.JSON("value", "Value.").Is(schema.FreeText), schema.Text("text", "Text.").Is(schema.FreeText),
			}},
		},
		Ignored: map[string]string{"text": "not copied", "name_formatted": "the same"},
	}
}

var secret = []byte("0123456789abcdef0123456789ABCDEF")

// expected is the hash of a text, made here by the rule and not by the code under test.
func expected(text string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(strings.ToLower(strings.TrimSpace(text))))
	return "h1_" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(mac.Sum(nil)[:16]))
}

func redactor(tb testing.TB, choice redact.Choice) *redact.Redactor {
	tb.Helper()
	rules, mistakes := redact.Resolve(people(), choice, redact.Choice{}, nil)
	check.FatalIf(tb, len(mistakes) > 0, "mistakes %+v", mistakes)
	return redact.New(people(), rules, redact.NewKey(secret))
}

func TestRecord(t *testing.T) {
	t.Parallel()
	email, mail, free := redact.Choice{Omit: []string{"mail"}}, redact.Choice{Hash: []string{"email"}}, redact.Choice{Omit: []string{"free_text"}}
	h := func(text string) string { return `"` + expected(text) + `"` }
	for name, c := range map[string]struct {
		choice   redact.Choice
		in, want string
	}{
		"nothing to do":        {email, ` {"name" : "A", "amount":1.50 } `, ` {"name" : "A", "amount":1.50 } `},
		"in the middle":        {email, `{"name":"A", "email" : "x", "amount":1.50}`, `{"name":"A", "amount":1.50}`},
		"first":                {email, `{ "email":"x", "name":"A"}`, `{ "name":"A"}`},
		"last":                 {email, `{"name":"A" , "email":"x" }`, `{"name":"A" }`},
		"alone":                {email, `{ "email":{"a":["x"]} }`, `{ }`},
		"all of several":       {email, `{"email":"x","email":"y" , "email":"z"}`, `{}`},
		"duplicates":           {email, `{"email":"x","name":"A","email":"y"}`, `{"name":"A"}`},
		"escaped name":         {email, `{"e\u006dail":"x","name":"A"}`, `{"name":"A"}`},
		"twin":                 {email, `{"email_formatted":"x","name":"A","email":"x"}`, `{"name":"A"}`},
		"ignored twin":         {redact.Choice{Omit: []string{"name"}}, `{"name":"A","name_formatted":"A","amount":1}`, `{"amount":1}`},
		"an erased record":     {email, `null`, `null`},
		"null goes, too":       {email, `{"email":null,"name":"A"}`, `{"name":"A"}`},
		"same name elsewhere":  {email, `{"persons":[{"email":"x"}],"email":"y"}`, `{"persons":[{"email":"x"}]}`},
		"in an array":          {redact.Choice{Omit: []string{"persons.email"}}, `{"email":"y","persons":[{"id":1,"email":"x"},{"email":"z"} ]}`, `{"email":"y","persons":[{"id":1},{} ]}`},
		"object for an array":  {redact.Choice{Omit: []string{"persons.email"}}, `{"persons":{"id":1,"email":"x"}}`, `{"persons":{"id":1}}`},
		"one object":           {redact.Choice{Omit: []string{"address"}}, `{"place":{"street":"S","city":"C"}}`, `{"place":{"city":"C"}}`},
		"text in an array":     {redact.Choice{Omit: []string{"persons.email"}}, `{"persons":["x",7,["x"],null,{"id":1}]}`, `{"persons":[null,null,null,null,{"id":1}]}`},
		"text for an array":    {redact.Choice{Omit: []string{"persons.email"}}, `{"persons":"x"}`, `{"persons":[null]}`},
		"empty for an array":   {redact.Choice{Omit: []string{"persons.email"}}, `{"persons":"","place":null}`, `{"persons":"","place":null}`},
		"bare values":          {redact.Choice{Omit: []string{"mails.mail"}}, `{"mails":["x"],"name":"A"}`, `{"name":"A"}`},
		"bare values nested":   {redact.Choice{Omit: []string{"persons.tags.tag"}}, `{"persons":[{"tags":["x"],"id":1}]}`, `{"persons":[{"id":1}]}`},
		"hash":                 {mail, `{"email":" Anna@X.org ","name":"A"}`, `{"email":` + h("anna@x.org") + `,"name":"A"}`},
		"hash of escapes":      {mail, `{"email":"\u0041nna@x.org"}`, `{"email":` + h("anna@x.org") + `}`},
		"hash of a number":     {redact.Choice{Hash: []string{"phone"}}, `{"phone":4917012}`, `{"phone":` + h("4917012") + `}`},
		"hash of null":         {mail, `{"email":null}`, `{"email":null}`},
		"hash of nothing":      {mail, `{"email":""}`, `{"email":""}`},
		"hash of an object":    {mail, `{"email":{"a":"x"},"name":"A"}`, `{"name":"A"}`},
		"hash of a hash":       {mail, `{"email":` + h("a") + `}`, `{"email":` + h("a") + `}`},
		"hash and its twin":    {mail, `{"email":"a","email_formatted":"a"}`, `{"email":` + h("a") + `}`},
		"hash of bare values":  {redact.Choice{Hash: []string{"mails.mail"}}, `{"mails":["A",null,{"b":"x"}, "c"]}`, `{"mails":[` + h("a") + `,null,null, ` + h("c") + `]}`},
		"one bare value":       {redact.Choice{Hash: []string{"mails.mail"}}, `{"mails":"A"}`, `{"mails":` + h("a") + `}`},
		"free text":            {free, `{"notes":"x","text":"x","surprise":{"a":1},"cf_a":"x","cf_a_formatted":"x","name":"A","persons":[{"new":"x","id":1}]}`, `{"name":"A","persons":[{"id":1}]}`},
		"hashed free text":     {redact.Choice{Hash: []string{"free_text"}}, `{"notes":"x","text":"x","surprise":1,"cf_a":"V","cf_a_formatted":"v","cf_b":[1]}`, `{"notes":` + h("x") + `,"cf_a":` + h("v") + `,"cf_a_formatted":` + h("v") + `}`},
		"value of a field":     {redact.Choice{Omit: []string{"fields.value"}}, `{"cf_a":"x","cf_a_formatted":"x","name":"A"}`, `{"name":"A"}`},
		"hash without text":    {redact.Choice{Hash: []string{"fields.value"}}, `{"cf_a":"x","cf_a_formatted":"x"}`, `{"cf_a":` + h("x") + `}`},
		"text of a field":      {redact.Choice{Omit: []string{"fields.text"}}, `{"cf_a":"x","cf_a_formatted":"X"}`, `{"cf_a":"x"}`},
		"a class":              {redact.Choice{Hash: []string{"person"}}, `{"name":"A","born":"2000-01-01","email":"x"}`, `{"name":` + h("a") + `,"email":"x"}`},
		"a name before class":  {redact.Choice{Omit: []string{"contact"}, Hash: []string{"mail"}}, `{"email":"a","phone":"1"}`, `{"email":` + h("a") + `}`},
		"not an object":        {email, `["anna@x.org"]`, `{"_withheld":"not a JSON object","_bytes":14}`},
		"no JSON":              {email, `{"name":"A","email":"anna`, `{"_withheld":"not a JSON object","_bytes":25}`},
		"more behind":          {email, `{} "x"`, `{"_withheld":"not a JSON object","_bytes":6}`},
		"a comma with nothing": {email, `{"email":"x",}`, `{"_withheld":"not a JSON object","_bytes":14}`},
		"no UTF-8":             {email, "{\"name\":\"A\xff\xfe\",\"email\":\"\xff\"}", "{\"name\":\"A\uFFFD\uFFFD\"}"},
		"too deep":             {email, `{"more":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, `{"_withheld":"not a JSON object","_bytes":137}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := redactor(t, c.choice)
			for range 2 { // the second time the order of keys is remembered
				got := string(of.Record([]byte(c.in)))
				check.ErrorIf(t, got != c.want, "of %s\ngot  %s\nwant %s", c.in, got, c.want)
			}
			all := [][]byte{[]byte(c.in), []byte(c.in)}
			if of.Records(all); string(all[0]) != c.want || string(all[1]) != c.want || cap(all[0]) > len(all[0])+len(c.in) {
				t.Errorf("together: %s", all)
			}
			got := string(of.Record([]byte(c.want)))
			check.ErrorIf(t, !redact.Withheld([]byte(c.want)) && got != c.want, "a second time gives %s", got)
		})
	}
}

func TestNothingChosenIsNothingDone(t *testing.T) {
	t.Parallel()
	none := redact.New(people(), nil, nil)
	records := [][]byte{[]byte(`["x"]`)}
	if none.Records(records); none != nil || string(records[0]) != `["x"]` || none.Rules() != nil {
		t.Errorf("%v: %s", none, records[0])
	}
	raw := []byte(`{"name":"A"}`)
	got := redactor(t, redact.Choice{Omit: []string{"email"}}).Record(raw)
	check.ErrorIf(t, &got[0] != &raw[0], "a record without the column was copied")
}

func TestKeys(t *testing.T) {
	t.Parallel()
	key, other := redact.NewKey(secret), redact.NewKey([]byte("another key of thirty-two bytes!"))
	check.Same(t, "hash", expected("ärzte@x.org"), key.Hash([]byte("  ÄRZTE@x.org\t")))
	long := bytes.Repeat([]byte("long key "), 20)
	mac := hmac.New(sha256.New, long)
	mac.Write([]byte("a"))
	want := "h1_" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(mac.Sum(nil)[:16]))
	check.Same(t, "hash of a long key", want, redact.NewKey(long).Hash([]byte("A")))
	check.ErrorIf(t, key.Hash([]byte("a")) == other.Hash([]byte("a")), "two keys give one hash")
	made := key.Print([8]byte{1, 2, 3})
	check.ErrorIf(t, !key.Made(made) || other.Made(made) || key.Made("") || key.Made("00.00") || key.Made(made+"0"),
		"fingerprint %s is not that of its key alone", made)
	for text, want := range map[string]bool{expected("a"): true, "h1_": false, "h1_" + strings.Repeat("A", 26): false, "h1_" + strings.Repeat("a", 27): false, "h2" + expected("a")[2:]: false} {
		check.ErrorIf(t, redact.IsHash([]byte(text)) != want, "%s: want %t", text, want)
	}
}

func TestMistakesAreAllNamed(t *testing.T) {
	t.Parallel()
	resource := people()
	resource.History = []string{"amount"}
	_, mistakes := redact.Resolve(resource, redact.Choice{
		Omit: []string{"person_id", "modified", "created", "fields.key", "amount", "company_id", "mail", "mail", "contact", "emial"},
		Hash: []string{"mail", "amount", "company_id", "state", "born", "contact", "_extra", "name"},
	}, redact.Choice{}, []string{"company_id"})
	var got []string
	for _, m := range mistakes {
		word, _, _ := strings.Cut(m.Detail, ":")
		if len(m.Allowed) > 0 {
			word = "unknown"
		}
		got = append(got, string(m.How)+" "+m.Name+" "+word)
	}
	want := []string{
		"hashed contact is in omit, too",
		"omitted person_id has to stay", "omitted modified has to stay", "omitted created has to stay", "omitted fields.key has to stay",
		"omitted amount has to stay", "omitted company_id has to stay", "omitted mail is there twice", "omitted emial unknown",
		"hashed mail is in omit, too", "hashed amount is in omit, too", "hashed company_id is in omit, too", "hashed state cannot be hashed", "hashed born cannot be hashed",
		"hashed _extra holds keys that no column takes, which can be left out alone",
	}
	check.ErrorIf(t, strings.Join(got, "\n") != strings.Join(want, "\n"),
		"got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	_, mistakes = redact.Resolve(resource, redact.Choice{Hash: []string{"company_id"}}, redact.Choice{}, nil)
	check.ErrorIf(t, len(mistakes) != 1 || !strings.Contains(mistakes[0].Detail, "could not be joined"), "mistakes %+v", mistakes)
}

func TestChoicesOfAllResourcesComeLast(t *testing.T) {
	t.Parallel()
	resource := people()
	resource.Columns[1] = resource.Columns[1].Is(schema.Contact)
	resource.Cursor = schema.PerParent{Column: "name", List: schema.FullScan{}}
	rules, mistakes := redact.Resolve(resource, redact.Choice{Hash: []string{"mail"}}, redact.Choice{Omit: []string{"contact"}}, nil)
	got := make(map[string]redact.How)
	for _, rule := range rules {
		got[rule.Path] = rule.How
	}
	check.ErrorIf(t, len(mistakes) > 0 || len(got) != 4 || got["mail"] != redact.Hashed || got["phone"] != redact.Omitted ||
		got["persons.email"] != redact.Omitted || got["mails.mail"] != redact.Omitted,
		"rules %v, mistakes %v: name is needed and stays, mail is hashed", got, mistakes)
}
