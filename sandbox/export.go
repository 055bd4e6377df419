package sandbox

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	"sluice/sandbox/world"
)

const exportChunk = 256 // chats per lock and flush

// export streams the conversation export (document 1, A2): one RFC 4180 line
// per chat, the fields in the order requested.
func (s *Server) export(w http.ResponseWriter, r *http.Request, fault *Fault) {
	if r.URL.Path != chatPath {
		fail(w, serviceChat, http.StatusNotFound, codeNoSuchURL, "wrong URL or moved resource")
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "text/csv" {
		fail(w, serviceChat, http.StatusNotAcceptable, codeInvalidValue, "requested response type not supported: send Content-Type: text/csv")
		return
	}
	fields := strings.Split(r.URL.Query().Get("fields"), ",")
	for _, name := range fields {
		if !slices.Contains(world.ChatFields(), name) {
			fail(w, serviceChat, http.StatusBadRequest, codeInvalidValue, "malformed or missing parameter: fields")
			return
		}
	}
	w.Header().Set("Content-Type", "text/csv;charset=UTF-8")
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	var batch []byte
	if !s.options.NoCSVHeader {
		batch = appendLine(batch, fields)
	}
	for first := 0; ; first += exportChunk {
		var done bool
		batch, done = s.exportBatch(batch, fields, first, fault)
		if _, err := w.Write(batch); err != nil {
			return // the client left
		}
		if done {
			return
		}
		if err := control.Flush(); err != nil {
			return // a writer that cannot stream, or a client that left
		}
		batch = batch[:0]
	}
}

// exportBatch appends the lines of some chats, and tells whether they were the last.
func (s *Server) exportBatch(dst []byte, fields []string, first int, fault *Fault) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := s.world.Len(world.Chats)
	shown := 0 // of this batch; the faults spoil the first ones of the export
	for i := first; i < min(first+exportChunk, size); i++ {
		if !s.world.Live(world.Chats, i) {
			continue
		}
		row := make([]string, len(fields))
		for n, name := range fields {
			value, _ := s.world.ChatField(i, name)
			if first == 0 {
				value = spoilChat(fault, shown, name, value)
			}
			row[n] = value
		}
		dst = appendLine(dst, row)
		if fault.is("duplicate") && first == 0 && shown == 0 {
			dst = appendLine(dst, row)
		}
		shown++
	}
	return dst, first+exportChunk >= size
}

// spoilChat is what the faults of records do to one value of the export.
func spoilChat(fault *Fault, row int, name, value string) string {
	switch {
	case fault.is("poison") && row == 0 && name == "creation_time":
		return "yesterday"
	case fault.is("poison") && row == 1 && name == "chat_id":
		return ""
	case fault.is("nul") && row == 0 && name == "title":
		return value + "\x00"
	default:
		return value
	}
}

// appendLine writes one RFC 4180 line. encoding/csv is not used: with CRLF it
// would also rewrite the line breaks inside titles.
func appendLine(dst []byte, values []string) []byte {
	for n, value := range values {
		if n > 0 {
			dst = append(dst, ',')
		}
		// A lone empty value must be quoted, or the line would look blank.
		if strings.ContainsAny(value, "\",\r\n") || value == "" && len(values) == 1 {
			dst = append(dst, '"')
			dst = append(dst, strings.ReplaceAll(value, `"`, `""`)...)
			dst = append(dst, '"')
			continue
		}
		dst = append(dst, value...)
	}
	return append(dst, '\r', '\n')
}
