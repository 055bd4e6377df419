package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
)

// rewriting stands in front of upstream and lets change rewrite each answer that is a JSON object.
func rewriting(upstream http.Handler, change func(r *http.Request, answer map[string]any)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		record := httptest.NewRecorder()
		upstream.ServeHTTP(record, r)
		body := record.Body.Bytes()
		var answer map[string]any
		if json.Unmarshal(body, &answer) == nil {
			change(r, answer)
			body, _ = json.Marshal(answer)
		}
		relay(w, record, body)
	})
}

// relay answers with what upstream answered, and another body.
func relay(w http.ResponseWriter, answer *httptest.ResponseRecorder, body []byte) {
	for name, values := range answer.Header() {
		if name != "Content-Length" && name != "Content-Encoding" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body)
}
