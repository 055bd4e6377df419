package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"sluice/schema"
)

// Mix says which version a record has: all 0, all 1, or one in a hundred 1.
type Mix int

// The mixes.
const (
	First Mix = iota
	Hundredth
	Second
)

// Version of record number n.
func (m Mix) Version(n int) int {
	const hundred = 100
	switch {
	case m == Second, m == Hundredth && n%hundred == 0:
		return 1
	default:
		return 0
	}
}

// AppendPage appends page number page (from 1) of a list of total records.
func AppendPage(buf []byte, resource *schema.Resource, page, size, total int, mix Mix) []byte {
	buf = append(buf, `{"code":0,"message":"success","`...)
	buf = append(append(buf, resource.Key...), `":[`...)
	from, to := (page-1)*size, min(page*size, total)
	for n := from; n < to; n++ {
		if n > from {
			buf = append(buf, ',')
		}
		buf = Append(buf, resource, n, mix.Version(n))
	}
	return fmt.Appendf(buf, `],"page_context":{"page":%d,"per_page":%d,"has_more_page":%t}}`, page, size, to < total)
}

// Fields are the columns of an export's lines, in their order.
func Fields(resource *schema.Resource) []string {
	fields := make([]string, len(resource.Columns))
	for i := range fields {
		fields[i] = resource.Columns[i].Wire
	}
	return fields
}

// WriteLines writes an export of total chats, without a header.
func WriteLines(w io.Writer, total int) error {
	out := bufio.NewWriterSize(w, 1<<16) //nolint:mnd // bytes at once
	var line []byte
	for n := range total {
		line = append(appendID(line[:0], n), `,"Team `...)
		line = append(strconv.AppendInt(line, int64(n%5000), 10), `, ""open"" questions",2026-01-0`...)
		line = append(append(line, byte('1'+n%9)), `T10:00:00Z,2026-02-0`...)
		line = append(append(line, byte('1'+n%9)), `T11:30:00Z,`...)
		line = append(strconv.AppendInt(line, int64(n%50), 10), ',')
		line = append(strconv.AppendInt(line, int64(n%9000), 10), ',')
		line = append(appendID(line, n%700), '\n')
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write a line: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write lines: %w", err)
	}
	return nil
}

// readyBytes bounds what a server keeps of answers that were made ready.
const readyBytes = 512 << 20

// Serve answers for pages until the listener closes: /items?page=3&per_page=200&total=50000&mix=0 and /chats?total=1000. What was
// made ready before, by ReadyPath, is sent as it lies there; anything else is written while it is sent, with some 2 microseconds
// for each record.
func Serve(listener net.Listener) error {
	lists := &lists{service: Service(), ready: map[string][]byte{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+ReadyPath+"{resource}", lists.prepare)
	mux.HandleFunc("GET /{resource}", lists.answer)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	if err := server.Serve(listener); err != nil {
		return fmt.Errorf("serve pages: %w", err)
	}
	return nil
}

// ReadyPath stands in front of a resource's name: the pages of a list are made ready for those who measure what comes behind
// them. The list that was made ready before is forgotten.
const ReadyPath = "/ready/"

type lists struct {
	service *schema.Service

	mu    sync.Mutex
	ready map[string][]byte
	last  string
}

func number(r *http.Request, name string) int {
	n, err := strconv.Atoi(r.FormValue(name))
	if err != nil {
		return 0
	}
	return n
}

// body writes an answer: a page, or the lines of an export.
func body(r *http.Request, resource *schema.Resource, page int) []byte {
	if resource.Name == "chats" {
		var lines bytes.Buffer
		_ = WriteLines(&lines, number(r, "total")) // a buffer takes everything
		return lines.Bytes()
	}
	return AppendPage(nil, resource, page, number(r, "per_page"), number(r, "total"), Mix(number(r, "mix")))
}

func key(r *http.Request, page int) string {
	return fmt.Sprintf("%s %s %s %s %d", r.PathValue("resource"), r.FormValue("per_page"), r.FormValue("total"), r.FormValue("mix"), page)
}

// prepare makes a list ready, if it is not too large.
func (l *lists) prepare(w http.ResponseWriter, r *http.Request) {
	resource, err := Find(l.service, r.PathValue("resource"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == key(r, 0) {
		return
	}
	clear(l.ready)
	l.last = key(r, 0)
	size := max(number(r, "per_page"), 1)
	for page, kept := 1, 0; page == 1 || resource.Name != "chats" && (page-1)*size < number(r, "total"); page++ {
		answer := body(r, resource, page)
		if kept += len(answer); kept > readyBytes {
			clear(l.ready)
			return
		}
		l.ready[key(r, page)] = answer
	}
}

func (l *lists) answer(w http.ResponseWriter, r *http.Request) {
	resource, err := Find(l.service, r.PathValue("resource"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	page := max(number(r, "page"), 1)
	l.mu.Lock()
	answer, ready := l.ready[key(r, page)]
	l.mu.Unlock()
	switch {
	case !ready && resource.Name == "chats":
		_ = WriteLines(w, number(r, "total")) // the reader is gone
		return
	case !ready:
		answer = body(r, resource, page)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	_, _ = w.Write(answer) //nolint:gosec // pages of our own, and no browser reads them; an error means that the reader is gone
}
