package answer

import (
	"net/http"
	"strconv"
)

// Recorder forwards an answer and notes its status for the statistics.
type Recorder struct {
	http.ResponseWriter

	status  int
	written int
	end     func(label string)
}

// NewRecorder records what is written to w. It calls end once, with the status as text: before the
// last byte of an answer whose length is announced, for the client may call again as soon as it has
// that, or else in End.
func NewRecorder(w http.ResponseWriter, end func(label string)) *Recorder {
	return &Recorder{ResponseWriter: w, end: end}
}

// End says that nothing more is written.
func (w *Recorder) End() {
	if w.end != nil {
		w.end(w.label())
		w.end = nil
	}
}

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
	w.written += len(data)
	if length, err := strconv.Atoi(w.Header().Get("Content-Length")); err == nil && w.written >= length {
		w.End()
	}
	return w.ResponseWriter.Write(data) // a writer passes errors on as they are.
}

// Unwrap lets http.ResponseController reach the connection.
func (w *Recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// label is the status as text, or "none" where nothing was answered.
func (w *Recorder) label() string {
	if w.status == 0 {
		return "none"
	}
	return strconv.Itoa(w.status)
}
