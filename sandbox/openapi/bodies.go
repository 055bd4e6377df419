package openapi

import (
	"net/http"
	"strings"

	"sluice/sandbox/endpoints"
	"sluice/sandbox/rules"
	"sluice/sandbox/services"
)

const jsonForm = "application/json"

// bodyFor returns the body that a rule accepts; nil for none.
func bodyFor(rule rules.Rule) *Body {
	content := map[string]Media{}
	if len(rule.Fields) > 0 || rule.Prefix != "" {
		schema := ofFields(rule.Fields)
		for _, name := range rule.Required {
			if _, there := schema.Properties[name]; there {
				schema.Required = append(schema.Required, name)
			}
		}
		schema.Description = "Needed beside: " + strings.Join(rule.Needed, ", ")
		if len(rule.Needed) == 0 {
			schema.Description = ""
		}
		if rule.Prefix != "" {
			schema.Patterns = map[string]Schema{"^" + rule.Prefix: {}}
		}
		content[jsonForm] = Media{schema}
	}
	if part := rule.Upload.Part; part != "" {
		file := Schema{Type: "string", Media: "application/octet-stream", Description: "A file: " + strings.Join(rule.Upload.Extensions, ", ")}
		content["multipart/form-data"] = Media{Schema{Type: "object", Properties: map[string]Schema{part: file}}}
	}
	if len(content) == 0 {
		return nil
	}
	return &Body{Required: len(rule.Required) > 0 || rule.Upload.Required, Content: content}
}

// bodyOf returns the body of a row without a rule.
func bodyOf(e endpoints.Endpoint) *Body {
	if e.Service() != services.Notifications || e.Method == http.MethodDelete || e.Method == http.MethodGet {
		return nil
	}
	subscription := Schema{
		Type: "object", Required: []string{"channel_id", "events", "notify_url"},
		Properties: map[string]Schema{
			"channel_id": {Type: "integer", Format: "int64"}, "events": {Type: "array", Items: &Schema{Type: "string"}},
			"notify_url": {Type: "string", Format: "uri"}, "token": {Type: "string", MaxLength: 50}, //nolint:mnd // docs/upstream.md U271.
			"channel_expiry":               text("A time with its offset, at most one week ahead."),
			"return_affected_field_values": {Type: "boolean"}, "notify_on_related_action": {Type: "boolean"},
			"notification_condition": {Type: "array", Items: &Schema{Type: "object"}},
		},
	}
	if e.Method == http.MethodPatch {
		subscription.Required = []string{"channel_id"}
		subscription.Properties["_delete_events"] = flag("true ends the events that are named, and changes nothing else.")
	}
	return &Body{Required: true, Content: map[string]Media{jsonForm: {Schema{
		Type: "object", Required: []string{"watch"}, Properties: map[string]Schema{"watch": {Type: "array", Items: &subscription}},
	}}}}
}

func ofFields(fields []rules.Field) Schema {
	schema := Schema{Type: "object", Properties: make(map[string]Schema, len(fields))}
	for _, field := range fields {
		schema.Properties[field.Name] = ofField(field)
	}
	return schema
}

// ofField returns the type of a field; a field that accepts numbers and texts has none.
func ofField(field rules.Field) Schema {
	schema := Schema{MaxLength: field.Most}
	if len(field.More) == 0 {
		schema.Enum = field.Values
	}
	switch field.Type {
	case rules.Text, rules.IDs:
		schema.Type = "string"
	case rules.Day:
		schema.Type, schema.Format = "string", "date"
	case rules.Instant:
		schema.Type = "string"
	case rules.ID:
		schema.Description = "An identifier."
	case rules.Number:
		schema.Description = "A number."
	case rules.Whole:
		schema.Description = "A whole number."
	case rules.Flag:
		schema.Type = "boolean"
	case rules.List:
		items := ofFields(field.Fields)
		if len(field.Fields) == 0 {
			items = Schema{Type: "string"}
		}
		schema.Type, schema.Items = "array", &items
	case rules.Object:
		inner := ofFields(field.Fields)
		schema.Type, schema.Properties = "object", inner.Properties
	case rules.Free:
	}
	return schema
}

// components returns the answers that many rows share, and the form of authorization.
func components(vendor string) Components {
	envelope := func(code string) map[string]Media {
		return map[string]Media{jsonForm: {Schema{Type: "object", Required: []string{"code", "message"}, Properties: map[string]Schema{
			"code": {Type: code}, "message": {Type: "string"},
		}}}}
	}
	rate := map[string]Header{"Retry-After": {Description: "Seconds; sometimes.", Schema: Schema{Type: "integer"}}}
	for _, name := range []string{"X-Rate-Limit-Limit", "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset"} {
		rate[name] = Header{Description: "Of the daily allowance.", Schema: Schema{Type: "integer"}}
	}
	return Components{
		Responses: map[string]Response{
			"Refused":      {Description: "What was sent cannot be taken.", Content: map[string]Media{jsonForm: {Schema{Type: "object"}}}},
			"Unauthorized": {Description: "Code 14 without a token, 57 with one that is dead or lacks the scope.", Content: envelope("integer")},
			"Missing":      {Description: "Code 1002 for no such record, 5 for no such path.", Content: envelope("integer")},
			"TooMany":      {Description: "Code 44 for too many calls in a minute, 45 in a day, 1070 at once.", Headers: rate, Content: envelope("integer")},
			"ChatRefused":  {Description: "As docs/upstream.md U69 lists the status codes of chat.", Content: envelope("string")},
		},
		SecuritySchemes: map[string]Security{scheme: {
			Type: "apiKey", In: "header", Name: "Authorization",
			Description: "The text " + vendor + "-oauthtoken, a blank, and an access token, issued by " + services.TokenPath + ".",
		}},
	}
}
