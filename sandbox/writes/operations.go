package writes

import (
	"net/http"
	"slices"
	"strings"

	"sluice/sandbox/answer"
	"sluice/sandbox/rules"
	"sluice/sandbox/world"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/writes/draft"
)

// create makes a record.
func create(as shape) operation {
	return operation{as, func(e *edit) (said, error) {
		under, err := e.parent()
		if err != nil {
			return said{}, err
		}
		if err := e.check(true, -1); err != nil {
			return said{}, err
		}
		return as.put(http.StatusCreated, e.about("created"), e.save(-1, under)), nil
	}}
}

// update changes the record that the path names.
func update(as shape) operation {
	return operation{as, func(e *edit) (said, error) {
		i, err := e.named()
		if err != nil {
			return said{}, err
		}
		if err := e.check(false, i); err != nil {
			return said{}, err
		}
		return as.put(http.StatusOK, e.about("updated"), e.save(i, "")), nil
	}}
}

// updateOnly changes the one record of its kind, which the body names under a key.
func updateOnly(as shape, key string) operation {
	return operation{as, func(e *edit) (said, error) {
		if err := e.check(false, -1); err != nil {
			return said{}, err
		}
		i, found := e.world.Index(e.kind(), e.body.Text(key))
		if !found {
			return said{}, missing()
		}
		return as.put(http.StatusOK, e.about("updated"), e.save(i, "")), nil
	}}
}

// replace makes the one record of its kind anew.
func replace(as shape) operation {
	return operation{as, func(e *edit) (said, error) {
		if err := e.check(true, -1); err != nil {
			return said{}, err
		}
		for _, i := range slices.Clone(e.all("")) {
			e.world.Delete(e.kind(), int(i))
		}
		return as.put(http.StatusCreated, e.about("created"), e.save(-1, "")), nil
	}}
}

// destroy deletes the record that the path names.
func destroy(e *edit) (said, error) {
	i, err := e.named()
	if err != nil {
		return said{}, err
	}
	e.world.Delete(e.kind(), i)
	return done(e.about("deleted")), nil
}

// destroyAll deletes the one record of its kind.
func destroyAll(e *edit) (said, error) {
	all := slices.Clone(e.all(""))
	if len(all) == 0 {
		return said{}, missing()
	}
	for _, i := range all {
		e.world.Delete(e.kind(), int(i))
	}
	return done(e.about("deleted")), nil
}

// enable answers that locations are being enabled: the sandbox has them already.
func enable(*edit) (said, error) { return done("Locations are being enabled."), nil }

// picture attaches an image to a composite item.
func picture(e *edit) (said, error) {
	i, err := e.named()
	if err != nil {
		return said{}, err
	}
	e.save(i, "")
	return done("Image attached to the composite item."), nil
}

func (e *edit) kind() world.Kind { return e.call.Endpoint.Resource.Kind }

func (e *edit) all(under string) []int32 {
	return e.world.Order(world.Query{Kind: e.kind(), Under: under})
}

// about returns the message of a success; no document shows its text.
func (e *edit) about(what string) string {
	name := strings.ReplaceAll(strings.TrimSuffix(e.call.Endpoint.Resource.Name, "s"), "_", " ")
	return "The " + name + " has been " + what + "."
}

// check checks the body against the rule and the world. index is the record to change, -1 for a new
// one.
func (e *edit) check(creating bool, index int) error {
	problems := e.rule.Check(e.body, creating)
	problems = append(problems, draft.References(e.world, e.rule.Fields, e.body)...)
	for _, id := range values(e.query.Get("account_ids")) {
		if _, found := e.world.Index(world.Accounts, id); !found && e.kind() == world.Adjustments {
			problems = append(problems, rules.Problem{Field: "account_ids", Text: "there is no account " + id})
		}
	}
	for _, name := range []string{"parent_account_id", "parent_location_id"} {
		if index >= 0 && e.body.Text(name) == e.world.ID(e.kind(), index) {
			problems = append(problems, rules.Problem{Field: name, Text: "is the record itself"})
		}
	}
	if len(problems) == 0 && e.kind() == world.Payments {
		problems = draft.CheckPayment(e.world, e.body, index)
	}
	return wrong(problems)
}

// save stores the record and returns it in the form of a single record, with the few keys that the
// documents add for answers of writes.
func (e *edit) save(index int, under string) *overlay.Object {
	d := &draft.Draft{
		World: e.world, Kind: e.kind(), Index: index, Created: index < 0, Now: e.now, Today: e.today,
		Fields: e.rule.Fields, Prefix: e.rule.Prefix, Body: e.body, File: e.file, Accounts: values(e.query.Get("account_ids")),
	}
	d.Open()
	if e.kind() == world.ContactPersons || e.kind() == world.CustomerPersons {
		under = e.contact(d, under)
	}
	if e.kind() == world.ModuleRecords && d.Created {
		d.Record.SetText("module_api_name", modulePrefix+strings.TrimPrefix(under, modulePrefix))
	}
	d.Save(under)
	form := world.Full
	if e.kind() == world.Currencies || e.kind() == world.Adjustments {
		form = world.Single // rates and gains appear in lists (docs/upstream.md U181 and U198)
	}
	record, err := overlay.Parse(e.world.AppendRecord(nil, e.kind(), d.Index, form))
	if err != nil { // the world writes objects only
		return d.Record
	}
	return record
}

// contact returns the contact of a person's draft: the one of the path, else of the body.
func (e *edit) contact(d *draft.Draft, under string) string {
	if e.kind() == world.CustomerPersons {
		if d.Created {
			d.Record.SetText("customer_id", under)
		}
		return under
	}
	return e.body.Text("contact_id")
}

// parent returns the parent in the path, as the world knows it; "" for rows without one.
func (e *edit) parent() (string, error) {
	asked, named := e.call.Values["parent"]
	if !named {
		return "", nil
	}
	for _, parent := range e.world.Parents(e.kind()) {
		if parent == asked || e.kind() == world.ModuleRecords && strings.TrimPrefix(parent, modulePrefix) == strings.TrimPrefix(asked, modulePrefix) {
			return parent, nil
		}
	}
	if e.kind() == world.ModuleRecords { // a module's name is part of the path.
		return "", refusal{http.StatusNotFound, answer.NoSuchURL, "Invalid URL Passed"}
	}
	return "", missing()
}

// modulePrefix begins the api names of custom modules (docs/upstream.md U159).
const modulePrefix = "cm_"

// named returns the record that the path names.
func (e *edit) named() (int, error) {
	under, err := e.parent()
	if err != nil {
		return 0, err
	}
	i, found := e.world.Index(e.kind(), e.call.Values["id"])
	if !found || under != "" && e.world.Under(e.kind(), i) != under {
		return 0, missing()
	}
	return i, nil
}
