package redact_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/pipeline/check"
	"sluice/schema/jsonscan"
	"sluice/schema/redact"
)

// node is a value as a strict decoder reads it. The literals of scalars are those of the bytes.
type node struct {
	kind    byte
	literal string
	names   []string
	nodes   []node
}

func parse(d *jsontext.Decoder) (node, error) {
	n := node{kind: byte(d.PeekKind())}
	if n.kind != '{' && n.kind != '[' {
		value, err := d.ReadValue()
		n.literal = string(value)
		return n, err
	}
	if _, err := d.ReadToken(); err != nil {
		return n, err
	}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		if n.kind == '{' {
			name, err := d.ReadToken()
			if err != nil {
				return n, err
			}
			n.names = append(n.names, name.String())
		}
		inner, err := parse(d)
		if err != nil {
			return n, err
		}
		n.nodes = append(n.nodes, inner)
	}
	_, err := d.ReadToken()
	return n, err
}

func read(data []byte) (node, bool) {
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(utf8.Valid(data))) // half a pair of surrogates, which escapes can write
	n, err := parse(d)
	if err != nil {
		return n, false
	}
	_, err = d.ReadToken()
	return n, errors.Is(err, io.EOF)
}

func (n node) String() string {
	switch n.kind {
	case '{':
		var b strings.Builder
		for i := range n.nodes {
			fmt.Fprintf(&b, "%q:%s,", n.names[i], n.nodes[i])
		}
		return "{" + b.String() + "}"
	case '[':
		return fmt.Sprint(n.nodes)
	default:
		return n.literal
	}
}

// without is what is left of a record of people, by the plainest reading of a choice: omit name and
// persons.email and keys without a column, hash email.
func without(n node, inPersons bool) node {
	out := node{kind: n.kind, literal: n.literal}
	keys := "|person_id|email|phone|notes|more|amount|modified|modified_at|created|company_id|state|born|place|mails|" +
		"person_id_formatted|phone_formatted|notes_formatted|more_formatted|amount_formatted|modified_formatted|created_formatted|" +
		"company_id_formatted|state_formatted|born_formatted|persons|"
	if inPersons {
		keys = "|id|id_formatted|tags|"
	}
	for i, inner := range n.nodes {
		name := n.names[i]
		known := strings.Contains(keys, "|"+name+"|") && !strings.Contains(name, "|") || !inPersons && strings.HasPrefix(name, "cf_")
		switch {
		case !known, !inPersons && name == "email" && (inner.kind == '{' || inner.kind == '['):
			continue
		case !inPersons && name == "email":
			inner = hashedNode(inner)
		case !inPersons && (name == "persons" || name == "place"):
			inner = arrayOf(inner, func(n node) node {
				if name == "place" {
					return place(n)
				}
				return without(n, true)
			})
		}
		out.names, out.nodes = append(out.names, name), append(out.nodes, inner)
	}
	return out
}

// place leaves out the keys without a column.
func place(n node) node {
	out := node{kind: n.kind}
	for i, inner := range n.nodes {
		if name := n.names[i]; name == "street" || name == "city" || name == "street_formatted" || name == "city_formatted" {
			out.names, out.nodes = append(out.names, name), append(out.nodes, inner)
		}
	}
	return out
}

func arrayOf(n node, of func(node) node) node {
	null := node{kind: 'n', literal: "null"}
	switch {
	case n.kind == '{':
		return of(n)
	case n.kind == '[':
		out := node{kind: '['}
		for _, element := range n.nodes {
			if element.kind == '{' {
				element = of(element)
			} else {
				element = null
			}
			out.nodes = append(out.nodes, element)
		}
		return out
	case n.kind == 'n', n.kind == '"' && strings.Trim(n.literal[1:len(n.literal)-1], " ") == "":
		return n
	default:
		return node{kind: '[', nodes: []node{null}}
	}
}

func hashedNode(n node) node {
	text := n.literal
	if n.kind == '"' {
		plain, _ := jsontext.AppendUnquote(nil, n.literal)
		text = string(plain)
	}
	if n.kind == 'n' || strings.TrimSpace(text) == "" || redact.IsHash([]byte(strings.TrimSpace(text))) {
		return n
	}
	return node{kind: '"', literal: `"` + expected(text) + `"`}
}

// hold compares what is left of a record with the plainest reading.
func hold(t *testing.T, of *redact.Redactor, data []byte) {
	t.Helper()
	before := bytes.Clone(data)
	got := of.Record(data)
	check.FatalIf(t, !bytes.Equal(before, data), "%q was written to", before)
	after, valid := read(got)
	check.FatalIf(t, !valid, "%q became %q, which is no JSON", data, got)
	tree, valid := read(data)
	if !valid || tree.kind != '{' || strings.Count(string(data), "[")+strings.Count(string(data), "{") > 64 {
		if !utf8.Valid(data) || valid && tree.kind == '{' {
			return // another text, or too deep: that it is JSON is all that is known
		}
		check.FatalIf(t, !redact.Withheld(got), "%q became %q", data, got)
		return
	}
	want := without(tree, false)
	check.FatalIf(t, want.String() != after.String(), "%q became\n%s, want\n%s", data, after, want)
}

// FuzzRecord holds each record against the plainest reading, which decodes it.
func FuzzRecord(f *testing.F) {
	for _, seed := range []string{
		`{"name":"x","email":"A","persons":[{"email":"x","id":1},7],"new":1}`, `{"email":{"a":1},"place":{"street":"s","b":2}}`,
		`{"e\u006dail":" \ud83d\ude00 ","name":1,"name":2}`, `{"persons":"  ","cf_x":1,"cf_x_formatted":"1"}`, `[{}]`, "{\"a\":\"\xff\"}", `{"name":"x",}`, `{"":"\ud800"}`,
		`{ "name" : [ ] , "amount" : 1.50 , "text" : { } }`,
	} {
		f.Add([]byte(seed))
	}
	of := redactor(f, redact.Choice{Omit: []string{"name", "persons.email", "_extra"}, Hash: []string{"email"}})
	f.Fuzz(func(t *testing.T, data []byte) {
		hold(t, of, data)
		holdElements(t, of, data)
	})
}

// holdElements holds the elements of an array with a record against what becomes of the record by
// itself, and whether they can be split against a scan that rewrites nothing.
func holdElements(t *testing.T, of *redact.Redactor, raw []byte) {
	t.Helper()
	const other = `{"name":"x","email":"A"}`
	list := fmt.Appendf(nil, ` [ %s,%s , %s]`, other, raw, other)
	before := string(list)
	var got []string
	end, ok := of.Elements(list, 1, 1, func(element []byte) { got = append(got, string(element)) })
	check.ErrorIf(t, string(list) != before, "splitting %s left %s", before, list)
	objects := true
	plain, isPlain := jsonscan.Elements(list, 1, 1, func(element []byte) { objects = objects && element[0] == '{' })
	check.ErrorIf(t, ok != (isPlain && objects) || ok && end != plain,
		"%s is split: %t, to %d, by a plain scan: %t, to %d", list, ok, end, isPlain, plain)
	if _, whole := read(raw); !ok || !whole { // the record ends elsewhere
		return
	}
	around := string(of.Record([]byte(other)))
	want := []string{around, string(of.Record(bytes.TrimSpace(raw))), around}
	check.ErrorIf(t, !slices.Equal(got, want), "the elements of %s are %q, want %q", list, got, want)
}

// TestNoByteOfALeftOutValueSurvives makes records at random, with one text in every value that is
// chosen and another one in the others.
func TestNoByteOfALeftOutValueSurvives(t *testing.T) {
	t.Parallel()
	of := redactor(t, redact.Choice{Omit: []string{"name", "persons.email", "_extra"}, Hash: []string{"email"}})
	rng := rand.New(rand.NewPCG(7, 11))
	space := func() string { return strings.Repeat(" ", rng.IntN(3)) }
	value := func(text string) string {
		switch rng.IntN(4) {
		case 0:
			return fmt.Sprintf(`{"%s":["%s"]}`, text, text)
		case 1:
			return fmt.Sprintf(`[ "%s" , {"email":"%s"}]`, text, text)
		default:
			return `"` + text + `"`
		}
	}
	object := func(bad, good []string) string {
		var members []string
		for range rng.IntN(6) {
			members = append(members, `"`+bad[rng.IntN(len(bad))]+`"`+space()+`:`+space()+value("CANARY"), `"`+good[rng.IntN(len(good))]+`"`+space()+`:"KEPT"`)
		}
		rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		return "{" + space() + strings.Join(members, space()+","+space()) + space() + "}"
	}
	for range 5000 {
		inner := object([]string{"email", "new", "email_formatted", "em\\u0061il"}, []string{"id", "tags"})
		outer := object([]string{"name", "email", "surprise", "text", "name_formatted", "persons_of"}, []string{"amount", "phone", "cf_a"})
		raw := strings.Replace(outer, "{", `{"persons":[`+inner+`,`+inner+`] , `, 1)
		if strings.HasSuffix(strings.TrimRight(strings.TrimSuffix(raw, "}"), " "), ",") {
			raw = `{"persons":[` + inner + `]}`
		}
		got := string(of.Record([]byte(raw)))
		check.FatalIf(t, strings.Contains(got, "CANARY") || strings.Count(got, "KEPT") != strings.Count(raw, "KEPT"),
			"of %s\nis left %s", raw, got)
		hold(t, of, []byte(raw))
		holdElements(t, of, []byte(raw))
	}
}
