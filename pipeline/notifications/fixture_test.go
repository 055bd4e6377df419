package notifications_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/notifications"
	"sluice/pipeline/upstream/wire"
	"sluice/pipeline/warehouse/hints"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// The organization of the tests, its secrets during a rotation, and its channels for two modules.
const (
	key               = "10234695"
	secret, oldSecret = "abcdefGHIJKL0123456789", "OLDabcdefGHIJ"
	products, deals   = 123456789012345, 223456789012345
	header            = "X-Acme-Webhook-Signature"
)

func settings() notifications.Settings {
	bills := notifications.Resource{Service: "inventory", Name: "bills", ID: "bill_id", Single: "bill"}
	items := notifications.Resource{Service: "inventory", Name: "items", ID: "item_id", Single: "item"}
	persons := notifications.Resource{Service: "accounting", Name: "contact_persons", ID: "contact_id", ByParent: true}
	return notifications.Settings{
		PublicURL: "https://hooks.test/sluice", Vendor: "Acme", Debounce: 2 * time.Second, MaxWait: 15 * time.Second,
		Organizations: map[string]*notifications.Organization{
			key: {
				Key: key, Secrets: []wire.Secret{wire.NewSecret(secret), wire.NewSecret(oldSecret)},
				Channels: map[int64]*notifications.Channel{
					products: {Module: "Products", Tells: []notifications.Resource{items, bills}},
					deals:    {Module: "Deals"},
				},
				Resources: map[string]notifications.Resource{"inventory.bills": bills, "inventory.items": items, "accounting.contact_persons": persons},
			},
			// Its variable was not set: an empty secret opens nothing.
			"empty": {Key: "empty", Secrets: []wire.Secret{{}}, Channels: map[int64]*notifications.Channel{products: {Module: "Products"}}},
			"none":  {Key: "none", Channels: map[int64]*notifications.Channel{products: {Module: "Products"}}},
		},
	}
}

// sign is the second entry of a double bookkeeping: it computes what upstream would.
func sign(secret, message string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(mac, message)
	return mac.Sum(nil)
}

func signature(secret, body string) string { return hex.EncodeToString(sign(secret, body)) }

func token(secret string, channel int64) string {
	return base64.RawURLEncoding.EncodeToString(sign(secret, fmt.Sprintf("watch|%s|%d", key, channel)))
}

// watch is a callback of a channel with a token as it is written in JSON.
func watch(channel int64, token string, more ...string) string {
	body := fmt.Sprintf(`{"server_time":1774000000000,"query_params":{},"module":"Products","resource_uri":"http://169.254.169.254/latest",`+
		`"ids":["41","42"],"affected_fields":[],"operation":"insert","channel_id":"%d","token":%s`, channel, token)
	return body + strings.Join(more, "") + "}"
}

func quoted(text string) string { return `"` + text + `"` }

// fixture is a receiver behind real HTTP, with a database.
type fixture struct {
	*testing.T
	pool *pgxpool.Pool
	url  string

	mu       sync.Mutex
	verdicts []notifications.Verdict
}

func migrated(ctx context.Context, url string) error {
	return migrations.Migrate(ctx, url, migrations.Options{})
}

// open starts a receiver over a database of its own, for a test that runs beside others.
func open(t *testing.T, change func(*notifications.Options)) *fixture {
	t.Helper()
	t.Parallel()
	return receiving(t, change)
}

func receiving(t *testing.T, change func(*notifications.Options)) *fixture {
	t.Helper()
	f := &fixture{T: t}
	f.pool = warehousetest.Pool(t, warehousetest.Migrated(t))
	f.serve(func(o *notifications.Options) {
		o.Inbox = hints.NewInbox(f.pool)
		if change != nil {
			change(o)
		}
	})
	return f
}

// serve starts a receiver.
func (f *fixture) serve(change func(*notifications.Options)) {
	f.Helper()
	options := notifications.Options{
		Settings: settings(), Now: time.Now, Log: slog.New(slog.DiscardHandler), StoreLimit: time.Minute, // machines are slow
		Observe: func(o notifications.Observation) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.verdicts = append(f.verdicts, o.Verdict)
		},
	}
	change(&options)
	server := httptest.NewServer(notifications.NewReceiver(options))
	f.Cleanup(server.Close)
	f.url = server.URL
}

// verdict is how the last request ended.
func (f *fixture) verdict() notifications.Verdict {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.verdicts[len(f.verdicts)-1]
}

// reply is an answer.
type reply struct {
	status int
	body   string
	header http.Header
}

// post sends a body; headers are pairs.
func (f *fixture) post(path, body string, headers ...string) reply {
	f.Helper()
	request := check.Sure(http.NewRequestWithContext(f.Context(), http.MethodPost, f.url+path, strings.NewReader(body)))(f)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	answer, err := (&http.Client{}).Do(request)
	check.Must(f, err)
	said := check.Sure(io.ReadAll(answer.Body))(f)
	check.Must(f, answer.Body.Close())
	return reply{answer.StatusCode, string(said), answer.Header}
}

// signed sends a body of a rule or a test with its signature.
func (f *fixture) signed(path, body string) reply {
	f.Helper()
	return f.post(path, body, header, signature(secret, body))
}

// taken fails unless a callback was taken.
func (f *fixture) taken(r reply) {
	f.Helper()
	if r.status != http.StatusOK {
		f.Fatalf("%d %s (%s), want 200", r.status, r.body, f.verdict())
	}
}

// list reads the rows of one column.
func (f *fixture) list(sql string, args ...any) []string {
	f.Helper()
	rows := check.Sure(f.pool.Query(f.Context(), sql, args...))(f)
	defer rows.Close()
	found := []string{}
	for rows.Next() {
		var text string
		check.Must(f, rows.Scan(&text))
		found = append(found, text)
	}
	check.Must(f, rows.Err())
	return found
}

const (
	allCallbacks = `SELECT concat_ws(' ', dialect, module, operation, array_to_string(ids, ','), extract(epoch FROM sent_at)::bigint, bytes, times, body)
		FROM sluice.callbacks ORDER BY id`
	allHints  = `SELECT concat_ws(' ', service, resource, record_id, operation, told) FROM sluice.hints ORDER BY service, resource, record_id`
	allEvents = `SELECT concat_ws(' ', module, record_id, operation) FROM notifications.events ORDER BY id`
)

func (f *fixture) quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// loud is a log of everything.
func loud(to io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func base64URL(raw []byte) string { return base64.URLEncoding.EncodeToString(raw) }
