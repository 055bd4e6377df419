package events

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"sluice/pipeline/warehouse/changes"
)

// message is one message, ready to be signed.
type message struct {
	// id is the same each time the message is sent.
	id   string
	body []byte
	// lane names what the order is kept of: the record.
	lane string
}

// body is the text of a message, as Standard Webhooks recommends.
type body struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

// The types of messages.
const (
	recordChanged = "record.changed"
	periodChanged = "period.changed"
	runFinished   = "run.finished"
	feedRestarted = "feed.restarted"
	testMessage   = "test"
)

// change is the data of record.changed and period.changed.
type change struct {
	Table        string    `json:"table"`
	Organization string    `json:"organization_id"`
	Record       string    `json:"record_id"`
	Op           string    `json:"op"`
	At           time.Time `json:"at"`
	// Seq orders the messages about one record: the larger one is later.
	Seq     int64           `json:"seq"`
	Details json.RawMessage `json:"details,omitempty"`
}

// finished is the data of run.finished.
type finished struct {
	Table        string      `json:"table"`
	Organization string      `json:"organization_id"`
	Run          json.Number `json:"run"`
	At           time.Time   `json:"at"`
	Seq          int64       `json:"seq"`
	// Details say how it ended and what it did.
	Details json.RawMessage `json:"details,omitempty"`
}

// restarted is the data of feed.restarted.
type restarted struct {
	Reason string `json:"reason"`
	// Cursor is the position from which messages go on: what is committed behind it is told.
	Cursor string `json:"cursor"`
}

// messagesOf returns the messages of a row of the log, one for each record, in its order.
func messagesOf(history string, c *changes.Change) ([]message, error) {
	all, history := make([]message, len(c.Records)), short(history)
	for i, id := range c.Records {
		m, text := &all[i], body{Timestamp: c.At}
		switch c.Op {
		case changes.Finished:
			text.Type = runFinished
			text.Data = finished{Table: c.Table, Organization: c.Organization, Run: json.Number(id), At: c.At, Seq: c.Seq, Details: c.Details}
		default:
			text.Type = recordChanged
			if c.Op == changes.AfterClose {
				text.Type = periodChanged
			}
			text.Data = change{Table: c.Table, Organization: c.Organization, Record: id, Op: string(c.Op), At: c.At, Seq: c.Seq, Details: c.Details}
		}
		written, err := messageOf(fmt.Sprintf("msg_%s_%d_%d", history, c.Seq, i), text)
		if err != nil {
			return nil, err
		}
		m.id, m.body = written.id, written.body
		m.lane = c.Table + "\x00" + c.Organization + "\x00" + id
	}
	return all, nil
}

// messageOf writes a message. Its id names where it is in the log, so that a repeat has the same
// one, and has no full stop, which separates the parts that are signed.
func messageOf(id string, of body) (message, error) {
	text, err := json.Marshal(of)
	if err != nil {
		return message{}, fmt.Errorf("write message %s: %w", id, err)
	}
	return message{id: id, body: text}, nil
}

// restartID names the message that a receiver's position cannot be read on from.
func restartID(receiver, cursor string) string { return "msg_restarted_" + short(receiver+" "+cursor) }

// short is a short name of a text.
func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
