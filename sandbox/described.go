package sandbox

import (
	"cmp"
	"net/http"
	"slices"

	"sluice/sandbox/answer"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/openapi"
	"sluice/sandbox/services"
)

// described returns the rows of the table and those of the authorization server, which needs no
// token.
func (s *Server) described() []endpoints.Endpoint {
	const get, post = http.MethodGet, http.MethodPost
	return append(slices.Clone(s.table), []endpoints.Endpoint{
		{Method: get, Path: services.OAuthRoot + "auth", Note: "The consent page, for a browser."},
		{Method: post, Path: services.OAuthRoot + "auth", Assumed: "the form of the consent page", Note: "What its buttons send."},
		{
			Method: post, Path: services.TokenPath, Assumed: "api_domain and scope in the answer, errors with status 200",
			Note: "A code or a refresh token for an access token.",
		},
		{Method: post, Path: services.TokenPath + "/revoke", Assumed: "the answer", Note: "Ends a refresh token and its access tokens."},
	}...)
}

// organization is one simulated organization, as the controls show it.
type organization struct {
	ID         string `json:"organization_id"`
	DataCenter string `json:"dc"`
	Prefix     string `json:"prefix"` // of every path; "" for none
	TimeZone   string `json:"time_zone"`
	Plan       string `json:"plan"`
	// Services are the plans of the services, by their names.
	Services     map[string]string `json:"services"`
	Vendor       string            `json:"vendor"`
	ClientID     string            `json:"client_id"`
	ClientSecret string            `json:"client_secret"` // of the sandbox only
	RefreshToken string            `json:"refresh_token"` // of the sandbox only
}

// Plans returns the plan of each service of an organization, by the service's name. Invoicing has
// figures of the free plan alone (docs/upstream.md U43), and chat has no plans at all (U45).
// Accounting and inventory each sell plans that the other does not; such a plan counts as the
// other's largest.
func Plans(plan string) map[string]string {
	plan = cmp.Or(plan, defaultPlan)
	plans := map[string]string{
		services.Accounting: plan, services.Inventory: plan, services.Chat: "free", services.Invoicing: "free", services.Billing: "paid",
	}
	switch plan {
	case "enterprise":
		plans[services.Accounting] = "ultimate"
	case "elite", "ultimate":
		plans[services.Inventory] = "enterprise"
	}
	return plans
}

func (st *stage) organizations(vendor string) []organization {
	all := make([]organization, 0, len(st.companies))
	for n, c := range st.companies {
		o := organization{
			ID: c.ID, DataCenter: c.DataCenter, Prefix: services.Prefix(c.DataCenter), TimeZone: c.TimeZone,
			Plan: c.Allowance().Plan, Services: Plans(c.Allowance().Plan), Vendor: vendor,
			ClientID: ClientID, ClientSecret: ClientSecret, RefreshToken: RefreshTokenFor(c.ID, c.DataCenter),
		}
		if n == 0 {
			o.RefreshToken = RefreshToken
		}
		all = append(all, o)
	}
	return all
}

func (s *Server) showOrganizations(a asked) { a.write(a.stage.organizations(s.options.Vendor)) }

// row is one row of the table of endpoints, as the controls show it.
type row struct {
	Method  string `json:"method"`
	Path    string `json:"path"`
	Service string `json:"service"`
	Scope   string `json:"scope"`
	Assumed string `json:"assumed,omitempty"` // what no document shows
}

func (s *Server) showEndpoints(a asked) {
	rows := s.described()
	all := make([]row, 0, len(rows))
	for _, e := range rows {
		all = append(all, row{Method: e.Method, Path: e.Path, Service: e.Service(), Scope: e.Scope, Assumed: e.Assumed})
	}
	a.write(all)
}

func (s *Server) showDescription(a asked) {
	var centers []string
	for _, c := range a.stage.companies {
		if c.DataCenter != "" && !slices.Contains(centers, c.DataCenter) {
			centers = append(centers, c.DataCenter)
		}
	}
	text, err := openapi.Describe(s.described(), openapi.Options{Vendor: s.options.Vendor, Base: baseOf(a.r), DataCenters: centers})
	if err != nil {
		answer.Error(a.w, http.StatusInternalServerError, answer.NotAuthorized, err.Error())
		return
	}
	answer.Body(a.w, http.StatusOK, answer.JSONType, text)
}
