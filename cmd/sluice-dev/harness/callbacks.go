package harness

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"sluice/cmd/sluice-sandbox/poster"
	"sluice/sandbox"
	"sluice/sandbox/watch/delivery"
)

// patience is how long upstream waits for the answer to a callback: longer than a receiver may take
// for its 503.
const patience = 4 * time.Second

// callbacks sends the callbacks of the sandbox and notes what was answered. It is a sandbox.Poster.
type callbacks struct {
	poster.Poster

	mu   sync.Mutex
	told map[content]fate
}

// content identifies a callback: its dialect, and a digest of what was said about which module.
type content struct {
	dialect string
	digest  [sha256.Size]byte
}

// fate is how often a content was sent, and how often that was answered with 2xx.
type fate struct{ sent, taken int }

// newCallbacks sends each callback on a connection of its own, so that each may reach another
// receiver, and none is sent again without a word.
func newCallbacks() *callbacks {
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	return &callbacks{Poster: poster.Poster{Client: client}, told: make(map[content]fate)}
}

// Post implements sandbox.Poster.
func (c *callbacks) Post(ctx context.Context, address string, header http.Header, body []byte) (int, error) {
	of, err := contentOf(address, body)
	if err != nil {
		return 0, err
	}
	c.note(of, fate{sent: 1}) // a callback without an answer may have arrived
	status, err := c.Poster.Post(ctx, address, header, body)
	if status/100 == 2 {
		c.note(of, fate{taken: 1})
	}
	return status, err
}

func (c *callbacks) note(of content, more fate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told[of] = fate{c.told[of].sent + more.sent, c.told[of].taken + more.taken}
}

// contentOf reads a callback. A rule says its resource in the address, a channel its module in the
// body.
func contentOf(address string, body []byte) (content, error) {
	var said struct {
		Module string `json:"module"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return content{}, fmt.Errorf("read a callback: %w", err)
	}
	_, path, _ := strings.Cut(strings.TrimPrefix(address, "http://"), "/")
	dialect, rest, _ := strings.Cut(path, "/")
	if _, resource, ofRule := strings.Cut(rest, "/"); ofRule {
		said.Module = resource
	}
	return content{dialect, sha256.Sum256([]byte(said.Module + "\n" + string(body)))}, nil
}

// Rules let upstream tell of every record of the lists that have rules. A body holds nothing but
// the identifier, so equal bodies are different changes.
func Rules(public string) sandbox.Webhooks {
	const plenty = 1_000_000
	hooks := sandbox.Webhooks{Daily: plenty, Retries: 3, Pause: time.Second}
	for resource, id := range map[string]string{
		"inventory.bills": "bill_id", "inventory.items": "item_id", "inventory.credit_notes": "creditnote_id",
		"accounting.vendor_payments": "payment_id", "accounting.chart_of_accounts": "account_id",
	} {
		hooks.Rules = append(hooks.Rules, sandbox.WebhookRule{
			Resource: resource, Address: public + "/rule/" + sandbox.DefaultOrganizationID + "/" + resource, Secret: HookSecret,
			Body: fmt.Sprintf(`{"%[1]s":"${%[1]s}"}`, id), Deleted: true,
		})
	}
	return hooks
}

// Reset resets the world, and forgets which callbacks it sent.
func (b *Bed) Reset() error {
	if err := b.World.Reset(); err != nil {
		return fmt.Errorf("reset the upstream: %w", err)
	}
	b.callbacks.mu.Lock()
	defer b.callbacks.mu.Unlock()
	clear(b.callbacks.told)
	return nil
}

// publicURL is the address that upstream sends callbacks to.
func (b *Bed) publicURL() string { return "http://" + b.Public.Address() }

// reach connects the public address to a receiver.
func (b *Bed) reach(ctx context.Context) (net.Conn, error) {
	if b.Receiver == nil {
		return nil, errors.New("nothing receives callbacks")
	}
	return b.Receiver(ctx)
}

// Told reports whether upstream has sent every callback, or given it up.
func (b *Bed) Told(ctx context.Context) (bool, error) {
	for _, kind := range []string{"webhooks", "notifications"} {
		var shown struct {
			Stats delivery.Stats `json:"stats"`
		}
		if err := Control(ctx, b.World, http.MethodGet, kind, nil, &shown); err != nil {
			return false, err
		}
		if s := shown.Stats; s.Dropped > 0 || s.Sent+s.Failed < s.Queued-s.Lost+s.Duplicated {
			return false, nil
		}
	}
	return true, nil
}

// Control sends a control request to a sandbox and decodes its response; body and into may be nil.
func Control(ctx context.Context, world http.Handler, method, control string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("control the sandbox: %w", err)
	}
	request := httptest.NewRequestWithContext(ctx, method, "/_sandbox/"+control, bytes.NewReader(text))
	request.Host, request.RemoteAddr = "127.0.0.1", "127.0.0.1:1"
	response := httptest.NewRecorder()
	world.ServeHTTP(response, request)
	if response.Code != http.StatusOK {
		return fmt.Errorf("%s: status %d: %s", control, response.Code, response.Body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(response.Body.Bytes(), into)
}
