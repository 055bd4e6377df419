package console

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sluice/pipeline/outside"
)

// Action is something that an operator does.
type Action struct {
	// Pattern is that of http.ServeMux, without a method.
	Pattern string
	// Do does what the command does. What it returns is recorded, also with an error.
	Do func(ctx context.Context, r *Request) (Deed, error)
	// Back is the page that follows; empty for that on which the button was.
	Back string
}

// Deed is what a person did.
type Deed struct {
	// Who is the name of the person; the console fills it in.
	Who string
	// What is the command that does the same, without its arguments, and Target what it was done
	// to.
	What, Target string
	Organization string
	// Before and After are what it changed, as JSON; nil where there is nothing to compare.
	Before, After any
	// Failed is why it was not done; empty if it was.
	Failed outside.Text
	// Back is the address of the page that follows, if the result decides which; it is not
	// recorded.
	Back string
}

// Said is the sentence about the result that After has under the key "said"; "" if it has none.
func (d Deed) Said() string {
	text, err := json.Marshal(d.After)
	var after struct {
		Said string `json:"said"`
	}
	if err != nil || json.Unmarshal(text, &after) != nil {
		return ""
	}
	return after.Said
}

// act does an action, records it, and leads to the page that shows its result.
func (c *Console) act(w http.ResponseWriter, r *http.Request, action Action) {
	request := c.request(r)
	if !request.User.Operator {
		c.fail(w, r, http.StatusForbidden, "Operators only.")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostForm)
	if err := r.ParseForm(); err != nil {
		c.fail(w, r, http.StatusBadRequest, "The form cannot be read.")
		return
	}
	request.Query = r.PostForm
	deed, err := action.Do(r.Context(), request)
	if err != nil && deed.What == "" {
		c.failed(w, r, err)
		return
	}
	deed.Who = request.User.Name
	if err != nil {
		deed.Failed = c.options.Scrub(err)
	}
	to := cmp.Or(deed.Back, action.Back)
	id, err := c.options.Record(context.WithoutCancel(r.Context()), deed)
	if err != nil {
		c.unrecorded(w, r, deed, err)
		return
	}
	http.Redirect(w, r, back(r, to)+strconv.FormatInt(id, 10), http.StatusSeeOther) //nolint:gosec // back keeps to the console
}

// unrecorded sends the page about an action that could not be recorded: it says whether the action
// was done.
func (c *Console) unrecorded(w http.ResponseWriter, r *http.Request, deed Deed, err error) {
	text := c.options.Scrub(err)
	c.options.Log.ErrorContext(r.Context(), "what an operator did could not be recorded", "path", r.URL.Path, "error", text)
	page := Page{Title: "Not recorded", Mood: Bad, Sentence: "It was done, and could not be recorded: " + string(text)}
	if deed.Failed != "" {
		page.Sentence = "It was not done: " + string(deed.Failed) + ". That could not be recorded either: " + string(text)
	}
	c.send(w, r, http.StatusInternalServerError, page)
}

// mostForm bounds what a form may send, in bytes.
const mostForm = 64 << 10

// back is the address of the page that follows an action, up to the number of the deed.
func back(r *http.Request, page string) string {
	to := url.URL{Path: "/"}
	if next, err := url.Parse(page); err == nil && page != "" {
		to.Path, to.RawQuery = next.Path, next.RawQuery
	} else if from, err := url.Parse(r.Referer()); err == nil && from.Host == r.Host && local(from.Path) {
		to.Path, to.RawQuery = from.Path, from.RawQuery
	}
	query := to.Query()
	query.Del("done")
	to.RawQuery = query.Encode()
	if to.RawQuery != "" {
		to.RawQuery += "&"
	}
	return to.EscapedPath() + "?" + to.RawQuery + "done="
}

// local reports whether a path stays on this host: browsers take one with two slashes for another
// host.
func local(path string) bool { return strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") }
