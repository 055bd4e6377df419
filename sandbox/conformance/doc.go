// Package conformance compares the sandbox with the API documents (docs/upstream.md). Each row of
// their endpoint tables has at least one call with the documented answer, and each row of their
// error tables has the condition that provokes it.
//
// The cases were written by hand from the documents, without knowledge of the sandbox's code; each
// quotes its passage. They are in testdata: rows has the endpoint rows, errors the error tables.
// Where a document says "not shown", a case expects what docs/upstream.md has from other sources,
// and the header X-Sandbox-Assumed.
//
// A case is a few steps. A step is a call, its expected answer, and the values that later steps
// need. Start reading with testdata, then case_test.go for the words of cases and match_test.go for
// the patterns.
package conformance
