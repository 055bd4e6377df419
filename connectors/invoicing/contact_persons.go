package invoicing

import (
	"sluice/connectors/persons"
	"sluice/schema"
)

// contactPersons declares the people at customers. The document shows how to write one, but no
// list: it is read only where the configuration enables it. Source: docs/upstream.md U195 and U196;
// what live services add: U317 and U337.
func contactPersons() schema.Resource {
	return schema.Resource{
		Name:        "contact_persons",
		Doc:         "A person to talk to at a customer who is sent invoices.",
		Path:        "/contacts/{parent}/contactpersons",
		AssumedPath: true,
		Optional:    true,
		Key:         "contact_persons",
		ID:          "contact_person_id",
		Scope:       "contacts",
		Cursor: schema.PerParent{
			Column: "contact_id",
			From:   []schema.ParentColumn{{Schema: "inventory", Table: "credit_notes", Column: "customer_id"}},
			Listed: schema.ListedContacts,
			List:   schema.FullScan{},
		},
		Complete: "The list answers as that of accounting does (docs/upstream.md U155 and U317).",
		Every:    "24h",
		Columns: append([]schema.Column{
			schema.ID("contact_person_id", "Identifier of the person; unique within the organization."),
			schema.ID("contact_id", "Identifier of the customer whom the person speaks for."),
			schema.Text("salutation", "How the person is addressed, such as Ms or Dr.").Is(schema.Person),
			schema.Text("first_name", "First name of the person.").Is(schema.Person),
			schema.Text("last_name", "Family name of the person.").Is(schema.Person),
			schema.Text("email", "Address that invoices for the person are sent to.").Is(schema.Contact),
			schema.ID("phone", "Landline number as it was entered, leading zeros kept.").Is(schema.Contact),
			schema.ID("mobile", "Mobile number as it was entered, leading zeros kept.").Is(schema.Contact),
			schema.Text("skype", "Name of the person in Skype.").Is(schema.Contact),
			schema.Text("designation", "Position that the person has at the customer.").Is(schema.Person),
			schema.Text("department", "Department that the person works in.").Is(schema.Person),
			schema.Bool("is_primary_contact", "Whether the person is the one to talk to first."),
			schema.Bool("is_added_in_portal", "Whether the person can see the customer's documents in the portal."),
		}, persons.Columns()...),
		Children: persons.Children(),
		Ignored: map[string]string{
			"enable_portal": "an instruction to the service; the state that it brings about is is_added_in_portal",
		},
		Assumed: []string{
			"The list of a contact's persons, its path and its key are those of the accounting service.",
		},
	}
}
