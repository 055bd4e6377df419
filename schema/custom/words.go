package custom

import (
	"maps"
	"slices"
	"strings"

	"sluice/schema"
)

// The ways of reading a list that a declaration can name. Lists under parents and exports need more
// than a declaration has.
const (
	kindSince       = "since"
	kindNewestFirst = "newest_first"
	kindFullScan    = "full_scan"
	kindSnapshot    = "snapshot"
)

// pagings returns the words of paging; PagingNumber is the default.
func pagings() map[string]schema.Paging {
	return map[string]schema.Paging{"number": schema.PagingNumber, "whole": schema.PagingWhole, "token": schema.PagingToken}
}

// kinds returns the words of column kinds.
func kinds() map[string]schema.Kind {
	return map[string]schema.Kind{
		"id": schema.KindID, "text": schema.KindText, "bool": schema.KindBool, "int": schema.KindInt,
		"decimal": schema.KindDecimal, "date": schema.KindDate, "time": schema.KindTime, "json": schema.KindJSON,
	}
}

// classes returns the words of column classes, spelled as words of the configuration are.
func classes() map[string]schema.Class {
	words := make(map[string]schema.Class)
	for class := schema.Plain; class <= schema.FreeText; class++ {
		words[strings.ReplaceAll(class.String(), " ", "_")] = class
	}
	return words
}

// KindWord returns the word of a kind in the configuration.
func KindWord(kind schema.Kind) string {
	for word, k := range kinds() {
		if k == kind {
			return word
		}
	}
	return ""
}

func words[T any](set map[string]T) []string { return slices.Sorted(maps.Keys(set)) }

// columnName returns a column name for a key of the wire: itemID and Item-Id give item_id.
func columnName(wire string) string {
	const longest = 55 // the limit of package schema
	var b strings.Builder
	lower := false
	for _, r := range wire {
		switch {
		case r >= 'A' && r <= 'Z':
			if lower {
				b.WriteByte('_')
			}
			b.WriteRune(r - 'A' + 'a')
			lower = false
			continue
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
		lower = r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
	}
	name := strings.TrimLeft(b.String(), "_0123456789")
	return name[:min(len(name), longest)]
}

// inWordsOfTheFile translates the words of package schema in a problem into those of the
// configuration.
func inWordsOfTheFile(problem string) string {
	return strings.NewReplacer(
		"by As", "with the key name", "by ID", "with kind id", "by Date", "with kind date",
		"by Decimal", "with kind decimal", "by JSON", "with kind json", "by Time", "with kind time",
		"use a constructor of package schema", "write one of: "+strings.Join(words(kinds()), ", "),
		"use FullScan", "write kind: full_scan", "use NewestFirst", "write kind: newest_first",
		"the sentence of", "the doc of", "the sentence ", "the doc ",
	).Replace(problem)
}
