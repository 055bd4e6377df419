package invoicing

import "sluice/schema"

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
		Every: "24h",
		Columns: []schema.Column{
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
			schema.ID("fax", "Fax number as it was entered, leading zeros kept.").Is(schema.Contact).Assume(),
			schema.Bool("is_sms_enabled_for_cp", "Whether text messages to the person are allowed.").Assume(),
			schema.Text("mobile_country_code", "Country of the mobile number.").Is(schema.Plain).Assume(),
			schema.Text("photo_url", "Address of a picture of the person, often a generated one.").Is(schema.FreeText).Assume(),
			schema.Bool("can_invite", "Whether the person can be invited to the portal.").Assume(),
			schema.Bool("is_portal_invitation_accepted", "Whether the person accepted the invitation to the portal.").Assume(),
			schema.Bool("is_portal_mfa_enabled", "Whether the person enters the portal with a second factor.").Assume(),
			schema.Text("portal_enabled_via", "What opened the portal to the person.").Is(schema.Plain).Assume(),
			schema.ID("zcrm_contact_id", "Identifier of the person in the CRM.").Assume(),
		},
		Children: []schema.Child{
			{
				Name:   "communication_preference",
				Doc:    "How a person may be written to.",
				Object: true,
				Columns: []schema.Column{
					schema.Bool("is_email_enabled", "Whether e-mail is allowed.").Assume(),
					schema.Bool("is_sms_enabled", "Whether text messages are allowed.").Assume(),
					schema.Bool("is_whatsapp_enabled", "Whether messages by WhatsApp are allowed.").Assume(),
				},
			},
			{
				Name: "contactperson_custom_fields",
				Doc:  "A field that the organization added to its contact persons, with its value on one person.",
				Columns: []schema.Column{
					schema.ID("customfield_id", "Identifier of the field; the same on every person.").Assume(),
					schema.Int("index", "Place of the field among the organization's own, from 1.").Assume(),
					schema.Text("label", "Name of the field as the organization shows it.").Is(schema.Plain).Assume(),
					schema.ID("api_name", "Name of the field for programs: cf_ and a name.").Assume(),
					schema.Text("data_type", "Type of the field's values.").Is(schema.Plain).Assume(),
					schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field.").Is(schema.FreeText).Assume(),
					schema.Text("search_entity", "Kind of the record that a field for lookups points at.").Is(schema.Plain).Assume(),
				},
			},
		},
		Ignored: map[string]string{
			"enable_portal": "an instruction to the service; the state that it brings about is is_added_in_portal",
		},
		Assumed: []string{
			"The list of a contact's persons, its path and its key are those of the accounting service.",
		},
	}
}
