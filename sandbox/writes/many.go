package writes

import (
	"net/http"
	"slices"
	"strings"

	"sluice/sandbox/answer"
	"sluice/sandbox/rules"
	"sluice/sandbox/world/overlay"
)

// updateMany changes the records of a custom module that the body names; each answers with a code
// and message of its own (docs/upstream.md U160).
func updateMany(e *edit) (said, error) {
	under, err := e.parent()
	if err != nil {
		return said{}, err
	}
	if err := e.check(false, -1); err != nil {
		return said{}, err
	}
	named := values(e.body.Text("module_record_id"))
	delete(e.body, "module_record_id")
	elements := make([]*overlay.Object, 0, len(named))
	for _, id := range named {
		i, found := e.world.Index(e.kind(), id)
		if !found || e.world.Under(e.kind(), i) != under {
			e.assume("code of a record that is not there")
			elements = append(elements, verdict(answer.NoSuchRecord, "Resource does not exist.", id))
			continue
		}
		record := e.save(i, "")
		element := verdict(0, e.about("updated"), id)
		for _, name := range record.Names() {
			element.Set(name, record.Get(name))
		}
		elements = append(elements, element)
	}
	whole := overlay.NewObject()
	whole.SetList("module_record", elements)
	return envelope(http.StatusOK, e.about("updated"), "module_record", whole.Get("module_record")), nil
}

func verdict(code int, message, id string) *overlay.Object {
	o := overlay.NewObject()
	o.SetWhole("code", code)
	o.SetText("message", message)
	o.SetText("module_record_id", id)
	return o
}

// destroyMany deletes the records of a custom module that the query names. Without names it deletes
// all of them, since the documented request has nothing but the module (docs/upstream.md U161).
func destroyMany(e *edit) (said, error) {
	under, err := e.parent()
	if err != nil {
		return said{}, err
	}
	if !strings.HasPrefix(e.call.Values["parent"], modulePrefix) {
		return said{}, refusal{http.StatusNotFound, answer.NoSuchURL, "Invalid URL Passed"}
	}
	var chosen []int
	for _, id := range values(e.query.Get("module_record_id")) {
		i, found := e.world.Index(e.kind(), id)
		if !found || e.world.Under(e.kind(), i) != under {
			return said{}, missing()
		}
		chosen = append(chosen, i)
	}
	if !e.query.Has("module_record_id") {
		for _, i := range slices.Clone(e.all(under)) {
			chosen = append(chosen, int(i))
		}
	}
	for _, i := range chosen {
		e.world.Delete(e.kind(), i)
	}
	return done(e.about("deleted")), nil
}

// Headers of the unique-value update (docs/upstream.md U177 and U178).
const (
	uniqueKey   = "X-Unique-Identifier-Key"
	uniqueValue = "X-Unique-Identifier-Value"
	upsert      = "X-Upsert"
)

// updateUnique changes the record with a given value in a custom field that rejects duplicates.
// With X-Upsert it makes the record if there is none.
func updateUnique(as shape) operation {
	return operation{as, func(e *edit) (said, error) {
		key, value := e.call.Request.Header.Get(uniqueKey), e.call.Request.Header.Get(uniqueValue)
		var problems []rules.Problem
		for name, given := range map[string]string{uniqueKey: key, uniqueValue: value} {
			if given == "" {
				problems = append(problems, rules.Problem{Field: name, Text: "this header is required"})
			}
		}
		slices.SortFunc(problems, func(a, b rules.Problem) int { return strings.Compare(a.Field, b.Field) })
		if err := wrong(problems); err != nil {
			return said{}, err
		}
		i, found := e.having(key, value)
		if !found && !strings.EqualFold(e.call.Request.Header.Get(upsert), "true") {
			return said{}, missing()
		}
		if err := e.check(!found, i); err != nil {
			return said{}, err
		}
		if found {
			return as.put(http.StatusOK, e.about("updated"), e.save(i, "")), nil
		}
		e.assume("status of a record created by X-Upsert")
		e.carry(key, value)
		return as.put(http.StatusCreated, e.about("created"), e.save(-1, "")), nil
	}}
}

// having returns the record with a value in a custom field, among those written through the API:
// generated records have no field that rejects duplicates. An input without a label, as the
// document shows it, is found by its value alone.
func (e *edit) having(key, value string) (int, bool) {
	for _, i := range slices.Backward(e.world.Written(e.kind())) {
		if !e.world.Live(e.kind(), i) {
			continue
		}
		for _, field := range e.world.Record(e.kind(), i).List("custom_fields") {
			label := field.Text("label")
			if field.Text("value") == value && (label == "" || apiName(label) == apiName(key)) {
				return i, true
			}
		}
	}
	return -1, false
}

// apiName returns the name of a custom field in headers: in small letters, with a prefix.
func apiName(label string) string {
	return "cf_" + strings.ReplaceAll(strings.TrimPrefix(strings.ToLower(label), "cf_"), " ", "_")
}

// carry adds the unique value to the custom fields of a new record, unless the body has it.
func (e *edit) carry(key, value string) {
	fields := overlay.NewObject()
	var elements []*overlay.Object
	for _, sent := range e.body.List("custom_fields") {
		if sent.Text("value") == value {
			return
		}
		element := overlay.NewObject()
		for name, raw := range sent {
			element.Set(name, raw)
		}
		elements = append(elements, element)
	}
	element := overlay.NewObject()
	element.SetWhole("index", len(elements)+1)
	element.SetText("label", key)
	element.SetText("value", value)
	fields.SetList("custom_fields", append(elements, element))
	e.body["custom_fields"] = fields.Get("custom_fields")
}
