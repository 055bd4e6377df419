package declared

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"sluice/schema"
	"sluice/schema/docs/endpoints"
)

// answer is sluice's use of one endpoint.
type answer struct {
	endpoints.Row

	// Text describes it in Markdown; "" if the program has no use for the row.
	Text string
	// Served says whether the sandbox simulates the endpoint.
	Served bool
}

// lay compares the rows with the declarations. The second result lists contradictions: rows without
// an answer, other keys, other scopes, and declared endpoints whose assumed watermark disagrees with
// the rows.
func lay(rows []endpoints.Row, services []schema.Service) ([]answer, []string) {
	declared := endpointsOf(services)
	var misfits []string
	shown := make(map[string]bool, len(rows))
	answers := make([]answer, len(rows))
	for i := range rows {
		row := &rows[i]
		shown[at(row)] = true
		answers[i] = answer{Row: *row, Text: use(row, declared)}
		if answers[i].Text == "" {
			misfits = append(misfits, row.String()+" has no answer")
		}
		misfits = append(misfits, compare(row, declared[at(row)])...)
	}
	return answers, append(misfits, undocumented(declared, shown)...)
}

// at returns the key of a row among the declared endpoints.
func at(r *endpoints.Row) string { return r.Method + " " + r.Service + " " + shape(r.Path) }

// endpoint is one declared endpoint and its use.
type endpoint struct {
	// name is the resource in Markdown, text the use of the call.
	name, text string
	key, scope string
	assumed    bool
}

// endpointsOf returns the declared calls. Several resources may be read from one endpoint.
func endpointsOf(services []schema.Service) map[string][]endpoint {
	declared := make(map[string][]endpoint)
	for s := range services {
		service := &services[s]
		add := func(path string, e endpoint) {
			at := http.MethodGet + " " + service.Name + " " + shape(path)
			declared[at] = append(declared[at], e)
		}
		for r := range service.Resources {
			addResource(add, service, &service.Resources[r])
		}
		for r := range service.Reads {
			read := &service.Reads[r]
			add(read.Path, endpoint{
				text: fmt.Sprintf("asked on demand: `sluice read %s.%s`", service.Name, read.Name),
				key:  read.Key, scope: read.Scope,
			})
		}
	}
	return declared
}

func addResource(add func(string, endpoint), service *schema.Service, resource *schema.Resource) {
	name := "`" + service.Name + "." + resource.Name + "`"
	copied := "copied into " + tables(service, resource)
	if resource.Optional {
		copied += "; off unless the configuration enables it"
	}
	add(resource.Path, endpoint{name: name, text: copied, key: resource.Key, scope: resource.Scope, assumed: resource.AssumedPath})
	if single := resource.Single; single != nil {
		text := "one record of " + name + ": not called, the list is complete"
		if resource.Details != nil {
			text = "details of " + name + ": rows whose list record was a header"
			if resource.Details.Batch != nil {
				text = "one record of " + name + ": not called, many are read at once"
			}
		}
		add(single.Path, endpoint{name: name, text: text, key: single.Key, scope: resource.Scope, assumed: single.Assumed})
	}
	if resource.Details != nil && resource.Details.Batch != nil {
		batch := resource.Details.Batch
		text := fmt.Sprintf("details of %s: rows whose list record was a header, up to %d a call", name, batch.Size)
		add(batch.Path, endpoint{name: name, text: text, key: batch.Key, scope: resource.Scope})
	}
}

func tables(service *schema.Service, resource *schema.Resource) string {
	all := resource.Tables()
	text := "`" + resource.SchemaName(service) + "." + all[0].Name + "`"
	switch children := len(all) - 1; children {
	case 0:
		return text
	case 1:
		return text + " and `" + all[1].Name + "`"
	default:
		return fmt.Sprintf("%s and %d tables `%s_…`", text, children, all[0].Name)
	}
}

// use describes the use of a row; "" if there is none.
func use(row *endpoints.Row, declared map[string][]endpoint) string {
	if row.Service == "authorization" {
		return authorization(row)
	}
	if row.Service == "notifications" {
		return "enables and renews the channels of [change notifications](notifications.md)"
	}
	if row.Method != http.MethodGet {
		return "write: not called by sluice"
	}
	found := declared[at(row)]
	texts := make([]string, 0, len(found))
	for _, e := range found {
		texts = append(texts, e.text)
	}
	if len(texts) > 0 {
		return strings.Join(texts, "; ")
	}
	list, isSingle := strings.CutSuffix(at(row), "/*")
	if isSingle && len(declared[list]) > 0 {
		return "one record of " + declared[list][0].name + ": not called, the list is complete"
	}
	return ""
}

// authorization describes the use of the authorization server, which no service declares.
func authorization(row *endpoints.Row) string {
	switch row.Path {
	case "/oauth/v2/token":
		if row.Variant == "refresh_token" {
			return "called for access tokens, one refresh for all processes"
		}
		return "called once a consent, by sluice authorize"
	case "/oauth/v2/auth":
		return "not called: sluice authorize gives its address to a person, who opens it in a browser"
	case "/oauth/v2/token/revoke":
		return "not called: revoking ends the access of every program with the same refresh token"
	default:
		return ""
	}
}

// compare compares the keys and scopes of a row with the declared ones.
func compare(row *endpoints.Row, declared []endpoint) []string {
	var misfits []string
	for _, e := range declared {
		if e.assumed {
			misfits = append(misfits, row.String()+" is declared as assumed, but document "+row.Document+" shows it")
		}
		if row.Key != "" && row.Key != e.key {
			misfits = append(misfits, fmt.Sprintf("%s answers under the key %s, declared is %q", row, row.Key, e.key))
		}
		if row.Scope != "" && !strings.Contains(row.Scope, "."+e.scope+".") {
			misfits = append(misfits, fmt.Sprintf("%s needs the scope %s, declared is the area %q", row, row.Scope, e.scope))
		}
	}
	return misfits
}

// undocumented returns declared endpoints without a row and without the assumed watermark.
func undocumented(declared map[string][]endpoint, shown map[string]bool) []string {
	var misfits []string
	for at, endpoints := range declared {
		for _, e := range endpoints {
			if !shown[at] && !e.assumed {
				misfits = append(misfits, at+" is declared, no document shows it, and it is not marked assumed")
			}
		}
	}
	slices.Sort(misfits)
	return misfits
}

// shape returns a path with a star for every placeholder, for comparing a document's path with a
// declared one.
func shape(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, "<") || strings.HasPrefix(segment, "{") {
			segments[i] = "*"
		}
	}
	return strings.Join(segments, "/")
}
