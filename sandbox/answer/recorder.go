package answer

import (
	"net/http"
	"strconv"
)

// Recorder passes an answer on and remembers its status for the statistics.
type Recorder struct {
	http.ResponseWriter

	status int
}

// NewRecorder records what is written to w.
func NewRecorder(w http.ResponseWriter) *Recorder { return &Recorder{ResponseWriter: w} }

// WriteHeader notes the status.
func (w *Recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write notes the status that a first write implies.
func (w *Recorder) Write(data []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(data) // a writer passes errors on as they are.
}

// Unwrap lets http.ResponseController reach the connection.
func (w *Recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Label is the status as text, or "none" where nothing was answered.
func (w *Recorder) Label() string {
	if w.status == 0 {
		return "none"
	}
	return strconv.Itoa(w.status)
}
