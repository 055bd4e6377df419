package engine

import (
	"fmt"
	"slices"
	"strings"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
)

// Select returns the enabled streams that a command line names. A name is a resource ("bills"),
// which includes its details, a service ("inventory"), both ("inventory.bills") or a stream
// ("inventory.bills.details"). No name means all streams but sweeps and looks. These have to be
// named as streams ("inventory.bills.sweep"), because a sweep reads the whole list. Organization,
// if given, is a name, a key or an id.
func (a *App) Select(names []string, organization string) ([]pipeline.Stream, error) {
	key, err := a.OrganizationKey(organization)
	if err != nil {
		return nil, err
	}
	var selected []pipeline.Stream
	matched := make(map[string]bool, len(names))
	for _, stream := range a.Streams() {
		if key != "" && stream.Organization != key {
			continue
		}
		wanted := len(names) == 0 && !besides(stream)
		for _, name := range names {
			if slices.Contains(namesOf(stream), name) {
				wanted, matched[name] = true, true
			}
		}
		if wanted && a.Enabled(stream) {
			selected = append(selected, stream)
		}
	}
	for _, name := range names {
		if !matched[name] {
			return nil, fmt.Errorf("%w: %q is no configured resource: %s", ErrUsage, name, strings.Join(a.names(), ", "))
		}
	}
	if len(selected) == 0 {
		return nil, fmt.Errorf("%w: nothing to copy: organizations[].services and resources leave no resource enabled", ErrUsage)
	}
	return selected, nil
}

// besides reports whether a stream looks for what the runs of its list do not see, or sooner than
// they do.
func besides(stream pipeline.Stream) bool {
	return stream.Work == pipeline.WorkSweep || stream.Work == pipeline.WorkLook || stream.Work == pipeline.WorkHinted
}

// namesOf returns the names of a stream on a command line.
func namesOf(stream pipeline.Stream) []string {
	key := stream.Key()
	if besides(stream) {
		return []string{key.Resource, key.Service + "." + key.Resource}
	}
	table := stream.Resource.SchemaName(stream.Service) + "." + stream.Resource.Name // what the configuration declares: custom.price_lists
	return []string{stream.Resource.Name, stream.Service.Name, resourceName(stream), key.Resource, key.Service + "." + key.Resource, table}
}

func (a *App) names() []string {
	var names []string
	for _, stream := range a.Streams() {
		names = append(names, resourceName(stream))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ChooseOrganization finds the organization that a command line names by name, key or id; nothing
// named means the only one. A name or a key is unique, an id may be in two data centers.
func (a *App) ChooseOrganization(named string) (*config.Organization, error) {
	var found []*config.Organization
	var keys []string
	for i := range a.Config.Organizations {
		o := &a.Config.Organizations[i]
		if named != "" && (named == o.Name || named == o.Key) {
			return o, nil
		}
		if named == "" || named == o.ID {
			found, keys = append(found, o), append(keys, o.Key)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case named == "":
		return nil, fmt.Errorf("%w: %d organizations are configured: choose one with --org", ErrUsage, len(found))
	case len(found) == 0:
		return nil, fmt.Errorf("%w: %q is no configured organization: choose one of %s", ErrUsage, named, a.organizationNames())
	default:
		return nil, fmt.Errorf("%w: %q is the id of %d organizations: write the key or the name of one: %s",
			ErrUsage, named, len(found), strings.Join(keys, ", "))
	}
}

// organizationNames are the names of the configured organizations for a message, at most ten.
func (a *App) organizationNames() string {
	const most = 10
	var names []string
	for i := range a.Config.Organizations {
		if i == most {
			names = append(names, "…")
			break
		}
		names = append(names, a.Config.Organizations[i].Name)
	}
	return strings.Join(names, ", ")
}

// OrganizationKey is the key of the organization that a command line names; "" means all.
func (a *App) OrganizationKey(named string) (string, error) {
	if named == "" {
		return "", nil
	}
	o, err := a.ChooseOrganization(named)
	if err != nil {
		return "", err
	}
	return o.Key, nil
}
