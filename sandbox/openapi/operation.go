package openapi

import (
	"net/http"
	"strings"

	"sluice/sandbox/endpoints"
	"sluice/sandbox/lists"
	"sluice/sandbox/rules"
	"sluice/sandbox/services"
	"sluice/sandbox/world"
	"sluice/sandbox/writes"
)

// scheme is the name of the security scheme.
const scheme = "token"

func tagOf(e endpoints.Endpoint) string {
	if service := e.Service(); service != "" {
		return service
	}
	return "authorization"
}

func operation(e endpoints.Endpoint, vendor string) *Operation {
	o := &Operation{
		ID: identifier(e), Summary: summary(e), Description: e.Note, Tags: []string{tagOf(e)}, Assumed: e.Assumed,
		Parameters: append(inPath(e.Path), Query(e)...), Security: []map[string][]string{}, Responses: responses(e),
	}
	if name := organizationHeader(e, vendor); name != "" {
		required := e.Resource.Kind != world.Organizations
		o.Parameters = append(o.Parameters, Parameter{Name: name, In: "header", Required: required, Schema: text("The organization.")})
	}
	if tagOf(e) == "authorization" {
		return o
	}
	scopes := []string{}
	if e.Scope != "" {
		scopes = append(scopes, vendor+e.Scope)
	}
	o.Security = append(o.Security, map[string][]string{scheme: scopes})
	rule, found := rules.Find(e.Method, e.Path)
	if !found {
		o.Body = bodyOf(e)
		return o
	}
	o.Body = bodyFor(rule)
	if rule.Unique {
		o.Parameters = append(o.Parameters,
			Parameter{Name: "X-Unique-Identifier-Key", In: "header", Schema: text("The field by which the record is found.")},
			Parameter{Name: "X-Unique-Identifier-Value", In: "header", Schema: text("Its value.")},
			Parameter{Name: "X-Upsert", In: "header", Schema: flag("true creates the record if none is found.")})
	}
	return o
}

// identifier returns a name from method and path that is unique to the row.
func identifier(e endpoints.Endpoint) string {
	words := strings.FieldsFunc(e.Path, func(r rune) bool { return strings.ContainsRune("/{}.", r) })
	return strings.ToLower(e.Method) + "_" + strings.Join(words, "_")
}

func summary(e endpoints.Endpoint) string {
	verbs := map[string]string{
		http.MethodGet: "Read", http.MethodPost: "Create", http.MethodPut: "Update", http.MethodDelete: "Delete",
	}
	name := strings.ReplaceAll(e.Resource.Name, "_", " ")
	if name == "" {
		return e.Method + " " + e.Path
	}
	if isList(e) {
		return "List " + name
	}
	return verbs[e.Method] + " " + name
}

// inPath returns the names in a path.
func inPath(path string) []Parameter {
	var all []Parameter
	for segment := range strings.SplitSeq(path, "/") {
		if name, named := strings.CutPrefix(segment, "{"); named {
			all = append(all, Parameter{Name: strings.TrimSuffix(name, "}"), In: "path", Required: true, Schema: Schema{Type: "string"}})
		}
	}
	return all
}

// organizationHeader returns the header for the organization in a service (docs/upstream.md U12);
// "" for none.
func organizationHeader(e endpoints.Endpoint, vendor string) string {
	switch e.Service() {
	case services.Invoicing:
		return "X-com-" + strings.ToLower(vendor) + "-invoice-organizationid"
	case services.Billing:
		return "X-com-" + strings.ToLower(vendor) + "-subscriptions-organizationid"
	default:
		return ""
	}
}

// responses returns the good answer of a row, and its errors.
func responses(e endpoints.Endpoint) map[string]Response {
	good := Response{
		Description: "Success.", Content: content(e),
		Headers: map[string]Header{endpoints.AssumedHeader: {Description: "What of the answer no document shows.", Schema: text("")}},
	}
	status := "200"
	switch {
	case e.Path == services.OAuthRoot+"auth" && e.Method == http.MethodPost:
		status, good.Content = "302", nil
	case tagOf(e) == services.Notifications && e.Method == http.MethodPost:
		status = "201"
	case e.Method == http.MethodPost && tagOf(e) != "authorization" && !strings.HasSuffix(e.Path, "/enable") && !strings.HasSuffix(e.Path, "/image"):
		status = "201"
	}
	all := map[string]Response{status: good, "400": reference("Refused")}
	if tagOf(e) == "authorization" {
		return all
	}
	all["401"], all["429"] = reference("Unauthorized"), reference("TooMany")
	switch tagOf(e) {
	case services.Notifications:
		delete(all, "429")
		if e.Method == http.MethodGet {
			all["204"] = Response{Description: "Nothing is subscribed."}
		} else {
			all["207"] = Response{Description: "Some subscriptions were refused.", Content: good.Content}
		}
	case services.CRM:
		delete(all, "429")
		all["204"] = Response{Description: "The module has no record."}
	case services.Chat:
		all["401"], all["403"], all["400"] = reference("ChatRefused"), reference("ChatRefused"), reference("ChatRefused")
		all["404"], all["429"] = reference("ChatRefused"), reference("ChatRefused")
	default:
		all["404"] = reference("Missing")
	}
	return all
}

func reference(name string) Response { return Response{Ref: "#/components/responses/" + name} }

// content returns the body of a good answer, in its envelope.
func content(e endpoints.Endpoint) map[string]Media {
	switch {
	case e.Path == services.OAuthRoot+"auth":
		return map[string]Media{"text/html": {Schema{Type: "string"}}}
	case strings.HasSuffix(e.Path, services.MaintenanceRoot+"/chats"):
		return map[string]Media{"text/csv": {Schema{Type: "string"}}}
	}
	properties := map[string]Schema{}
	record := Schema{Type: "object"}
	switch tagOf(e) {
	case "authorization", services.Chat:
	case services.Notifications:
		properties["watch"] = Schema{Type: "array", Items: &record}
	case services.CRM:
		properties["data"], properties["info"] = Schema{Type: "array", Items: &record}, Schema{Type: "object"}
	default:
		properties["code"] = Schema{Type: "integer", Description: "0 for success."}
		properties["message"] = Schema{Type: "string"}
	}
	r := e.Resource
	written, inArray := writes.Answer(e.Method, e.Path)
	switch {
	case inArray:
		properties[written] = Schema{Type: "array", Items: &record}
	case written != "":
		properties[written] = record
	case isList(e):
		properties[r.Key] = Schema{Type: "array", Items: &record}
		if r.Paging == lists.ByNumber {
			properties["page_context"] = Schema{Type: "object"}
		}
	case e.Method == http.MethodGet && r.OneInArray:
		properties[r.OneKey] = Schema{Type: "array", Items: &record}
	case e.Method == http.MethodGet && r.OneKey != "":
		properties[r.OneKey] = record
	}
	return map[string]Media{"application/json": {Schema{Type: "object", Properties: properties}}}
}
