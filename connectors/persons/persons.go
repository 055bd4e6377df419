// Package persons declares what live services add to the contact persons of accounting and
// invoicing, whose lists they answer alike. Source: docs/upstream.md U317 and U337.
//
// Start reading at Columns.
package persons

import "sluice/schema"

// Columns are the further leaves of a person.
func Columns() []schema.Column {
	return []schema.Column{
		schema.ID("fax", "Fax number as it was entered, leading zeros kept.").Is(schema.Contact).Assume(),
		schema.Bool("is_sms_enabled_for_cp", "Whether text messages to the person are allowed.").Assume(),
		schema.Text("mobile_country_code", "Country of the mobile number.").Is(schema.Plain).Assume(),
		schema.Text("photo_url", "Address of a picture of the person, often a generated one.").Is(schema.FreeText).Assume(),
		schema.Bool("can_invite", "Whether the person can be invited to the portal.").Assume(),
		schema.Bool("is_portal_invitation_accepted", "Whether the person accepted the invitation to the portal.").Assume(),
		schema.Bool("is_portal_mfa_enabled", "Whether the person enters the portal with a second factor.").Assume(),
		schema.Text("portal_enabled_via", "What opened the portal to the person.").Is(schema.Plain).Assume(),
		schema.ID("zcrm_contact_id", "Identifier of the person in the CRM.").Assume(),
	}
}

// Children are the arrays and objects of a person.
func Children() []schema.Child {
	return []schema.Child{
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
	}
}
