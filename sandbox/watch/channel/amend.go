package channel

import "slices"

// Amend checks a change of a living channel, which the element names: what it does not name stays
// as it was. With _delete_events it ends the events that it names, and changes nothing else
// (docs/upstream.md U291). A channel without events is left then.
func (r Rules) Amend(element Element, living func(id int64) (Channel, bool)) (Channel, *Problem) {
	body, problem := element.object()
	if problem != nil {
		return Channel{}, problem
	}
	member, problem := body.need("channel_id", MandatoryNotFound)
	if problem != nil {
		return Channel{}, problem
	}
	id, problem := member.long(r.Strict)
	if problem != nil {
		return Channel{}, problem
	}
	before, found := living(id)
	if !found {
		return Channel{}, element.NotSubscribed()
	}
	remove := false
	if flag, found := body.find("_delete_events"); found {
		if problem = flag.flag(&remove); problem != nil {
			return Channel{}, problem
		}
	}
	if !remove {
		return r.read(element, before)
	}
	named, problem := r.read(element, before, "events")
	if problem != nil {
		return Channel{}, problem
	}
	before.Events = slices.DeleteFunc(slices.Clone(before.Events), func(e Event) bool {
		return slices.ContainsFunc(named.Events, func(n Event) bool { return n.Module.Name == e.Module.Name && n.Operation == e.Operation })
	})
	return before, nil
}
