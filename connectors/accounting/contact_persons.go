package accounting

import (
	"sluice/connectors/persons"
	"sluice/schema"
)

// contactPersons declares the people at customers and vendors, one list for each contact that
// bills, payments or credit notes name. Source: docs/upstream.md U155 to U157; what live services
// add: U317 and U337.
func contactPersons() schema.Resource {
	return schema.Resource{
		Name:  "contact_persons",
		Doc:   "A person to talk to at a customer or a vendor of the organization.",
		Path:  "/contacts/{parent}/contactpersons",
		Key:   "contact_persons",
		ID:    "contact_person_id",
		Scope: "contacts",
		Cursor: schema.PerParent{
			Column: "contact_id",
			From: []schema.ParentColumn{
				{Schema: "accounting", Table: "vendor_payments", Column: "vendor_id"},
				{Schema: "inventory", Table: "bills", Column: "vendor_id"},
				{Schema: "inventory", Table: "credit_notes", Column: "customer_id"},
			},
			Listed: schema.ListedContacts,
			List:   schema.FullScan{},
		},
		Complete: "The list takes no filter, and a person has no state by which it could be hidden (docs/upstream.md U155 and U156).",
		Every:    "24h",
		Columns: append([]schema.Column{
			schema.ID("contact_person_id", "Identifier of the person; unique within the organization."),
			schema.ID("contact_id", "Identifier of the customer or vendor whom the person speaks for."),
			schema.Text("salutation", "How the person is addressed, such as Ms or Dr.").Is(schema.Person),
			schema.Text("first_name", "First name of the person.").Is(schema.Person),
			schema.Text("last_name", "Family name of the person.").Is(schema.Person),
			schema.Text("email", "Address that documents for the person are sent to.").Is(schema.Contact),
			schema.ID("phone", "Landline number as it was entered, leading zeros kept.").Is(schema.Contact),
			schema.ID("mobile", "Mobile number as it was entered, leading zeros kept.").Is(schema.Contact),
			schema.Text("skype", "Name of the person in Skype.").Is(schema.Contact),
			schema.Text("designation", "Position that the person has at the customer or vendor.").Is(schema.Person),
			schema.Text("department", "Department that the person works in.").Is(schema.Person),
			schema.Bool("is_primary_contact", "Whether the person is the one to talk to first."),
			schema.Bool("is_added_in_portal", "Whether the person can see the contact's documents in the portal."),
		}, persons.Columns()...),
		Children: persons.Children(),
		Ignored: map[string]string{
			"enable_portal": "an instruction to the service; the state that it brings about is is_added_in_portal",
		},
	}
}
