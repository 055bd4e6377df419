package live

import (
	"encoding/json"

	"sluice/sandbox/world/ids"
)

// organizations is the form of the list of organizations; no client reads the single record here
// (docs/upstream.md U316).
func organizations() *form {
	return &form{
		fields: []field{
			{"country", list, text("India")}, {"country_code", list, text("IN")}, {"version", both, text("india")},
			{"plan_name", list, text("PREMIUM")}, {"plan_period", list, text("monthly")}, {"plan_type", list, raw("3")},
			{"is_tax_registered", list, yes()},
			{"custom_fields", both, raw(`[{"index":1,"label":"Branch code","value":"PN-1"}]`)},
			{"state", list, text("Maharashtra")}, {"state_code", list, text("MH")}, {"phone", both, text("+91 20 555 0100")},
			{"org_alias_name", list, text("Head office")}, {"org_type", list, text("organization")}, {"mode", both, text("production")},
			{"source", list, raw("8")}, {"is_trial_expired", list, no()}, {"sales_tax_type", list, text("multiple")},
			{"tax_group_enabled", list, yes()}, {"is_sales_inclusive_tax_enabled", list, no()},
			{"is_registered_for_gst", both, yes()}, {"is_gst_india_version", list, yes()}, {"is_registered_for_composite_scheme", list, no()},
			{"is_hsn_or_sac_enabled", list, yes()}, {"is_sales_reverse_charge_enabled", list, no()}, {"is_export_with_payment_enabled", list, no()},
			{"is_international_trade_enabled", list, no()}, {"is_designated_zone", both, no()}, {"is_free_zone", both, no()},
			{"is_sku_enabled", list, yes()}, {"is_multientity_org", list, no()}, {"is_multientity_enabled", list, no()},
			{"org_joined_app_list", both, raw(`["books","inventory"]`)}, {"user_status", list, raw("1")}, {"isOrgActive", list, same("is_org_active")},
			{"field_separator", both, text("/")}, {"date_format", single, text("dd MMM yyyy")},
		},
		reshape: func(r record) {
			r.SetWhole("fiscal_year_start_month", 3) // April: the list counts from 0.
		},
	}
}

// persons is the form of contact persons of accounting and invoicing (docs/upstream.md U317).
func persons() *form {
	return &form{fields: []field{
		{"communication_preference", both, raw(`{"is_email_enabled":true,"is_sms_enabled":false,"is_whatsapp_enabled":false}`)},
		{"is_sms_enabled_for_cp", both, no()},
		{"fax", both, every(2, text("020-555-0100"))}, {"mobile_country_code", both, text("+91")},
		{"photo_url", both, text("https://photo.example/generated.png")},
		{"can_invite", both, yes()}, {"is_portal_invitation_accepted", both, no()}, {"is_portal_mfa_enabled", both, no()},
		{"portal_enabled_via", both, every(5, text("user"))}, {"zcrm_contact_id", both, every(4, identifier(ids.GroupDeal))},
		{"contactperson_custom_fields", both, personFields},
	}}
}

func personFields(r record) json.RawMessage {
	if r.i%3 > 0 {
		return empty
	}
	return json.RawMessage(`[{"customfield_id":"` + ids.Fixed(ids.GroupCustomField, 200) + `","index":1,"label":"Birthday",` +
		`"api_name":"cf_birthday","data_type":"string","value":"May","search_entity":"contact_person"}]`)
}

// customerPersons is the form of contact persons of subscription billing: fax, customer and times
// come with the single record alone (docs/upstream.md U328).
func customerPersons() *form {
	return &form{listOmits: []string{"fax", "created_time", "updated_time"}}
}

// moduleRecords is the form of records of custom modules (docs/upstream.md U327).
func moduleRecords() *form {
	return &form{fields: []field{
		{"module_plural_name", single, text("Records")},
		{"module_fields", single, moduleFields},
		{"comments", single, raw(`[{"comment_id":"1","description":"created","commented_by":"Asha Rao","date":"2025-11-03"}]`)},
		{"approvers_list", single, rarely(`{"approver_id":"1","approver_name":"Asha Rao","order":1}`)},
		{"shared_to", single, raw(`[{"user_id":"1","user_name":"Asha Rao"}]`)}, {"shared_type", single, text("read")},
		{"can_submit", single, no()}, {"can_approve", single, no()},
	}}
}

func moduleFields(r record) json.RawMessage {
	fields := []byte("[")
	for n, name := range [...]string{"cf_amount", "cf_stage"} {
		if n > 0 {
			fields = append(fields, ',')
		}
		kind := [...]string{"amount", "string"}[n]
		fields = append(fields, `{"field_id":"`+ids.Fixed(ids.GroupCustomField, 210+n)+`","api_name":"`+name+`","label":"`+name[3:]+
			`","data_type":"`+kind+`","value":`...)
		fields = append(fields, same(name)(r)...)
		fields = append(fields, `,"is_active":true,"is_mandatory":false,"max_length":100}`...)
	}
	return append(fields, ']')
}

// channels is the form of channels (docs/upstream.md U323).
func channels() *form {
	return &form{
		fields: []field{
			{"organization_id", both, text("700000012345")}, // another number than that of the other services.
			{"invite_only", both, given(is("level", "private"), yes(), no())},
			{"current_user_role", both, text("super_admin")},
			{"teams", both, given(is("level", "team"), raw(`{"460000000000057001":"Field sales"}`), raw("{}"))},
			{"last_message_info", list, lastMessage},
			{"unread_message_count", both, raw("2")}, {"unread_time", both, modified},
			{"muted_interval", list, every(3, text("1h"))}, {"image_url", single, every(2, text("https://image.example/channel.png"))},
			{"admin_permission", both, raw(permissions)}, {"moderator_permission", both, raw(permissions)},
			{"member_permission", both, raw(permissions)},
		},
		reshape: func(r record) { r.SetText("total_message_count", r.Text("total_message_count")) },
	}
}

// permissions are some of the switches of a role.
const permissions = `{"add_participants":true,"delete_message":false}`

func lastMessage(r record) json.RawMessage {
	sender, err := json.Marshal(r.Text("creator_name"))
	if err != nil { // a text always has a form
		return absent
	}
	return json.RawMessage(`{"sender_id":"` + r.Text("creator_id") + `","sender_name":` + string(sender) +
		`,"message_type":"text","time":` + string(modified(r)) + `,"text":"See you there"}`)
}
