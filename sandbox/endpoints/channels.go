package endpoints

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"

	"sluice/sandbox/answer"
	"sluice/sandbox/faults"
	"sluice/sandbox/world"
	"sluice/sandbox/world/ids"
)

const (
	mostChannels = 100 // of one answer (docs/upstream.md U86)
	nextToken    = "next_token"
)

// channels answers a list with paging by token (docs/upstream.md U86 and U250). The token names an
// index, and indices never move, so it stays valid while channels are added and deleted.
func channels(c *Call) {
	under, found := c.under()
	if !found {
		c.fail(http.StatusNotFound, answer.NoSuchURL, "wrong URL or moved resource")
		return
	}
	query := c.Request.URL.Query()
	if !c.accepts("application/json") {
		c.fail(http.StatusNotAcceptable, answer.InvalidValue, "requested response type not supported: channels are application/json")
		return
	}
	if !c.typed("application/json") {
		c.fail(http.StatusBadRequest, answer.InvalidValue, "malformed or missing header: send Content-Type: application/json")
		return
	}
	wanted := world.Query{Kind: c.Endpoint.Resource.Kind, Under: under, Joined: query.Get("joined"), Pinned: query.Get("pinned")}
	limit, ok := readLimit(query)
	from, good := readToken(query)
	if !ok || !good || !isBool(wanted.Joined) || !isBool(wanted.Pinned) {
		c.fail(http.StatusBadRequest, answer.InvalidValue, "malformed or missing parameter: joined, pinned, limit or "+nextToken)
		return
	}
	if c.Fault.Is("repeat_page") {
		from = 0
	}
	records, next := c.channelsFrom(wanted, from, limit)
	if c.Fault.Is("empty_more") {
		records, next = nil, from+1
	}
	records = faults.Spoil(c.Fault, c.Endpoint.Resource.Target, records)
	body := append([]byte(`{"channels":[`), bytes.Join(records, []byte(","))...)
	body = append(body, ']')
	if next > 0 {
		body = fmt.Appendf(body, `,%q:%q`, nextToken, tokenFor(next))
	}
	answer.Body(c, http.StatusOK, answer.JSONType, append(body, '}'))
}

// channelsFrom returns the channels from an index on, and the index of the next call; 0 after the
// last channels.
func (c *Call) channelsFrom(wanted world.Query, from, limit int) ([][]byte, int) {
	var records [][]byte
	next := 0
	c.Company.With(func(w *world.World) {
		fits := make([]bool, w.Len(wanted.Kind))
		for _, i := range w.Order(wanted) {
			fits[i] = true
		}
		for i := from; i < len(fits); i++ {
			if !fits[i] {
				continue
			}
			if len(records) == limit {
				next = i
				return
			}
			records = append(records, w.AppendRecord(nil, wanted.Kind, i, world.Full))
		}
	})
	return records, next
}

// typed reports whether the call carries a Content-Type, which chat demands of every call
// (docs/upstream.md U14). Live services answer GETs without one (U17).
func (c *Call) typed(want string) bool {
	if c.Request.Header.Get("Content-Type") == "" && c.Request.Method == http.MethodGet && !c.Manner.Strict {
		c.Header().Add(AssumedHeader, "live services of chat answer GETs without Content-Type")
		return true
	}
	kind, _, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	return err == nil && kind == want
}

// networkNumber returns the number of a network by the identifier that a path may have instead of
// its name.
func networkNumber(kind world.Kind, text string) (int, bool) {
	if kind != world.NetworkChannels && kind != world.NetworkChats {
		return 0, false
	}
	return ids.FixedIndex(ids.GroupNetwork, text)
}

func isBool(text string) bool { return text == "" || text == "true" || text == "false" }

// readLimit returns the most channels of one answer.
func readLimit(query url.Values) (int, bool) {
	if !query.Has("limit") {
		return mostChannels, true
	}
	limit, err := strconv.Atoi(query.Get("limit"))
	return limit, err == nil && limit > 0 && limit <= mostChannels
}

// readToken returns the index of a token, 0 without one.
func readToken(query url.Values) (int, bool) {
	if !query.Has(nextToken) {
		return 0, true
	}
	place, err := base64.StdEncoding.DecodeString(query.Get(nextToken))
	if err != nil {
		return 0, false
	}
	from, err := strconv.Atoi(string(place))
	return from, err == nil && from >= 0
}

// tokenFor returns the token of an index. Often it ends with =, which a query has to escape, as
// with opaque tokens.
func tokenFor(next int) string { return base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(next))) }
