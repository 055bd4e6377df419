package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"sluice/sandbox/watch/channel"
	"sluice/sandbox/watch/delivery"
	"sluice/sandbox/world"
)

// Change is an operation on one record.
type Change struct {
	Kind      world.Kind
	Under     string // its parent; "" for none
	Operation channel.Operation
	Record    json.RawMessage // a deleted one as it was
}

// Publish queues a webhook for each rule that a change fires, as far as plan and day allow.
func (s *Server) Publish(changes ...Change) {
	unpaid := s.options.Plan() == freePlan
	s.mu.Lock()
	defer s.mu.Unlock()
	var calls []delivery.Callback
	for _, change := range changes {
		for n, rule := range s.settings.Rules {
			switch {
			case !s.targets[n].of(change) || change.Operation == channel.Delete && !rule.Deleted:
			case unpaid && !s.settings.FreePlan:
				s.stats.Unpaid++
			case !s.spend():
				s.stats.OverLimit++
			default:
				calls = append(calls, s.call(rule, s.targets[n], change))
			}
		}
	}
	s.queue.Add(calls...)
}

// spend takes one webhook of the day; false if there is none left. The caller holds the lock.
func (s *Server) spend() bool {
	if day := s.options.Now().In(s.options.Zone).Format(time.DateOnly); day != s.day {
		s.day, s.used = day, 0
	}
	if s.used >= s.settings.Daily {
		return false
	}
	s.used++
	return true
}

// call returns one webhook; the caller holds the lock.
func (s *Server) call(rule Rule, of target, change Change) delivery.Callback {
	body := fmt.Appendf(nil, `{%q:%s}`, of.key, change.Record)
	if rule.Body != "" {
		body = fill(rule.Body, of, change)
	}
	header := http.Header{}
	if rule.Secret != "" {
		header.Set("X-"+s.options.Vendor+"-Webhook-Signature", signature(rule, body))
	}
	delay := s.settings.Earliest
	if spread := s.settings.Latest - delay; spread > 0 {
		delay += time.Duration(s.late.Int64N(int64(spread) + 1))
	}
	return delivery.Callback{
		Address: rule.Address, Header: header, Body: func(time.Time) ([]byte, error) { return body, nil },
		Delay: delay, Retries: s.settings.Retries, Pause: s.settings.Pause,
	}
}

var placeholder = regexp.MustCompile(`\$\{\w+\}`)

// fill puts values of a record into the body of a rule: texts without their quotes, other values as
// they are. A key that the record lacks leaves nothing, apart from that of its parent.
func fill(body string, of target, change Change) []byte {
	values := map[string]json.RawMessage{}
	_ = json.Unmarshal(change.Record, &values) // the world writes objects only
	return placeholder.ReplaceAllFunc([]byte(body), func(found []byte) []byte {
		key := string(found[2 : len(found)-1])
		value, has := values[key]
		if !has && key == of.parent {
			return []byte(change.Under)
		}
		return []byte(strings.TrimSuffix(strings.TrimPrefix(string(value), `"`), `"`))
	})
}

// signature returns the hexadecimal HMAC-SHA256 of the pairs in the address, sorted by key, key and
// value one after the other, and of the raw body (docs/upstream.md U304).
func signature(rule Rule, body []byte) string {
	sum := hmac.New(sha256.New, []byte(rule.Secret))
	if address, err := url.Parse(rule.Address); err == nil { // it was checked when the rule was set
		query := address.Query()
		for _, key := range slices.Sorted(maps.Keys(query)) {
			for _, value := range query[key] {
				sum.Write([]byte(key + value))
			}
		}
	}
	sum.Write(body)
	return hex.EncodeToString(sum.Sum(nil))
}
