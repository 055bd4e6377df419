// Package conformance holds the sandbox against the API documents (docs/upstream.md): for each
// row of their endpoint tables at least one call with the answer that the document
// promises, and for each row of their error tables the condition that provokes it.
//
// The cases are written by hand from the documents, by somebody who had not read
// how the sandbox answers; each quotes the passage it comes from. They live in
// testdata: rows has the endpoint rows, errors the error tables. Where a document
// says "not shown", a case expects what docs/upstream.md has from other sources and the header
// X-Sandbox-Assumed.
//
// A case is a few steps; a step is a call, what it has to answer, and what later
// steps want to know of that answer. Start reading with testdata, then case_test.go
// for the words that cases are written in and match_test.go for the patterns.
package conformance
