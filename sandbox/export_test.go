package sandbox_test

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sluice/sandbox"
)

const chatsPath = "/maintenanceapi/v2/chats"

// exportPages follows the tokens of the export to its end and returns the chat ids of each answer.
func (u *upstream) exportPages(t *testing.T) [][]string {
	t.Helper()
	var pages [][]string
	query := url.Values{"fields": {"chat_id"}}
	for {
		answer := u.serve(t, http.MethodGet, chatsPath+"?"+query.Encode(), csvHeader())
		rows, token, more := strings.Cut(readAll(t, answer.Body), "\r\n\r\nnext_token=")
		fatalIf(t, answer.Code != http.StatusOK || more != strings.HasSuffix(token, "\r\n"), "status %d, trailer %q", answer.Code, token)
		lines := strings.Fields(rows)
		fatalIf(t, lines[0] != "chat_id", "page %d begins with %q", len(pages)+1, lines[0])
		pages = append(pages, lines[1:])
		if !more {
			return pages
		}
		query.Set("next_token", strings.TrimSuffix(token, "\r\n"))
	}
}

func TestExportInPages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ most, pages, last int }{
		{0, 1, 600}, {100, 6, 100}, {250, 3, 100}, {256, 3, 88}, {599, 2, 1}, {600, 1, 600}, {601, 1, 600},
	} {
		u := start(t, sandbox.Options{Records: 3000, ChatPage: c.most, Limits: off()}) // a fifth are chats
		pages := u.exportPages(t)
		errorIf(t, len(pages) != c.pages || len(pages[len(pages)-1]) != c.last,
			"%d an answer: %d answers, the last of %d", c.most, len(pages), len(pages[len(pages)-1]))
		equal(t, slices.Concat(pages...), texts(t, u.truths(t, "chat", "conversations"), "chat_id"), c.most)
	}
}

// Deleted chats count for no answer, and chats behind a token stay there.
func TestExportInPagesAfterChanges(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100, ChatPage: 4, Limits: off()})
	u.change(t, sandbox.Change{Seed: 2, Inserts: 1, Deletes: 9, Resources: []string{"conversations"}})
	pages := u.exportPages(t)
	equal(t, slices.Concat(pages...), texts(t, u.truths(t, "chat", "conversations"), "chat_id"), "chats")
	errorIf(t, len(pages) != 3, "pages %v, want 12 chats in three", pages)
}

func TestExportRefusesForeignTokens(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100, ChatPage: 4})
	for _, token := range []string{"", "%", "LTE=", "eA=="} { // nothing, no base64, -1, x
		answer := u.serve(t, http.MethodGet, chatsPath+"?fields=chat_id&next_token="+url.QueryEscape(token), csvHeader())
		errorIf(t, answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), `"param_invalid"`),
			"token %q: %d %s", token, answer.Code, answer.Body)
	}
}

func TestChatTimesInMilliseconds(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100, ChatEpoch: true})
	changed := u.change(t, sandbox.Change{Inserts: 1, Resources: []string{"conversations"}})
	answer := u.serve(t, http.MethodGet, chatsPath+"?fields=chat_id,creation_time,last_modified_time", csvHeader())
	rows := sure(csv.NewReader(answer.Body).ReadAll())(t)
	now := strconv.FormatInt(newClock().Now().UnixMilli(), 10)
	want := []string{changed["conversations"].Inserted[0], now, now}
	errorIf(t, len(now) != 13 || !slices.Equal(rows[len(rows)-1], want), "the newest chat is %v, want %v", rows[len(rows)-1], want)
	for _, created := range texts(t, u.truths(t, "chat", "conversations"), "creation_time") {
		errorIf(t, len(created) != 13, "truth says %s", created)
	}
}
