package billing

import "sluice/schema"

// contactPersons declares the people at customers with subscriptions, one list for each customer.
// Source: docs/upstream.md U200 to U202; that the list comes without pages: U82. The document shows
// the list with identifier, names, email, mobile and phone; where it leaves the others out, they
// stay null.
func contactPersons() schema.Resource {
	return schema.Resource{
		Name:   "contact_persons",
		Doc:    "A person at a customer who is told about subscriptions.",
		Path:   "/customers/{parent}/contactpersons",
		Paging: schema.PagingWhole,
		Key:    "contact_persons",
		ID:     "contactperson_id",
		Scope:  "customers",
		Cursor: schema.PerParent{
			Column: "customer_id",
			From:   []schema.ParentColumn{{Schema: "inventory", Table: "credit_notes", Column: "customer_id"}},
			Listed: schema.ListedContacts,
			List:   schema.FullScan{Modified: "updated_time"},
		},
		Complete: "The answer is the whole list, and a person has no state by which it could be hidden (docs/upstream.md U82 and U201).",
		Every:    "24h",
		Columns: []schema.Column{
			schema.ID("contactperson_id", "Identifier of the person; unique within the organization."),
			schema.ID("customer_id", "Identifier of the customer whom the person speaks for."),
			schema.Text("first_name", "First name of the person.").Is(schema.Person),
			schema.Text("last_name", "Family name of the person.").Is(schema.Person),
			schema.Text("email", "Address that notices about subscriptions are sent to.").Is(schema.Contact),
			schema.ID("mobile", "Mobile number as it was entered, leading zeros kept.").Is(schema.Contact),
			schema.ID("phone", "Landline number as it was entered, leading zeros kept.").Is(schema.Contact),
			schema.ID("fax", "Fax number as it was entered, leading zeros kept.").Is(schema.Contact),
			schema.Time("created_time", "When the person was entered."),
			schema.Time("updated_time", "When the person last changed."),
		},
		Assumed: []string{
			"The list comes whole, without pages.",
			"Records of the list carry customer_id, fax and both times; the endpoint table does not name them.",
		},
	}
}
