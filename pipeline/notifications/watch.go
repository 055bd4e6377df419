package notifications

import (
	"slices"
	"strconv"
	"time"
)

// watched is a callback of a channel, as far as it is used. Its resource_uri and query_params are
// not: nothing in a body is an address to go to. Nor are the fields that it names.
type watched struct {
	channel   int64
	token     string
	operation string
	ids       []string
	sentAt    time.Time
}

// parseWatch reads the callback of a channel (docs/upstream.md U279, and as live services send it
// U285). A token that is no string is an error; every other part may be absent.
func parseWatch(body []byte) (watched, error) {
	said, err := parse(body)
	if err != nil {
		return watched{}, err
	}
	token, isText := text(said["token"])
	if !isText || token == "" {
		return watched{}, errFormat
	}
	channel, err := strconv.ParseInt(id(said["channel_id"]), 10, 64)
	if err != nil {
		return watched{}, errFormat
	}
	read := watched{channel: channel, token: token, operation: operation(said["operation"]), ids: []string{}, sentAt: instant(said["server_time"])}
	for _, element := range elements(said["ids"]) {
		if record := id(element); record != "" {
			read.ids = append(read.ids, record)
		}
	}
	slices.Sort(read.ids)
	read.ids = slices.Compact(read.ids)
	return read, nil
}
