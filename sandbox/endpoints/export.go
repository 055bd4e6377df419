package endpoints

import (
	"net/http"
	"slices"
	"strings"

	"sluice/sandbox/answer"
	"sluice/sandbox/faults"
	"sluice/sandbox/world"
)

const exportChunk = 256 // chats looked at per lock and flush

// csvExport is the state of one answer of the conversation export.
type csvExport struct {
	kind   world.Kind
	under  string // the network; "" for the organization's own
	fields []string
	fault  *faults.Fault
	next   int // index of the chat to look at next
	shown  int // chats written
	most   int // chats that the answer may hold; 0: any number
}

// readExport reads the parameters. It refuses a call that cannot be served and returns false
// (docs/upstream.md U251 to U253).
func (c *Call) readExport() (*csvExport, bool) {
	under, found := c.under()
	if !found {
		c.fail(http.StatusNotFound, answer.NoSuchURL, "wrong URL or moved resource")
		return nil, false
	}
	if !c.typed("text/csv") || !c.accepts("text/csv") {
		c.fail(http.StatusNotAcceptable, answer.InvalidValue, "requested response type not supported: send Content-Type: text/csv")
		return nil, false
	}
	query := c.Request.URL.Query()
	x := &csvExport{
		kind: c.Endpoint.Resource.Kind, under: under, fields: strings.Split(query.Get("fields"), ","), fault: c.Fault, most: c.Manner.ChatPage,
	}
	for _, name := range x.fields {
		if !slices.Contains(world.ChatFields(), name) {
			c.fail(http.StatusBadRequest, answer.InvalidValue, "malformed or missing parameter: fields")
			return nil, false
		}
	}
	if x.next, found = readToken(query); !found {
		c.fail(http.StatusBadRequest, answer.InvalidValue, "malformed or missing parameter: "+nextToken)
		return nil, false
	}
	return x, true
}

func (x *csvExport) full() bool { return x.most > 0 && x.shown >= x.most }

// export streams the conversation export: one RFC 4180 line per chat, the fields in the requested
// order.
func export(c *Call) {
	x, ok := c.readExport()
	if !ok {
		return
	}
	c.Header().Set("Content-Type", "text/csv;charset=UTF-8")
	c.WriteHeader(http.StatusOK)
	control := http.NewResponseController(c.ResponseWriter)
	var batch []byte
	if !c.Manner.NoCSVHeader {
		batch = appendLine(batch, x.fields)
	}
	for {
		var done bool
		c.Company.With(func(w *world.World) { batch, done = x.appendBatch(batch, w) })
		if _, err := c.Write(batch); err != nil {
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

// appendBatch appends the lines of some chats, and reports whether they end the answer. If another
// answer follows, the last line is its token.
func (x *csvExport) appendBatch(dst []byte, w *world.World) ([]byte, bool) {
	size := w.Len(x.kind)
	for end := min(x.next+exportChunk, size); x.next < end; x.next++ {
		if !w.Live(x.kind, x.next) || w.Under(x.kind, x.next) != x.under {
			continue
		}
		if x.full() {
			return append(dst, "\r\n"+nextToken+"="+tokenFor(x.next)+"\r\n"...), true
		}
		row := make([]string, len(x.fields))
		for n, name := range x.fields {
			value, _ := w.ChatField(x.kind, x.next, name)
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

// appendLine appends one RFC 4180 line. encoding/csv with CRLF would also rewrite the line breaks
// inside titles.
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
