package records

import (
	"fmt"
	"strings"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// persons writes people and talks, key by key: organizations, contact persons, records of custom
// modules (docs/upstream.md U151 to U159, U201), channels and chats (U250 to U252).
type persons struct{ parts.Author }

// Organization writes the organization; an edit changes its contact.
func (w persons) Organization(o *wire.Writer, i int) {
	money := words.CurrencyOf(false)
	_, contact := words.User(w.Edits(ids.Organizations, i))
	o.Text("organization_id", w.Books.Organization.ID)
	o.Text("name", w.Books.Organization.Name)
	o.Text("contact_name", contact)
	o.Text("email", "office@meridian.example")
	o.Flag("is_default_org", true)
	o.Text("language_code", "en")
	o.Whole("fiscal_year_start_month", 4) // April.
	o.Text("account_created_date", "2022-12-01")
	o.Text("time_zone", w.Books.Organization.TimeZone)
	o.Flag("is_org_active", true)
	o.Text("currency_id", money.ID)
	o.Text("currency_code", money.Code)
	o.Text("currency_symbol", money.Symbol)
	o.Text("currency_format", money.Format)
	o.Whole("price_precision", money.Precision)
}

// ContactPerson writes a person of accounting and invoicing.
func (w persons) ContactPerson(o *wire.Writer, i int) {
	who := w.PersonAt(ids.ContactPersons, i)
	edits := w.Edits(ids.ContactPersons, i)
	o.Text("contact_id", w.Under(ids.ContactPersons, i))
	o.ID("contact_person_id", ids.Number(ids.ContactPersons, i))
	o.Text("salutation", who.Salutation)
	o.Text("first_name", who.First)
	o.Text("last_name", who.Last)
	o.Text("email", mail(i))
	o.Text("phone", books.Phone(i+edits))
	o.Text("mobile", parts.Either(i%3 > 0, fmt.Sprintf("+91 98220 5%04d", i%10_000))) // four digits.
	o.Text("skype", parts.Either(i%4 == 0, fmt.Sprintf("live:person%d", i+1)))
	designation := [...]string{"Head of Purchasing", "Accountant", "", "Owner"}[w.Draw(ids.ContactPersons, i, draw.Kind, 4)]
	if edits > 0 {
		designation = fmt.Sprintf("Promoted %d", edits)
	}
	o.Text("designation", designation)
	o.Text("department", [...]string{"Purchasing", "Finance", ""}[w.Draw(ids.ContactPersons, i, draw.Place, 3)])
	o.Flag("is_primary_contact", w.PersonPrimary(ids.ContactPersons, i))
	o.Flag("is_added_in_portal", i%5 == 0)
}

// CustomerPerson writes a person of subscription billing.
func (w persons) CustomerPerson(o *wire.Writer, i int) {
	who := w.PersonAt(ids.CustomerPersons, i)
	o.ID("contactperson_id", ids.Number(ids.CustomerPersons, i))
	o.Text("first_name", who.First)
	o.Text("last_name", who.Last)
	o.Text("email", mail(i))
	o.Text("mobile", fmt.Sprintf("+91 98221 5%04d", i%10_000)) // four digits.
	o.Text("phone", books.Phone(5000+i+w.Edits(ids.CustomerPersons, i)))
	o.Text("fax", parts.Either(i%2 == 0, books.Phone(9000+i)))
	o.Text("customer_id", w.Under(ids.CustomerPersons, i))
	w.Time(o, "created_time", w.Created(ids.CustomerPersons, i))
	w.Time(o, "updated_time", w.Modified(ids.CustomerPersons, i))
}

func mail(i int) string { return fmt.Sprintf("person%d@contact.example", i+1) }

// ModuleRecord writes a record of a custom module with two custom fields and their formatted texts.
func (w persons) ModuleRecord(o *wire.Writer, i int) {
	kind := ids.ModuleRecords
	name := fmt.Sprintf("%s %d", w.Words.Nouns[w.Draw(kind, i, draw.Name, len(w.Words.Nouns))], i+1)
	amount := int64(w.Draw(kind, i, draw.Amount, 9_000_000)) + int64(w.Edits(kind, i))*words.Cents
	stage := [...]string{"planning", "running", "closed"}[w.Draw(kind, i, draw.Status, 3)]
	maker, _ := words.User(w.Draw(kind, i, draw.Vendor, words.Users))
	toucher, _ := words.User(w.Draw(kind, i, draw.Customer, words.Users))
	o.ID("module_record_id", ids.Number(kind, i))
	o.Text("module_api_name", ModuleName(w.Under(kind, i)))
	o.Text("record_name", name)
	o.Text("record_name_formatted", name)
	w.Time(o, "created_time", w.Created(kind, i))
	o.Text("created_time_formatted", w.DisplayTime(w.Created(kind, i)))
	w.Time(o, "last_modified_time", w.Modified(kind, i))
	o.Text("last_modified_time_formatted", w.DisplayTime(w.Modified(kind, i)))
	o.Text("created_by_id", maker)
	o.Text("last_modified_by_id", toucher)
	if w.One(5, kind, i, draw.Absent) && w.Edits(kind, i) == 0 { // one in five.
		o.Text("cf_amount", "")
		o.Text("cf_amount_formatted", "")
	} else {
		o.Money("cf_amount", amount)
		o.Text("cf_amount_formatted", fmt.Sprintf("₹%d.%02d", amount/words.Cents, amount%words.Cents))
	}
	o.Text("cf_stage", stage)
	o.Text("cf_stage_formatted", strings.ToUpper(stage[:1])+stage[1:])
}

// ModuleName returns the module_api_name of a module as in a path, always with the prefix.
func ModuleName(module string) string { return "cm_" + strings.TrimPrefix(module, "cm_") }

// Channel writes a channel of the organization, or of one of its networks.
func (w persons) Channel(o *wire.Writer, kind ids.Kind, i int) {
	channel := w.ChannelAt(kind, i)
	o.Text("channel_id", channel.ID)
	o.Text("name", channel.Name)
	o.Text("unique_name", channel.Unique)
	o.Text("description", channel.Description)
	o.Text("level", channel.Level)
	o.Text("status", channel.Status)
	o.Flag("joined", channel.Joined)
	o.Flag("pinned", channel.Pinned)
	o.Whole("participant_count", channel.Participants)
	o.Whole("total_message_count", channel.Messages)
	o.Text("creator_id", channel.CreatorID)
	o.Text("creator_name", channel.CreatorName)
	o.Text("chat_id", channel.Chat)
	w.Time(o, "creation_time", w.Created(kind, i))
	w.Time(o, "last_modified_time", w.Modified(kind, i))
}

// Chat writes a chat as an object of the CSV columns with text values.
func (w persons) Chat(o *wire.Writer, kind ids.Kind, i int) {
	for _, name := range books.ChatFields() {
		value, _ := w.ChatField(kind, i, name)
		o.Text(name, value)
	}
}
