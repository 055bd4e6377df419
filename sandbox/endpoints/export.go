package sandbox

import (
	"encoding/base64"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sluice/sandbox/answer"
	"sluice/sandbox/faults"
	"sluice/sandbox/lists"
	"sluice/sandbox/services"
	"sluice/sandbox/world"
)

const (
	exportChunk = 256 // chats looked at per lock and flush
	nextToken   = "next_token"
)

// csvExport is one answer of the conversation export under way.
type csvExport struct {
	fields []string
	fault  *faults.Fault
	next   int // index of the chat to look at next
	shown  int // chats written
	most   int // chats that the answer may hold; 0: any number
}

// readExport answers false after refusing what cannot be served (document 1, A2).
func (s *Server) readExport(w http.ResponseWriter, r *http.Request, fault *faults.Fault) (*csvExport, bool) {
	if r.URL.Path != lists.ChatPath {
		answer.Fail(w, services.Chat, http.StatusNotFound, answer.NoSuchURL, "wrong URL or moved resource")
		return nil, false
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "text/csv" {
		answer.Fail(w, services.Chat, http.StatusNotAcceptable, answer.InvalidValue, "requested response type not supported: send Content-Type: text/csv")
		return nil, false
	}
	query := r.URL.Query()
	x := &csvExport{fields: strings.Split(query.Get("fields"), ","), fault: fault, most: s.options.ChatPage}
	for _, name := range x.fields {
		if !slices.Contains(world.ChatFields(), name) {
			answer.Fail(w, services.Chat, http.StatusBadRequest, answer.InvalidValue, "malformed or missing parameter: fields")
			return nil, false
		}
	}
	if !x.resume(query) {
		answer.Fail(w, services.Chat, http.StatusBadRequest, answer.InvalidValue, "malformed or missing parameter: "+nextToken)
		return nil, false
	}
	return x, true
}

// resume starts where a token says, if there is one. Indices never move, so a
// token stays good while chats come and go.
func (x *csvExport) resume(query url.Values) bool {
	if !query.Has(nextToken) {
		return true
	}
	place, err := base64.StdEncoding.DecodeString(query.Get(nextToken))
	if err != nil {
		return false
	}
	next, err := strconv.Atoi(string(place))
	x.next = next
	return err == nil && next >= 0
}

// token names the place behind the chats that were shown. Often it ends with =,
// which has to be escaped in a query, as opaque tokens do.
func (x *csvExport) token() string {
	return base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(x.next)))
}

func (x *csvExport) full() bool { return x.most > 0 && x.shown >= x.most }

// export streams the conversation export: one RFC 4180 line per chat, the fields
// in the order requested.
func (s *Server) export(w http.ResponseWriter, r *http.Request, fault *faults.Fault) {
	x, ok := s.readExport(w, r, fault)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "text/csv;charset=UTF-8")
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	var batch []byte
	if !s.options.NoCSVHeader {
		batch = appendLine(batch, x.fields)
	}
	for {
		var done bool
		batch, done = s.exportBatch(batch, x)
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

// exportBatch appends the lines of some chats, and tells whether they end the
// answer; if others follow in another one, the token for it is the last line.
func (s *Server) exportBatch(dst []byte, x *csvExport) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := s.world.Len(world.Chats)
	for end := min(x.next+exportChunk, size); x.next < end; x.next++ {
		if !s.world.Live(world.Chats, x.next) {
			continue
		}
		if x.full() {
			return append(dst, "\r\n"+nextToken+"="+x.token()+"\r\n"...), true
		}
		row := make([]string, len(x.fields))
		for n, name := range x.fields {
			value, _ := s.world.ChatField(x.next, name)
			row[n] = faults.SpoilChat(x.fault, x.shown, name, value)
		}
		dst = appendLine(dst, row)
		if x.fault.Is("duplicate") && x.shown == 0 {
			dst = appendLine(dst, row)
		}
		x.shown++
	}
	return dst, x.next >= size
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
