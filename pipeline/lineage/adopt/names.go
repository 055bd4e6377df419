package adopt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/pipeline"
	"sluice/schema"
)

// ErrNoStream says that a resource was chosen for a stream that the other program does not have.
var ErrNoStream = errors.New("--map: there is no stream")

// Left is an origin whose records are not adopted, with the reason.
type Left struct {
	Origin string `json:"origin"`
	Stream string `json:"stream"`
	Why    string `json:"why"`
}

// Find matches origins with streams by their names; chosen names the resource of a stream of the
// other program, as service.resource, and comes first. Of several origins for one stream the one
// that was read last is taken, and of equal ones the one with raw records.
func Find(ctx context.Context, origins []Origin, streams []pipeline.Stream, chosen map[string]string) ([]Match, []Left, error) {
	var matches []Match
	var left []Left
	leave := func(o Origin, format string, args ...any) {
		left = append(left, Left{Origin: o.String(), Stream: o.Stream(), Why: fmt.Sprintf(format, args...)})
	}
	for _, origin := range origins {
		if why := origin.Unusable(); why != "" {
			leave(origin, "%s", why)
			continue
		}
		found := candidates(origin.Stream(), streams, chosen)
		if len(found) != 1 {
			leave(origin, "%s", ambiguous(found))
			continue
		}
		if why := unadoptable(found[0].Resource); why != "" {
			leave(origin, "%s", why)
			continue
		}
		figures, err := origin.Figures(ctx, found[0].Resource)
		if err != nil {
			return nil, nil, err
		}
		if !figures.Keyed {
			leave(origin, "no record has the key %s: choose another resource with --map", found[0].Resource.ID)
			continue
		}
		match := Match{Origin: origin, Stream: found[0], Figures: figures}
		at := slices.IndexFunc(matches, func(m Match) bool { return m.Stream.Key() == match.Stream.Key() })
		switch {
		case at < 0:
			matches = append(matches, match)
		case better(&match, &matches[at]):
			leave(matches[at].Origin, "%s was read later, or has the records as they came", match.Origin)
			matches[at] = match
		default:
			leave(origin, "%s was read later, or has the records as they came", matches[at].Origin)
		}
	}
	for name := range chosen {
		if !slices.ContainsFunc(origins, func(o Origin) bool { return o.Stream() == name }) {
			return nil, nil, fmt.Errorf("%w %q, only: %s", ErrNoStream, name, strings.Join(names(origins), ", "))
		}
	}
	return matches, left, nil
}

// better reports whether an origin is to be preferred to another one of the same stream.
func better(one, other *Match) bool {
	if !one.Figures.LastRead.Equal(other.Figures.LastRead) {
		return one.Figures.LastRead.After(other.Figures.LastRead)
	}
	return !one.Origin.Typed() && other.Origin.Typed()
}

func names(origins []Origin) []string {
	var all []string
	for _, o := range origins {
		all = append(all, o.Stream())
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func ambiguous(found []pipeline.Stream) string {
	if len(found) == 0 {
		return "no configured resource has this name: --map names one"
	}
	var names []string
	for _, stream := range found {
		names = append(names, stream.Service.Name+"."+stream.Resource.Name)
	}
	return "it can be " + strings.Join(names, " or ") + ": --map names one"
}

// unadoptable says why the records of a resource cannot be adopted; "" if they can.
func unadoptable(resource *schema.Resource) string {
	if cursor, under := resource.Cursor.(schema.PerParent); under && (cursor.Identifier != "" || resource.ToldByParent() == "") {
		return "its records do not say which parent they are under: its lists are read"
	}
	if resource.Exported() {
		return "its list comes as one body: one call reads it"
	}
	if _, snapshot := resource.Cursor.(schema.Snapshot); snapshot {
		return "it is one record: one call reads it"
	}
	return ""
}

// candidates are the lists whose resource can be meant by a name.
func candidates(name string, streams []pipeline.Stream, chosen map[string]string) []pipeline.Stream {
	var found []pipeline.Stream
	for _, stream := range streams {
		full := stream.Service.Name + "." + stream.Resource.Name
		if wanted, given := chosen[name]; given && wanted == full || !given && slices.Contains(spellings(stream), letters(name)) {
			found = append(found, stream)
		}
	}
	return found
}

// spellings are the names that other programs give to the records of a stream: with the service or
// without it, in the plural or the singular, whatever stands between the words.
func spellings(stream pipeline.Stream) []string {
	var all []string
	for _, name := range []string{stream.Resource.Name, stream.Resource.Path[strings.LastIndex(stream.Resource.Path, "/")+1:]} {
		for _, form := range []string{letters(name), singular(letters(name))} {
			all = append(all, form, letters(stream.Service.Name)+form)
		}
	}
	return all
}

func singular(word string) string {
	for _, ending := range [][2]string{{"ies", "y"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"}, {"sses", "ss"}, {"s", ""}} {
		if stem, found := strings.CutSuffix(word, ending[0]); found {
			return stem + ending[1]
		}
	}
	return word
}

// letters are the letters and digits of a name, in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}
