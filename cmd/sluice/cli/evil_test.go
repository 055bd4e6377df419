//go:build e2e || nightly

package cli

import (
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
)

// evil answers the paths upstream that begin with one of these, and passes all other requests on.
type evil struct {
	next   http.Handler
	bodies map[string][]byte
	packed bool
	// endless repeats the body, as an export, until the client disconnects.
	endless bool
	// answered, if not nil, gets a signal for each body that was sent, and for an endless one for
	// each part.
	answered chan struct{}
}

// export sends the body repeatedly.
func (e *evil) export(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "text/csv;charset=UTF-8")
	const part = 20
	for n := 0; ; n++ {
		if _, err := w.Write(body); err != nil {
			return
		}
		if n == part {
			e.sent()
		}
	}
}

func (e *evil) sent() {
	select {
	case e.answered <- struct{}{}:
	default:
	}
}

func (e *evil) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for path, body := range e.bodies {
		if strings.HasPrefix(r.URL.Path, path) {
			if e.endless {
				e.export(w, body)
				return
			}
			w.Header().Set("Content-Type", "application/json;charset=UTF-8")
			if e.packed {
				w.Header().Set("Content-Encoding", "gzip")
				packer := gzip.NewWriter(w)
				_, _ = packer.Write(body) // the client may have disconnected
				_ = packer.Close()
				e.sent()
				return
			}
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			_, _ = w.Write(body)
			e.sent()
			return
		}
	}
	e.next.ServeHTTP(w, r)
}

func (s *fixture) attack(e *evil) func() {
	s.arrivals.mu.Lock()
	defer s.arrivals.mu.Unlock()
	well := s.arrivals.next
	e.next, s.arrivals.next = well, e
	return func() {
		s.arrivals.mu.Lock()
		defer s.arrivals.mu.Unlock()
		s.arrivals.next = well
	}
}

func taxes(elements string) []byte {
	return []byte(`{"code":0,"message":"success","taxes":[` + strings.TrimSuffix(elements, ",") +
		`],"page_context":{"page":1,"per_page":200,"has_more_page":false}}`)
}
