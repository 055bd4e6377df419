package testbed

import (
	"bytes"
	"maps"
	"net/http"
)

// answer is upstream's answer, kept until it is decided whether the caller gets it.
type answer struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header             { return a.header }
func (a *answer) WriteHeader(code int)            { a.code = code }
func (a *answer) Write(piece []byte) (int, error) { return a.body.Write(piece) }

func (a *answer) send(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.code)
	_, _ = a.body.WriteTo(w) // the caller may be gone
}
