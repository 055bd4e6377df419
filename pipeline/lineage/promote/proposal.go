package promote

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/schema"
	"sluice/schema/custom"
)

// Proposal is what the configuration could declare for the keys that no column takes.
type Proposal struct {
	// Records is the number of records that were examined.
	Records  int      `json:"records"`
	Columns  []Column `json:"columns"`
	Children []Child  `json:"children,omitempty"`
}

// Column is one proposed column.
type Column struct {
	Wire string `json:"wire"`
	Kind string `json:"kind"`
	// Records is the number of examined records with the key; in Empty of them it is null or blank.
	Records int `json:"records"`
	Empty   int `json:"empty"`
}

// Child is one proposed table for the elements of an array.
type Child struct {
	Name string `json:"name"`
	// Records is the number of records with the array, Elements the number of elements in all of
	// them.
	Records  int      `json:"records"`
	Elements int      `json:"elements"`
	Columns  []Column `json:"columns"`
}

// Proposal returns the result of the survey.
func (s *Survey) Proposal() Proposal {
	proposal := Proposal{Records: s.rows, Columns: []Column{}}
	for _, key := range s.sorted() {
		k := s.keys[key]
		onlyArrays := len(k.shapes) == 1 && k.shapes['['] > 0
		if onlyArrays && k.elements != nil && !k.bare {
			proposal.Children = append(proposal.Children, Child{
				Name: key, Records: k.rows, Elements: k.elements.rows, Columns: k.elements.columns(),
			})
			continue
		}
		proposal.Columns = append(proposal.Columns, k.column(key))
	}
	return proposal
}

func (s *Survey) columns() []Column {
	columns := make([]Column, 0, len(s.keys))
	for _, key := range s.sorted() {
		columns = append(columns, s.keys[key].column(key))
	}
	return columns
}

func (k *seen) column(key string) Column {
	return Column{Wire: key, Kind: custom.KindWord(k.kind(key)), Records: k.rows, Empty: k.empty}
}

// YAML returns the proposal as lines to paste into the resource's entry in custom: columns and
// children. The operator has to fill in the sentences.
func (p Proposal) YAML() string {
	var b strings.Builder
	if len(p.Columns) > 0 {
		b.WriteString("    columns:\n")
		writeColumns(&b, "      ", p.Columns, p.Records, "records")
	}
	if len(p.Children) > 0 {
		b.WriteString("    children:\n")
	}
	for _, child := range p.Children {
		fmt.Fprintf(&b, "      # in %d of %d records, %d elements in all\n", child.Records, p.Records, child.Elements)
		doc := "One element of " + plain(child.Name) + ", to be described."
		fmt.Fprintf(&b, "      - name: %s\n        doc: %s\n        columns:\n", quoted(child.Name), strconv.Quote(doc))
		writeColumns(&b, "          ", child.Columns, child.Elements, "elements")
	}
	return b.String()
}

func writeColumns(b *strings.Builder, indent string, columns []Column, of int, what string) {
	for _, c := range columns {
		share := fmt.Sprintf("in %d of %d %s", c.Records, of, what)
		if c.Empty > 0 {
			share += fmt.Sprintf(", empty in %d", c.Empty)
		}
		doc := "To be described, the value of " + plain(c.Wire) + "."
		if c.Kind == custom.KindWord(schema.KindJSON) {
			doc = "To be described, JSON because its shape is open."
		}
		wire := quoted(c.Wire)
		if c.Wire == "organization_id" {
			wire += ", name: upstream_organization_id" // organization_id is the column with the row's organization
		}
		fmt.Fprintf(b, "%s# %s\n%s- {wire: %s, kind: %s, doc: %s}\n", indent, share, indent, wire, c.Kind, strconv.Quote(doc))
	}
}

// plain makes a key of the wire fit for a sentence: it replaces control characters and pairs of
// dashes.
func plain(key string) string {
	return strings.ReplaceAll(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, key), "--", "_")
}

// quoted writes a key so that YAML reads it as text.
func quoted(key string) string {
	word := strings.ToLower(key)
	noText := []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"} // as YAML reads them
	if key != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz_") == "" && !slices.Contains(noText, word) {
		return key
	}
	return strconv.Quote(key)
}
