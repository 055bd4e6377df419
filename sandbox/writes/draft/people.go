package draft

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"sluice/sandbox/rules"
	"sluice/sandbox/world"
	"sluice/sandbox/world/words"
)

// person completes a contact person. A new primary contact replaces the former one.
func (d *Draft) person() {
	if d.Kind == world.CustomerPersons {
		d.id("contactperson_id")
		return
	}
	d.id("contact_person_id")
	if portal := d.Body.Text("enable_portal"); portal != "" {
		d.Record.SetFlag("is_added_in_portal", portal == "true")
	}
	contact := d.Record.Text("contact_id")
	if !d.Body.Flag("is_primary_contact") || contact == "" {
		return
	}
	for _, i := range d.World.Order(world.Query{Kind: d.Kind, Under: contact}) {
		other := d.World.Record(d.Kind, int(i))
		if int(i) != d.Index && other.Text("is_primary_contact") == "true" {
			other.SetFlag("is_primary_contact", false)
			d.World.Put(d.Kind, int(i), d.Now, "", other)
		}
	}
}

// moduleRecord completes a record of a custom module: each value has a formatted twin for people.
func (d *Draft) moduleRecord() {
	d.id("module_record_id")
	user, _ := words.User(0)
	if d.Created {
		d.Record.SetText("created_by_id", user)
	}
	d.Record.SetText("last_modified_by_id", user)
	d.Record.SetText("record_name_formatted", d.Record.Text("record_name"))
	for _, name := range slices.Sorted(maps.Keys(d.Body)) {
		value := d.Body[name]
		if !strings.HasPrefix(name, d.Prefix) || strings.HasSuffix(name, formatted) {
			continue
		}
		if rules.Absent(value) {
			value = json.RawMessage(`""`)
		}
		d.Record.Set(name, compact(value))
		d.Record.SetText(name+formatted, d.Record.Text(name))
	}
}

const formatted = "_formatted"
