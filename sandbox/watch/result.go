package watch

import (
	"encoding/json"
	"net/http"
	"strconv"

	"sluice/sandbox/watch/channel"
)

// dateTime is the format of times: with the organization's offset, colon included (docs/upstream.md
// U284).
const dateTime = "2006-01-02T15:04:05-07:00"

// result is the result of one subscription (docs/upstream.md U277 and U282).
type result struct {
	Code    channel.Code `json:"code"`
	Details details      `json:"details"`
	Message string       `json:"message"`
	Status  string       `json:"status"`
}

// details are those of a success or those of a failure.
type details struct {
	Events   []event `json:"events,omitempty"`
	APIName  string  `json:"api_name,omitempty"`
	JSONPath string  `json:"json_path,omitempty"`
	Expected string  `json:"expected_data_type,omitempty"`
	// The rest describes a module whose channel was disabled.
	URI  string `json:"resource_uri,omitempty"`
	ID   string `json:"resource_id,omitempty"`
	Chan string `json:"channel_id,omitempty"`
}

// event is one module of a channel.
type event struct {
	Expiry string `json:"channel_expiry"`
	URI    string `json:"resource_uri"`
	ID     string `json:"resource_id"`
	Name   string `json:"resource_name"`
	// Chan is a text, though the request sent a number (docs/upstream.md U284).
	Chan string `json:"channel_id"`
}

const success channel.Code = "SUCCESS"

// status returns the status of an answer with several results.
func status(failed, all, granted int) int {
	switch failed {
	case 0:
		return granted
	case all:
		return http.StatusBadRequest
	default:
		return http.StatusMultiStatus
	}
}

// watched is the envelope of results.
type watched struct {
	Watch []result `json:"watch"`
}

// granted returns a success: one event for each module (docs/upstream.md U277).
func (s *Server) granted(c subscribed) result {
	granted := result{Code: success, Status: "success", Message: "Successfully subscribed for actions-watch of the given module"}
	for _, module := range c.Modules() {
		granted.Details.Events = append(granted.Details.Events, s.event(c, module))
	}
	return granted
}

func (s *Server) event(c subscribed, module channel.Module) event {
	return event{
		Expiry: c.Expires.In(s.options.Zone).Format(dateTime), Chan: strconv.FormatInt(c.ID, 10),
		URI: c.base + module.Name, ID: module.ID, Name: module.Name,
	}
}

func failure(p *channel.Problem) result {
	return result{
		Code: p.Code, Message: p.Message, Status: "error",
		Details: details{APIName: p.Name, JSONPath: p.Path, Expected: p.Expected},
	}
}

// write sends a JSON answer. A client that left is no error.
func write(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil { // texts can always be encoded
		http.Error(w, "watch: the answer cannot be written: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}
