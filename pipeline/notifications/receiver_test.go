package notifications_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/check"
	"sluice/pipeline/notifications"
	"sluice/pipeline/upstream/wire"
	"sluice/pipeline/warehouse/hints"
)

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	if err == nil {
		err = w.Close()
	}
	check.Must(t, err)
	return b.String()
}

// TestForgeries: everything that is wrong with a callback has the same answer and leaves no row.
func TestForgeries(t *testing.T) {
	f := open(t, nil)
	const atWatch, atRule, atTest = "/watch/" + key, "/rule/" + key + "/inventory.bills", "/test/" + key
	right := quoted(token(secret, products))
	bill := `{"bill_id":"1"}`
	of := func(body string) []string { return []string{header, signature(secret, body)} }
	large := `{"bill_id":"1","x":"` + strings.Repeat("x", 256<<10+1-len(`{"bill_id":"1","x":""}`)) + `"}`
	watched := watch(products, right)
	for name, forged := range map[string]struct {
		path, body string
		headers    []string
		verdict    notifications.Verdict
	}{
		"wrong token":                    {atWatch, watch(products, quoted(strings.Repeat("A", 43))), nil, "token"},
		"token with more behind it":      {atWatch, watch(products, quoted(token(secret, products)+"A")), nil, "token"},
		"half a token":                   {atWatch, watch(products, quoted(token(secret, products)[:20])), nil, "token"},
		"no token":                       {atWatch, strings.Replace(watched, `,"token":`+right, "", 1), nil, "format"},
		"empty token":                    {atWatch, watch(products, `""`), nil, "format"},
		"token null":                     {atWatch, watch(products, "null"), nil, "format"},
		"token a number":                 {atWatch, watch(products, "1"), nil, "format"},
		"token true":                     {atWatch, watch(products, "true"), nil, "format"},
		"token a list":                   {atWatch, watch(products, "["+right+"]"), nil, "format"},
		"token twice, right last":        {atWatch, watch(products, `"x"`, `,"token":`+right), nil, "format"},
		"token twice, right first":       {atWatch, watch(products, right, `,"token":"x"`), nil, "format"},
		"token twice, spelled otherwise": {atWatch, watch(products, right, `,"\u0074oken":"x"`), nil, "format"},
		"Token in another case":          {atWatch, strings.Replace(watched, `"token"`, `"Token"`, 1), nil, "format"},
		"token of another channel":       {atWatch, watch(products, quoted(token(secret, deals))), nil, "token"},
		"token of another organization":  {"/watch/empty", watched, nil, "token"},
		"unknown channel":                {atWatch, watch(323456789012345, quoted(token(secret, 323456789012345))), nil, "channel"},
		"no channel":                     {atWatch, strings.Replace(watched, "channel_id", "channel", 1), nil, "format"},
		"unknown organization":           {"/watch/10234696", watched, nil, "organization"},
		"an empty secret":                {"/watch/empty", watch(products, quoted(emptyToken("empty"))), nil, "token"},
		"no secret":                      {"/watch/none", watch(products, quoted(emptyToken("none"))), nil, "token"},
		"no JSON":                        {atWatch, "token=" + token(secret, products), nil, "format"},
		"JSON behind JSON":               {atWatch, watched + watched, nil, "format"},
		"a list":                         {atWatch, "[" + watched + "]", nil, "format"},
		"deep":                           {atWatch, watch(products, right, `,"x":`+strings.Repeat("[", 64)+strings.Repeat("]", 64)), nil, "format"},
		"bad UTF-8":                      {atWatch, watch(products, right, ",\"x\":\"\xff\""), nil, "format"},
		"no body":                        {atWatch, "", nil, "format"},
		"gzip":                           {atWatch, zipped(t, watched), []string{"Content-Encoding", "gzip"}, "encoding"},
		"said to be gzip":                {atWatch, watched, []string{"Content-Encoding", "gzip"}, "encoding"},
		"a query at a channel":           {atWatch + "?a=b", watched, nil, "query"},
		"a question mark":                {atWatch + "?", watched, nil, "query"},
		"a signature instead of a token": {atWatch, bill, of(bill), "format"},

		"no signature":                   {atRule, bill, nil, "signature"},
		"empty signature":                {atRule, bill, []string{header, ""}, "signature"},
		"wrong signature":                {atRule, bill, []string{header, signature("another0secret", bill)}, "signature"},
		"signature of another body":      {atRule, bill, of(`{"bill_id":"2"}`), "signature"},
		"signature with its prefix":      {atRule, bill, []string{header, "sha256=" + signature(secret, bill)}, "signature"},
		"the prefix alone":               {atRule, bill, []string{header, "sha256="}, "signature"},
		"half a signature":               {atRule, bill, []string{header, signature(secret, bill)[:32]}, "signature"},
		"signature twice":                {atRule, bill, append(of(bill), of(bill)...), "signature"},
		"signature in another header":    {atRule, bill, []string{"X-Svc-Webhook-Signature", signature(secret, bill)}, "signature"},
		"a token instead of a signature": {atRule, watched, nil, "signature"},
		"rule of an unknown one":         {"/rule/1/inventory.bills", bill, of(bill), "organization"},
		"rule of an unknown resource":    {"/rule/" + key + "/inventory.bill", bill, of(bill), "resource"},
		"rule with an empty secret":      {"/rule/empty/inventory.bills", bill, []string{header, signature("", bill)}, "signature"},
		"rule without a secret":          {"/rule/none/inventory.bills", bill, []string{header, signature("", bill)}, "signature"},
		"parameters, not signed":         {atRule + "?bill_id=1", bill, of(bill), "query"},
		"parameters, signed":             {atRule + "?a=b", bill, []string{header, signature(secret, "ab"+bill)}, "query"},
		"a form":                         {atRule, "bill_id=1", append(of("bill_id=1"), "Content-Type", "application/x-www-form-urlencoded"), "encoding"},
		"JSON that says it is a form":    {atRule, bill, append(of(bill), "Content-Type", "application/x-www-form-urlencoded; charset=utf-8"), "encoding"},
		"a form in parts":                {atRule, bill, append(of(bill), "Content-Type", "multipart/form-data; boundary=x"), "encoding"},
		"256 KiB and a byte":             {atRule, large, of(large), "size"},
		"a key twice":                    {atRule, `{"bill_id":"1","bill_id":"2"}`, of(`{"bill_id":"1","bill_id":"2"}`), "format"},
		"an inner key twice":             {atRule, `{"bill":{"id":"1","id":"2"}}`, of(`{"bill":{"id":"1","id":"2"}}`), "format"},
		"a number alone":                 {atRule, `1`, of(`1`), "format"},

		"test without a nonce":   {atTest, bill, of(bill), "format"},
		"test without signature": {atTest, `{"nonce":"x"}`, nil, "signature"},
	} {
		answer := f.post(forged.path, forged.body, forged.headers...)
		check.ErrorIf(t, answer.status != http.StatusUnauthorized || answer.body != "refused\n" || f.verdict() != forged.verdict,
			"%s: %d %q, verdict %s; want 401, the one body, and %s", name, answer.status, answer.body, f.verdict(), forged.verdict)
	}
	if rows := f.list(`SELECT 'row' FROM sluice.callbacks UNION ALL SELECT 'hint' FROM sluice.hints UNION ALL SELECT 'event' FROM notifications.events`); len(rows) > 0 {
		t.Errorf("forgeries left %q", rows)
	}
	f.taken(f.post(atWatch, watched)) // the same without the forgery
	f.taken(f.signed(atRule, bill))
	f.taken(f.signed(atRule, large[:len(large)-3]+`"}`))
}

// emptyToken is the token of an organization whose secret is empty.
func emptyToken(organization string) string {
	return strings.TrimRight(base64URL(sign("", fmt.Sprintf("watch|%s|%d", organization, products))), "=")
}

// TestNoSuchPlace: what is none of the receiver's addresses is not refused but unknown, so that a
// wrong path can be told from a wrong secret.
func TestNoSuchPlace(t *testing.T) {
	f := open(t, nil)
	for _, path := range []string{
		"/", "/watch", "/watch/", "/watch/" + key + "/", "/watch/" + key + "/x", "/rule/" + key, "/rule/" + key + "/a/b", "/metrics", "/other/" + key,
		"/sluice", "/sluice/", "/sluicewatch/" + key,
	} {
		answer := f.signed(path, `{}`)
		check.ErrorIf(t, answer.status != http.StatusNotFound || f.verdict() != "path", "%s: %d, %s", path, answer.status, f.verdict())
	}
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodHead, http.MethodOptions} {
		request := check.Sure(http.NewRequestWithContext(t.Context(), method, f.url+"/watch/"+key, nil))(f)
		answer, err := (&http.Client{}).Do(request)
		check.Must(f, err)
		check.Must(f, answer.Body.Close())
		check.ErrorIf(t, answer.StatusCode != http.StatusMethodNotAllowed || answer.Header.Get("Allow") != "POST",
			"%s: %d", method, answer.StatusCode)
	}
	// A proxy may strip the path of the public address or leave it.
	f.taken(f.signed("/test/"+key, `{"nonce":"a"}`))
	f.taken(f.signed("/sluice/test/"+key, `{"nonce":"b"}`))
	check.Same(t, "nonces", []string{"a", "b"}, f.list(`SELECT ids[1] FROM sluice.callbacks ORDER BY id`))
}

// TestWhatIsStored: a channel tells of lists, a rule of records, a test of nothing.
func TestWhatIsStored(t *testing.T) {
	f := open(t, nil)
	f.taken(f.post("/watch/"+key, watch(products, quoted(token(secret, products)))))
	deal := `{"server_time":1774000000123,"module":"Else","ids":["7","8","!","http://x/"],"operation":"update","channel_id":223456789012345,` +
		`"affected_fields":[{"7":["Stage","Amount"]},{"8":["Stage"]}],"affected_values":[{"record_id":"7","values":{"Stage":"Won\u0000","Amount":1000.50}}],` +
		`"token":"` + token(secret, deals) + `"}`
	f.taken(f.post("/watch/"+key, deal))
	rule := "/rule/" + key + "/inventory.bills"
	f.taken(f.signed(rule, `{"bill":{"bill_id":460000000038080},"operation":"edit"}`))
	f.taken(f.post(rule, `{"id":"5","operation":"vanish"}`, header, strings.ToUpper(signature(secret, `{"id":"5","operation":"vanish"}`))))
	f.taken(f.signed("/rule/"+key+"/inventory.items", `{"id":"5","operation":"vanish"}`)) // equal bodies of two rules
	f.taken(f.signed(rule, `{"bill_id":"../../etc/passwd","operation":"delete"}`))        // no usable identifier
	f.taken(f.signed("/test/"+key, `{"nonce":"ABC123"}`))
	callbacks := []string{
		fmt.Sprintf("watch Products insert 41,42 1774000000 %d 1", len(watch(products, quoted(token(secret, products))))),
		fmt.Sprintf("watch Deals update 7,8 1774000000 %d 1", len(deal)),
		"rule inventory.bills update 460000000038080 55 1", "rule inventory.bills  5 31 1", "rule inventory.items  5 31 1",
		"rule inventory.bills delete  51 1", "test   ABC123 18 1",
	}
	check.Same(t, "the inbox", callbacks, f.list(allCallbacks))
	wanted := []string{"inventory bills  delete 2", "inventory bills 460000000038080 update 1", "inventory bills 5  1", "inventory items  insert 1", "inventory items 5  1"}
	check.Same(t, "hints", wanted, f.list(allHints))
	events := []string{
		"Products 41 insert", "Products 42 insert", "Deals 7 update", "Deals 8 update",
		"inventory.bills 460000000038080 update", "inventory.bills 5 ", "inventory.items 5 ",
	}
	check.Same(t, "events", events, f.list(allEvents))
	check.Same(t, "hints are due after",
		[]string{"00:00:02"}, f.list(`SELECT (due_at - last_at)::text FROM sluice.hints WHERE told = 1 GROUP BY 1`))
}

// TestBodiesNeedTheConfiguration: a body that is not asked for is dropped.
func TestBodiesNeedTheConfiguration(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		f := receiving(t, func(o *notifications.Options) { o.Settings.KeepBodies = keep })
		body := watch(products, quoted(token(secret, products)), `,"affected_values":[{"record_id":"41","values":{"Phone":"555"}}]`)
		f.taken(f.post("/watch/"+key, body))
		got := f.list(`SELECT coalesce(body, '-') FROM sluice.callbacks`)
		check.ErrorIf(t, keep != (got[0] == body) || !keep && got[0] != "-", "keep %t: the body is %q", keep, got)
	}
}

// TestReplays: ten thousand replays of the callback of a channel are one row and one hint. The
// callback of a rule that comes again is another change, and one hint, too.
func TestReplays(t *testing.T) {
	f := open(t, nil)
	body := watch(products, quoted(token(secret, products)))
	receiver := notifications.NewReceiver(notifications.Options{
		Settings: settings(), Inbox: hints.NewInbox(f.pool), Now: time.Now, Log: f.quiet(), StoreLimit: time.Minute,
	})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 2500 {
				w := httptest.NewRecorder()
				receiver.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/watch/"+key, strings.NewReader(body)))
				check.Same(t, fmt.Sprint(w.Body), http.StatusOK, w.Code)
			}
		})
	}
	group.Wait()
	got := f.list(`SELECT concat_ws(' ', count(*), max(times)) FROM sluice.callbacks`)
	check.ErrorIf(t, !cmp.Equal(got, []string{"1 10000"}), "callbacks and times: %q", got)
	got = f.list(allHints)
	check.ErrorIf(t, !cmp.Equal(got, []string{"inventory bills  insert 1", "inventory items  insert 1"}), "hints: %q", got)
	got = f.list(allEvents)
	check.ErrorIf(t, len(got) != 2, "events: %q", got)
	for range 3 {
		f.taken(f.signed("/rule/"+key+"/inventory.bills", `{"bill_id":"9"}`))
	}
	got = f.list(`SELECT concat_ws(' ', record_id, told) FROM sluice.hints WHERE record_id <> ''`)
	check.ErrorIf(t, !cmp.Equal(got, []string{"9 3"}), "hints of a rule: %q", got)
}

// TestARuleNamesAParent: of a list under parents the parent. The identifier of a record is none.
func TestARuleNamesAParent(t *testing.T) {
	f := open(t, nil)
	const rule = "/rule/" + key + "/accounting.contact_persons"
	f.taken(f.signed(rule, `{"contact_id":"460000000300000004","contact_person_id":"7","id":"8"}`))
	f.taken(f.signed(rule, `{"contact_person_id":"7","id":"8"}`))
	check.Same(t, "hints", []string{"accounting contact_persons   1", "accounting contact_persons 460000000300000004  1"}, f.list(allHints))
}

// TestTwoSecrets: while a secret is changed, upstream may sign with either, and channels keep the
// token of the old one until they are renewed.
func TestTwoSecrets(t *testing.T) {
	f := open(t, nil)
	for _, s := range []string{secret, oldSecret} {
		f.taken(f.post("/watch/"+key, watch(products, quoted(token(s, products)))))
		f.taken(f.post("/rule/"+key+"/inventory.bills", `{"id":"1"}`, header, signature(s, `{"id":"1"}`)))
	}
	f.serve(func(o *notifications.Options) {
		o.Inbox = hints.NewInbox(f.pool)
		o.Settings.Organizations[key].Secrets = []wire.Secret{wire.NewSecret(secret)}
	})
	answer := f.post("/watch/"+key, watch(products, quoted(token(oldSecret, products))))
	check.ErrorIf(t, answer.status != http.StatusUnauthorized, "after the change the old secret gets %d", answer.status)
}

// TestNoDatabase: without a database no callback is answered with 200. What a slow one stored after
// the sender was sent away is harmless: the sender sends it again.
func TestNoDatabase(t *testing.T) {
	f := open(t, func(o *notifications.Options) { o.StoreLimit = 50 * time.Millisecond })
	later := func(what string) {
		t.Helper()
		answer := f.post("/watch/"+key, watch(products, quoted(token(secret, products))))
		if answer.status != http.StatusServiceUnavailable || answer.body != "later\n" || answer.header.Get("Retry-After") == "" || f.verdict() != "unavailable" {
			t.Errorf("%s: %d %q, %s", what, answer.status, answer.body, f.verdict())
		}
	}
	lock := check.Sure(f.pool.Begin(t.Context()))(f)
	check.Must(f, check.Failure(lock.Exec(t.Context(), `LOCK TABLE sluice.callbacks IN ACCESS EXCLUSIVE MODE`)))
	later("slow")
	check.Must(f, lock.Rollback(t.Context()))
	rename := func(from, to string) {
		check.Sure(f.pool.Exec(t.Context(), `ALTER FUNCTION notifications.`+from+` RENAME TO `+to))(f)
	}
	rename("take_callback", "taken_away")
	later("without its function")
	rename("taken_away", "take_callback")

	nowhere := check.Sure(pgxpool.New(t.Context(), "postgres://127.0.0.1:1/none"))(f)
	t.Cleanup(nowhere.Close)
	f.serve(func(o *notifications.Options) { o.Inbox = hints.NewInbox(nowhere) })
	later("down")
	f.serve(func(o *notifications.Options) { o.Inbox = hints.NewInbox(f.pool) })
	f.taken(f.post("/watch/"+key, watch(products, quoted(token(secret, products)))))
	got := f.list(`SELECT concat_ws(' ', count(*), (SELECT count(*) FROM sluice.hints WHERE told = 1)) FROM sluice.callbacks`)
	check.ErrorIf(t, !cmp.Equal(got, []string{"1 2"}), "callbacks and hints: %q", got)
}

// crashing is a receiver whose process dies after the callback is stored and before it is answered.
type crashing struct{ receiver http.Handler }

func (c crashing) ServeHTTP(_ http.ResponseWriter, q *http.Request) {
	c.receiver.ServeHTTP(httptest.NewRecorder(), q)
	panic(http.ErrAbortHandler)
}

// TestKilledBeforeTheAnswer: upstream sends again what was not answered, and nothing is doubled.
func TestKilledBeforeTheAnswer(t *testing.T) {
	f := open(t, nil)
	body := watch(products, quoted(token(secret, products)))
	server := httptest.NewServer(crashing{notifications.NewReceiver(notifications.Options{
		Settings: settings(), Inbox: hints.NewInbox(f.pool), Now: time.Now, Log: f.quiet(), StoreLimit: time.Minute,
	})})
	t.Cleanup(server.Close)
	request := check.Sure(http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/watch/"+key, strings.NewReader(body)))(f)
	if answer, err := (&http.Client{}).Do(request); err == nil {
		t.Fatalf("an answer came: %d, %v", answer.StatusCode, answer.Body.Close())
	}
	want := [][]string{f.list(allHints), f.list(allEvents)}
	check.FatalIf(t, len(want[0]) != 2 || len(want[1]) != 2, "the callback was not stored before the crash: %q", want)
	f.taken(f.post("/watch/"+key, body))
	check.Same(t, "the second one", "repeated", f.verdict())
	check.Same(t, "after it was sent again", want, [][]string{f.list(allHints), f.list(allEvents)})
	check.Same(t, "times", []string{"2"}, f.list(`SELECT times::text FROM sluice.callbacks`))
}

// full is an inbox in which callbacks wait.
type full struct{ entered, release chan struct{} }

func (i full) Take(context.Context, *hints.Callback) (bool, error) {
	i.entered <- struct{}{}
	<-i.release
	return true, nil
}

// TestManyAtOnce: the 65th callback is asked to come later, and nothing waits in memory.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	f := &fixture{T: t}
	inbox := full{make(chan struct{}), make(chan struct{})}
	f.serve(func(o *notifications.Options) { o.Inbox = inbox })
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			answer := f.signed("/test/"+key, `{"nonce":"x"}`)
			check.ErrorIf(t, answer.status != http.StatusOK, "%d", answer.status)
		})
	}
	for range 64 {
		<-inbox.entered
	}
	if answer := f.signed("/test/"+key, `{"nonce":"x"}`); answer.status != http.StatusServiceUnavailable || answer.header.Get("Retry-After") == "" || f.verdict() != "busy" {
		t.Errorf("the 65th: %d, %s", answer.status, f.verdict())
	}
	close(inbox.release)
	group.Wait()
}

// none is an inbox that must not be used.
type none struct{ t *testing.T }

func (i none) Take(context.Context, *hints.Callback) (bool, error) {
	i.t.Error("a callback was taken")
	return false, errors.New("none")
}

// TestSlowBody: a sender that does not end its body is refused after the limit.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	f := &fixture{T: t}
	f.serve(func(o *notifications.Options) { o.Inbox, o.ReadLimit = none{t}, 50*time.Millisecond })
	conn := check.Sure((&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(f.url, "http://")))(f)
	t.Cleanup(func() { _ = conn.Close() })
	body := `{"nonce":"x"}`
	_, err := fmt.Fprintf(conn, "POST /test/%s HTTP/1.1\r\nHost: x\r\n%s: %s\r\nContent-Length: %d\r\n\r\n%s", key, header, signature(secret, body), len(body), body[:5])
	check.Must(f, err)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	check.Must(f, err)
	check.Must(f, answer.Body.Close())
	check.ErrorIf(t, answer.StatusCode != http.StatusUnauthorized || f.verdict() != "slow", "%d, %s", answer.StatusCode, f.verdict())
}

// TestSenders: who may send, by the connection or behind trusted proxies by what they forward.
func TestSenders(t *testing.T) {
	t.Parallel()
	networks := func(texts ...string) []netip.Prefix {
		var read []netip.Prefix
		for _, text := range texts {
			read = append(read, netip.MustParsePrefix(text))
		}
		return read
	}
	for name, test := range map[string]struct {
		allow, trusted []netip.Prefix
		remote         string
		forwarded      []string
		want           int
	}{
		"any":                              {nil, nil, "203.0.113.9:1", nil, 200},
		"allowed":                          {networks("203.0.113.0/24"), nil, "203.0.113.9:1", nil, 200},
		"not allowed":                      {networks("203.0.113.0/24"), nil, "198.51.100.1:1", nil, 401},
		"claims to be allowed":             {networks("203.0.113.0/24"), nil, "198.51.100.1:1", []string{"203.0.113.9"}, 401},
		"behind a proxy":                   {networks("203.0.113.0/24"), networks("10.0.0.0/8"), "10.1.1.1:1", []string{"203.0.113.9"}, 200},
		"behind two":                       {networks("203.0.113.0/24"), networks("10.0.0.0/8"), "10.1.1.1:1", []string{"203.0.113.9, 10.2.2.2"}, 200},
		"behind two, in two headers":       {networks("203.0.113.0/24"), networks("10.0.0.0/8"), "10.1.1.1:1", []string{"203.0.113.9", "10.2.2.2"}, 200},
		"claims more in front":             {networks("203.0.113.0/24"), networks("10.0.0.0/8"), "10.1.1.1:1", []string{"203.0.113.9, 198.51.100.1"}, 401},
		"the proxy itself":                 {networks("203.0.113.0/24"), networks("10.0.0.0/8"), "10.1.1.1:1", nil, 401},
		"nonsense":                         {networks("203.0.113.0/24"), networks("10.0.0.0/8"), "10.1.1.1:1", []string{"203.0.113.9, unknown"}, 401},
		"with a port":                      {networks("203.0.113.0/24"), networks("10.0.0.0/8"), "10.1.1.1:1", []string{"203.0.113.9:4711"}, 200},
		"an address of version 6":          {networks("2001:db8::/32"), networks("::1/128"), "[::1]:1", []string{"[2001:db8::7]:4711"}, 200},
		"version 4 in version 6":           {networks("203.0.113.0/24"), nil, "[::ffff:203.0.113.9]:1", nil, 200},
		"without a port, of version 6":     {networks("2001:db8::/32"), networks("::1/128"), "[::1]:1", []string{"2001:db8::7"}, 200},
		"all of them are trusted, allowed": {networks("10.0.0.0/8"), networks("10.0.0.0/8"), "10.1.1.1:1", []string{"10.3.3.3"}, 200},
	} {
		of := settings()
		of.AllowFrom, of.TrustedProxies = test.allow, test.trusted
		receiver := notifications.NewReceiver(notifications.Options{Settings: of, Inbox: always{}, Now: time.Now, Log: (&fixture{T: t}).quiet()})
		body := `{"nonce":"x"}`
		q := httptest.NewRequest(http.MethodPost, "/test/"+key, strings.NewReader(body))
		q.Header.Set(header, signature(secret, body))
		q.RemoteAddr, q.Header["X-Forwarded-For"] = test.remote, test.forwarded
		w := httptest.NewRecorder()
		receiver.ServeHTTP(w, q)
		check.Same(t, name, test.want, w.Code)
	}
}

// always is an inbox that takes everything.
type always struct{}

func (always) Take(context.Context, *hints.Callback) (bool, error) { return true, nil }

// TestNothingIsLogged: no body, token, signature or secret reaches the log, whatever happens.
func TestNothingIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	f := &fixture{T: t}
	f.serve(func(o *notifications.Options) { o.Inbox, o.Log = broken{}, loud(&log) })
	body := watch(products, quoted(token(secret, products)), `,"x":"canary-in-a-body"`)
	for _, path := range []string{"/watch/" + key, "/rule/" + key + "/inventory.bills", "/watch/canary-of-a-path"} {
		f.post(path, body, header, signature(secret, body))
		f.post(path, body, header, "canary-of-a-signature")
	}
	check.ErrorIf(t, !strings.Contains(log.String(), "could not be stored") || !strings.Contains(log.String(), "refused"),
		"the log is\n%s", log.String())
	for _, canary := range []string{"canary", token(secret, products), signature(secret, body), secret} {
		check.ErrorIf(t, strings.Contains(log.String(), canary), "%s is in the log:\n%s", canary, log.String())
	}
}

// broken is an inbox out of reach.
type broken struct{}

func (broken) Take(context.Context, *hints.Callback) (bool, error) {
	return false, errors.New("out of reach")
}
