package channel

// Limits of a field selection (docs/upstream.md U276 and U282). The limit of two objects is read as
// two for each group: more fields are nested. The depth is the sandbox's own: ten fields in pairs
// need nine groups, one inside the other.
const (
	mostObjects = 2
	mostFields  = 10
	mostDepth   = mostFields
)

// Condition restricts callbacks of a module to changes of some fields.
type Condition struct {
	Module    Module
	Selection Selection
}

// Selection is a field, or a group of selections.
type Selection struct {
	Field string // API name; "" for a group
	And   bool   // every member of the group must match, else any
	Group []Selection
}

// Matches reports whether the changed fields are the selected ones.
func (s Selection) Matches(changed func(field string) bool) bool {
	if s.Field != "" {
		return changed(s.Field)
	}
	for _, entry := range s.Group {
		if entry.Matches(changed) != s.And {
			return !s.And
		}
	}
	return s.And
}

// Selects reports whether a change of fields in a module raises a callback. A module without a
// condition always does; of several conditions one is enough.
func (c Channel) Selects(module string, changed func(field string) bool) bool {
	restricted := false
	for _, condition := range c.Conditions {
		if condition.Module.Name != module {
			continue
		}
		if condition.Selection.Matches(changed) {
			return true
		}
		restricted = true
	}
	return !restricted
}

func (r Rules) conditions(n node, channel *Channel) *Problem {
	entries, problem := n.list()
	if problem != nil {
		return problem
	}
	channel.Conditions = nil
	for _, entry := range entries {
		condition, problem := r.condition(entry)
		if problem != nil {
			return problem
		}
		channel.Conditions = append(channel.Conditions, condition)
	}
	return nil
}

func (r Rules) condition(n node) (Condition, *Problem) {
	body, problem := n.object()
	if problem != nil {
		return Condition{}, problem
	}
	if problem = kind(body); problem != nil {
		return Condition{}, problem
	}
	member, problem := body.need("module", MandatoryNotFound)
	if problem != nil {
		return Condition{}, problem
	}
	module, problem := r.module(member)
	if problem != nil {
		return Condition{}, problem
	}
	member, problem = body.need("field_selection", ExpectedMissing)
	if problem != nil {
		return Condition{}, problem
	}
	reader := reader{module: module}
	selection, problem := reader.group(member, 1)
	if problem != nil {
		return Condition{}, problem
	}
	if reader.fields > mostFields {
		member.path += ".group"
		return Condition{}, member.invalid("more than 10 fields in group")
	}
	return Condition{Module: module, Selection: selection}, nil
}

// kind checks type; its absence is another error if something depends on it.
func kind(body object) *Problem {
	code := MandatoryNotFound
	if _, given := body.find("field_selection"); given {
		code = DependentMissing
	}
	member, problem := body.need("type", code)
	if problem != nil {
		return problem
	}
	text, problem := member.text()
	if problem == nil && text != "field_selection" {
		problem = member.invalid("type is not field_selection")
	}
	return problem
}

// pair is api_name and id, which identify modules and fields.
type pair struct {
	apiName, id         node
	apiNameText, idText string
}

func (n node) pair() (pair, *Problem) {
	body, problem := n.object()
	if problem != nil {
		return pair{}, problem
	}
	var given pair
	if given.apiName, problem = body.need("api_name", ExpectedMissing); problem != nil {
		return pair{}, problem
	}
	if given.id, problem = body.need("id", ExpectedMissing); problem != nil {
		return pair{}, problem
	}
	if given.apiNameText, problem = given.apiName.text(); problem != nil {
		return pair{}, problem
	}
	given.idText, problem = given.id.text()
	return given, problem
}

func (r Rules) module(n node) (Module, *Problem) {
	given, problem := n.pair()
	if problem != nil {
		return Module{}, problem
	}
	module, found := r.Modules.Find(given.apiNameText)
	if !found {
		return Module{}, given.apiName.invalid("unknown module")
	}
	if module.ID != given.idText {
		return Module{}, n.problem(Ambiguity, "api_name and id of the module do not belong together")
	}
	return module, nil
}

// reader reads a tree of groups, and counts its fields.
type reader struct {
	module Module
	fields int
}

func (r *reader) group(n node, depth int) (Selection, *Problem) {
	body, problem := n.object()
	if problem != nil {
		return Selection{}, problem
	}
	operator, problem := body.need("group_operator", MandatoryNotFound)
	if problem != nil {
		return Selection{}, problem
	}
	word, problem := operator.text()
	if problem != nil {
		return Selection{}, problem
	}
	if word != "and" && word != "or" {
		return Selection{}, operator.invalid("group_operator is neither and nor or")
	}
	group, problem := body.need("group", ExpectedMissing)
	if problem != nil {
		return Selection{}, problem
	}
	entries, problem := group.list()
	if problem != nil {
		return Selection{}, problem
	}
	switch {
	case len(entries) == 0:
		return Selection{}, group.invalid("the group is empty")
	case len(entries) > mostObjects:
		return Selection{}, group.invalid("more than two objects in field_selection")
	case depth > mostDepth:
		return Selection{}, group.invalid("groups are nested too deeply")
	}
	selection := Selection{And: word == "and"}
	for _, entry := range entries {
		inner, problem := r.entry(entry, depth)
		if problem != nil {
			return Selection{}, problem
		}
		selection.Group = append(selection.Group, inner)
	}
	return selection, nil
}

// entry returns a field or a nested group, never both.
func (r *reader) entry(n node, depth int) (Selection, *Problem) {
	body, problem := n.object()
	if problem != nil {
		return Selection{}, problem
	}
	field, isField := body.find("field")
	_, isGroup := body.find("group")
	_, hasOperator := body.find("group_operator")
	switch {
	case isField && (isGroup || hasOperator):
		return Selection{}, n.invalid("the entry is a field and a group")
	case isField:
		return r.field(field)
	case isGroup || hasOperator:
		return r.group(n, depth+1)
	default:
		return Selection{}, n.invalid("the entry is neither a field nor a group")
	}
}

func (r *reader) field(n node) (Selection, *Problem) {
	given, problem := n.pair()
	if problem != nil {
		return Selection{}, problem
	}
	field, found := r.module.field(given.apiNameText)
	switch {
	case !found:
		return Selection{}, given.apiName.invalid("unknown field of module " + r.module.Name)
	case field.ID != given.idText:
		return Selection{}, given.id.invalid("the id is not that of the field")
	}
	r.fields++
	return Selection{Field: field.Name}, nil
}
