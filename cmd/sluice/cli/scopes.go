package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/schema"
	"sluice/schema/docs/endpoints"
)

// scopeWriter gives the scopes that the credentials need. Source: docs/upstream.md U34: the READ
// scope of the area, unless an endpoint asks for another.
type scopeWriter struct {
	vendor string
	shown  map[string]string
}

func newScopeWriter(vendor string) (scopeWriter, error) {
	rows, err := endpoints.Rows()
	if err != nil {
		return scopeWriter{}, fmt.Errorf("read the documents' endpoints: %w", err)
	}
	return scopeWriter{vendor: vendor, shown: endpoints.Scopes(rows)}, nil
}

func (w scopeWriter) scope(service *schema.Service, area string) string {
	product := service.Scope + "." + area
	if shown, ok := w.shown[product]; ok {
		return w.vendor + shown
	}
	return w.vendor + product + ".READ"
}

// neededScopes are the scopes that the streams of an organization and its channels need.
func neededScopes(a *engine.App, o *config.Organization) ([]string, error) {
	write, err := newScopeWriter(a.Config.Vendor.Name)
	if err != nil {
		return nil, err
	}
	streams, err := a.Select(nil, o.Key)
	if err != nil {
		return nil, err
	}
	var scopes []string
	for _, stream := range streams {
		scopes = append(scopes, write.scope(stream.Service, stream.Resource.Scope))
	}
	if len(o.Notifications.Watch) > 0 {
		scopes = append(scopes, a.Config.Vendor.Name+"CRM.notifications.ALL") // docs/upstream.md U37
	}
	slices.Sort(scopes)
	return slices.Compact(scopes), nil
}

// missingScopes are the needed scopes that no granted one includes.
func missingScopes(needed, granted []string) []string {
	missing := []string{}
	for _, scope := range needed {
		if !slices.ContainsFunc(granted, func(held string) bool { return includes(held, scope) }) {
			missing = append(missing, scope)
		}
	}
	return missing
}

// includes says that a granted scope includes a needed one. ALL stands for every operation, an area
// for those within it (docs/upstream.md U36, U37, U356), and fullaccess.all, which no document has,
// for the whole product.
func includes(held, needed string) bool {
	heldArea, heldOperation := splitScope(held)
	area, operation := splitScope(needed)
	product, _, _ := strings.Cut(area, ".")
	if strings.EqualFold(held, product+".fullaccess.all") {
		return true
	}
	return (heldOperation == operation || heldOperation == "ALL") && (heldArea == area || strings.HasPrefix(area, heldArea+"."))
}

// splitScope takes <product>.<area>.<OPERATION> apart before its operation.
func splitScope(scope string) (string, string) {
	at := max(0, strings.LastIndexByte(scope, '.'))
	return scope[:at], strings.TrimPrefix(scope[at:], ".")
}

// checkScopes compares the scopes that each organization needs with those that upstream named with
// its last access token. It makes no call. It gives no finding where upstream named none: then
// refusals show what is missing.
func checkScopes(ctx context.Context, a *engine.App) []finding {
	var findings []finding
	for i := range a.Config.Organizations {
		o := &a.Config.Organizations[i]
		needed, err := neededScopes(a, o)
		var granted []string
		if err == nil {
			granted, err = a.Scopes(ctx, o)
		}
		if err == nil && len(granted) == 0 {
			continue
		}
		f := verdict(fmt.Sprintf("%s (%s), scopes", o.Name, o.ID), err, view.Plural(len(needed), "scope")+" needed, all granted")
		if missing := missingScopes(needed, granted); err == nil && len(missing) > 0 {
			f.OK, f.code, f.Missing, f.Next = false, codeFailed, missing, "sluice authorize "+o.Key
			f.Text = fmt.Sprintf("not granted: %s: upstream may deny the streams that need them; run %s, or disable these resources",
				strings.Join(missing, ","), f.Next)
		}
		findings = append(findings, f)
	}
	return findings
}
