package channel

import (
	"encoding/json"
	"strconv"
)

// Code classifies an error of a subscription (docs/upstream.md U282; NotSubscribed is U283).
type Code string

// The codes.
const (
	MandatoryNotFound Code = "MANDATORY_NOT_FOUND"
	InvalidData       Code = "INVALID_DATA"
	ExpectedMissing   Code = "EXPECTED_FIELD_MISSING"
	Ambiguity         Code = "AMBIGUITY_DURING_PROCESSING"
	DependentMissing  Code = "DEPENDENT_FIELD_MISSING"
	NotSubscribed     Code = "NOT_SUBSCRIBED"
)

// Problem is the first error of a body, and its place.
type Problem struct {
	Code Code
	// Name is the key concerned; Path its place in the body, such as $.watch[0].events.
	Name, Path string
	// Expected is the expected data type; "" if the type is not the problem.
	Expected string
	Message  string // for people
}

// node is one value of a body and its path.
type node struct {
	name, path string
	raw        json.RawMessage
}

// object is a JSON object and its path in the body. Keys are compared exactly.
type object struct {
	path    string
	members map[string]json.RawMessage
}

// find returns a member; null counts as absent (docs/upstream.md U133).
func (o object) find(name string) (node, bool) {
	raw, found := o.members[name]
	return node{name: name, path: o.path + "." + name, raw: raw}, found && string(raw) != "null"
}

// need returns a member, or a problem if it is absent.
func (o object) need(name string, code Code) (node, *Problem) {
	member, found := o.find(name)
	if !found {
		return member, member.problem(code, "required field not found")
	}
	return member, nil
}

func (n node) problem(code Code, message string) *Problem {
	return &Problem{Code: code, Name: n.name, Path: n.path, Message: message}
}

// invalid returns the problem of a value that does not fit.
func (n node) invalid(message string) *Problem { return n.problem(InvalidData, message) }

// mistyped returns the problem of a value of another type.
func (n node) mistyped(expected string) *Problem {
	problem := n.invalid("invalid data type")
	problem.Expected = expected
	return problem
}

func (n node) object() (object, *Problem) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(n.raw, &members); err != nil || members == nil {
		return object{}, n.mistyped("jsonobject")
	}
	return object{path: n.path, members: members}, nil
}

// list returns the entries of an array.
func (n node) list() ([]node, *Problem) {
	var entries []json.RawMessage
	if err := json.Unmarshal(n.raw, &entries); err != nil || entries == nil {
		return nil, n.mistyped("jsonarray")
	}
	nodes := make([]node, len(entries))
	for i, raw := range entries {
		nodes[i] = node{name: n.name, path: n.path + "[" + strconv.Itoa(i) + "]", raw: raw}
	}
	return nodes, nil
}

func (n node) text() (string, *Problem) {
	var text *string
	if err := json.Unmarshal(n.raw, &text); err != nil || text == nil {
		return "", n.mistyped("text")
	}
	return *text, nil
}

// flag reads a boolean into to.
func (n node) flag(to *bool) *Problem {
	if err := json.Unmarshal(n.raw, to); err != nil {
		return n.mistyped("boolean")
	}
	return nil
}

// long reads an integer of 64 bits. Quoted digits pass unless strict, since samples of this family
// send them so.
func (n node) long() (int64, *Problem) {
	digits := string(n.raw)
	if text, problem := n.text(); problem == nil {
		digits = text
	}
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, n.mistyped("long")
	}
	return number, nil
}
