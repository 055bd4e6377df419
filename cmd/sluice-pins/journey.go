package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// journey is one warehouse with its upstream, and what was said on the way.
type journey struct {
	*recorder
	name        string
	address     string
	upstream    *upstream
	environment []string
	masks       *masker
	steps       int
	// anyOrder says that streams are read in an order that is a matter of time: numbers of runs and
	// calls are masked, and lines sorted.
	anyOrder bool
}

// begin starts a sandbox and makes an empty database.
func (r *recorder) begin(ctx context.Context, name string, sandbox ...string) (*journey, error) {
	j := &journey{recorder: r, name: name}
	var err error
	if j.address, err = r.postgres.database(ctx, name); err != nil {
		return nil, err
	}
	if j.upstream, err = r.startUpstream(ctx, sandbox...); err != nil {
		return nil, err
	}
	j.environment = []string{
		"SLUICE_ENCRYPTION_KEY=" + key, "DATABASE_URL=" + j.address, "CLIENT_SECRET=" + j.upstream.ClientSecret,
		"REFRESH_TOKEN=" + j.upstream.RefreshToken,
	}
	for n, o := range j.upstream.Organizations {
		j.environment = append(j.environment, fmt.Sprintf("REFRESH_TOKEN_%d=%s", n+2, o.RefreshToken))
	}
	host := strings.TrimPrefix(j.upstream.URL, "http://")
	j.masks = r.masks.with(host, "<upstream>", r.folder, "<folder>", j.address, "<database>")
	return j, nil
}

// configure writes the configuration that the next steps use. Streams are read one after the other,
// so that the calls have an order.
func (j *journey) configure(services, rest string) error {
	var b strings.Builder
	fmt.Fprintf(&b, `database: {url: "${DATABASE_URL}"}
vendor: {name: Svc, api_url: %[1]q, chat_url: %[1]q, auth_url: %[1]q}
workers: 1
organizations:
  - name: first
    id: %[2]q
    data_center: com
    time_zone: Asia/Kolkata
    credentials: {client_id: %[3]s, client_secret: "${CLIENT_SECRET}", refresh_token: "${REFRESH_TOKEN}"}
    services:
%[4]s`, j.upstream.URL, j.upstream.Organization, j.upstream.ClientID, services)
	for n, o := range j.upstream.Organizations {
		fmt.Fprintf(&b, `  - name: number %[1]d
    id: %[2]q
    key: other_%[1]d
    data_center: com
    time_zone: Asia/Kolkata
    addresses: {api_url: %[3]q, chat_url: %[3]q, auth_url: %[3]q}
    credentials: {client_id: %[4]s, client_secret: "${CLIENT_SECRET}", refresh_token: "${REFRESH_TOKEN_%[1]d}"}
    services:
%[5]s`, n+2, o.ID, o.URL, j.upstream.ClientID, services)
	}
	if err := os.WriteFile(filepath.Join(j.folder, "config.yaml"), []byte(b.String()+rest), 0o600); err != nil {
		return fmt.Errorf("write a configuration: %w", err)
	}
	return nil
}

// step runs a command and records what it says, under a number of its own.
func (j *journey) step(ctx context.Context, args ...string) (said, error) {
	s, err := j.sluiceWith(ctx, j.environment, append([]string{"--config", "config.yaml"}, args...)...)
	if err != nil {
		return s, err
	}
	j.steps++
	text := s.text()
	if j.anyOrder {
		sorted := lines(j.masks.printed(text))
		slices.Sort(sorted)
		text = strings.Join(sorted, "\n")
	}
	return s, j.pinStep(strings.Join(args, " "), text)
}

func (j *journey) pinStep(what, text string) error {
	what = strings.NewReplacer("/", "_", "\n", " ").Replace(what)
	if len(what) > 100 {
		what = what[:100]
	}
	return j.pin(fmt.Sprintf("%s/steps/%03d %s.txt", j.name, j.steps, what), j.masks.printed(text))
}

// accept is the id of a plan that migrate prints.
var accept = regexp.MustCompile(`--accept ([0-9a-f]+)`)

// migrate makes the tables, those of the configuration's own resources, too.
func (j *journey) migrate(ctx context.Context) error {
	s, err := j.step(ctx, "migrate")
	if err != nil {
		return err
	}
	if found := accept.FindStringSubmatch(s.text()); found != nil {
		_, err = j.step(ctx, "migrate", "--accept", found[1])
	}
	return err
}

// control has the sandbox do something, and records what it answers. It begins with a second and
// ends before the next one, so that all that changes has one time, and what is read afterwards is
// read later: the order of single records follows these times.
func (j *journey) control(ctx context.Context, path, body string) error {
	if err := nextSecond(ctx); err != nil {
		return err
	}
	answer, err := j.upstream.control(ctx, path, body)
	if err != nil {
		return err
	}
	if err := nextSecond(ctx); err != nil {
		return err
	}
	j.steps++
	return j.pinStep("upstream "+path, body+"\n"+strings.ReplaceAll(answer, "],", "],\n"))
}

// each has a sync for each of the streams, so that they are read one after the other. One sync of
// all puts tickets into the queue while others are worked on already, and which is next is a matter
// of time. The first two words may be --org and its name.
func (j *journey) each(ctx context.Context, streams []string) error {
	flags := []string{"--config", "config.yaml", "sync"}
	what := "each"
	if streams[0] == "--org" {
		flags, streams = append(flags, streams[:2]...), streams[2:]
		what += " of " + flags[len(flags)-1]
	}
	var b strings.Builder
	for _, stream := range streams {
		s, err := j.sluiceWith(ctx, j.environment, append(append([]string{}, flags...), stream)...)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "$ sync %s\n%s\n", stream, s.text())
	}
	j.steps++
	return j.pinStep(what+" "+strings.Join(streams, " "), b.String())
}

// nextSecond waits until a second of the clock begins. That of the sandbox is some whole seconds
// off.
func nextSecond(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(time.Now().Truncate(time.Second).Add(time.Second + 5*time.Millisecond))):
		return nil
	}
}

// room waits until so many calls can be made without a wait: a stream that waits in between is one
// more thing to happen.
func (j *journey) room(ctx context.Context, calls int) error {
	conn, err := open(ctx, j.address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // it was only read
	for {
		var live int
		if err := conn.QueryRow(ctx, `SELECT count(*) FROM sluice.live_calls WHERE free_at > now()`).Scan(&live); err != nil {
			return fmt.Errorf("count the calls of the minute: %w", err)
		}
		if live <= 100-calls {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// places are words of a plan that stand for what the database knows by then: the same in each
// recording.
func places() map[string]string {
	return map[string]string{
		"{held run}":         `SELECT max(coalesce(proof_run_id, suspected_run_id)) FROM sluice.tombstones WHERE state = 'needs_review'`,
		"{gone}":             `SELECT min(record_id) FROM sluice.tombstones WHERE state = 'deleted'`,
		"{edited bill}":      `SELECT max(bill_id) FROM inventory.bills WHERE last_modified_time = (SELECT max(last_modified_time) FROM inventory.bills)`,
		"{gone credit note}": `SELECT min(creditnote_id) FROM inventory.credit_notes WHERE _deleted_at IS NOT NULL`,
		"{item}":             `SELECT min(item_id) FROM inventory.items`,
		"{foreign currency}": `SELECT min(currency_id) FROM invoicing.currencies WHERE NOT is_base_currency`,
	}
}

// filled splits a line into words, with what its places stand for; a place of which the database
// knows nothing is 0.
func (j *journey) filled(ctx context.Context, line string) []string {
	for place, sql := range places() {
		if !strings.Contains(line, place) {
			continue
		}
		value := "0"
		if conn, err := open(ctx, j.address); err == nil {
			_ = conn.QueryRow(ctx, "SELECT coalesce(("+sql+")::text, '0')").Scan(&value) // it stays 0
			_ = conn.Close(ctx)                                                          // it was only read
		}
		line = strings.ReplaceAll(line, place, value)
	}
	return strings.Fields(line)
}

// plan goes through steps: each line is a command of the program, or begins with @ and has the
// sandbox do something, with + and is given as text and as JSON, with * and waits for room for so
// many calls, with = and writes the rows of all tables, or with each and is a sync per stream.
func (j *journey) plan(ctx context.Context, plan string) error {
	for _, line := range lines(plan) {
		line = strings.TrimSpace(line)
		var err error
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '@':
			path, body, _ := strings.Cut(line[1:], " ")
			err = j.control(ctx, path, body)
		case line[0] == '*':
			calls := 0
			if _, err = fmt.Sscan(line[1:], &calls); err == nil {
				err = j.room(ctx, calls)
			}
		case line[0] == '+':
			if _, err = j.step(ctx, j.filled(ctx, line[1:])...); err == nil {
				_, err = j.step(ctx, append(j.filled(ctx, line[1:]), "--json")...)
			}
		case line[0] == '=':
			err = j.pinTables(ctx, j.name+"/"+line[1:], j.address)
		case strings.HasPrefix(line, "each "):
			err = j.each(ctx, strings.Fields(line)[1:])
		default:
			_, err = j.step(ctx, j.filled(ctx, line)...)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
	}
	return nil
}

// pinTables writes the rows with the masks of this journey.
func (j *journey) pinTables(ctx context.Context, folder, address string) error {
	r := *j.recorder
	r.masks, r.anyOrder = j.masks, j.anyOrder
	return r.pinTables(ctx, folder, address)
}
