// Package upstream is the only way to upstream. It makes calls to the services, with tokens and
// organizations as each service wants them, and gives raw records back.
//
// It never decides when a call may leave (the Gate does), and repeats a call only after a refused
// token. It never accepts an answer that is not whole, and never puts a token, a secret or a query
// into an error (invariant 10).
//
// Start reading at Client.Page, then authorized and wire.Counted; package body reads the bodies,
// and Tokens keeps the tokens.
package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream/body"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

// maxBody is the largest body of an answer, in bytes, decompressed.
const maxBody = 32 << 20

// TokenSource gives access tokens. Its errors carry a kind.
type TokenSource interface {
	// Token gives the organization's access token and its version.
	Token(ctx context.Context, organization *pipeline.Organization) (wire.Secret, int64, error)
	// Renew gives a token of another version than the one that upstream refused.
	Renew(ctx context.Context, organization *pipeline.Organization, refused int64) (wire.Renewed, error)
}

// Options configure a client. Vendor, Gate, Tokens and Now are required.
type Options struct {
	Vendor    wire.Vendor
	Gate      wire.Gate
	Tokens    TokenSource
	Now       func() time.Time
	UserAgent string
	// Scrub takes secrets out of upstream's texts; nil means a scrubber of the client's own.
	Scrub *outside.Scrubber
	// MaxBody is the largest body of an answer, in bytes, decompressed; zero means 32 MiB. It does
	// not apply to exports.
	MaxBody   int64
	Transport wire.Transport
	// LeavesOut says that columns are left out of records of a service: errors of its probes then
	// show nothing of an answer. Nil means of none.
	LeavesOut func(service string) bool
}

// Client makes the calls. It implements sync.Source and is safe for concurrent use.
type Client struct {
	vendor  wire.Vendor
	gate    wire.Gate
	tokens  TokenSource
	now     func() time.Time
	maxBody int64
	door    *wire.Door
	scrub   *outside.Scrubber
	// leavesOut is the option, never nil.
	leavesOut func(service string) bool
}

// New makes a client. It fails if a required option is missing.
func New(o Options) (*Client, error) {
	if o.Vendor.Name == "" || o.Gate == nil || o.Tokens == nil || o.Now == nil {
		return nil, errors.New("upstream: the options Vendor.Name, Gate, Tokens and Now are required")
	}
	if o.Transport.Now == nil {
		o.Transport.Now = o.Now
	}
	client := &Client{
		vendor: o.Vendor, gate: o.Gate, tokens: o.Tokens, now: o.Now, maxBody: cmp.Or(o.MaxBody, maxBody),
		door: wire.NewDoor(o.Transport, o.UserAgent), scrub: o.Scrub, leavesOut: o.LeavesOut,
	}
	if client.leavesOut == nil {
		client.leavesOut = func(string) bool { return false }
	}
	if client.scrub == nil {
		client.scrub = outside.NewScrubber()
	}
	return client, nil
}

// Get reads the value under key of one answer, such as the organizations of /organizations. The
// path is relative to the service's root.
func (c *Client) Get(
	ctx context.Context, service *schema.Service, organization *pipeline.Organization, path string, query map[string]string, key string,
) ([]byte, error) {
	var value []byte
	target := target{
		organization: organization, service: service, path: path, resource: resourceOf(path), class: pipeline.ClassProbe,
		query: valuesOf(query),
	}
	err := c.fetch(ctx, target, func(op wire.Call, _ int64, answer *wire.Reply, envelope *body.Envelope) (int, error) {
		var err error
		if value, err = envelope.Value(key); err != nil {
			return 0, c.failure(op, pipeline.Unexpected, answer, envelope.Code, "", err)
		}
		return 1, nil
	})
	if err != nil {
		return nil, err
	}
	return value, nil
}

// Check makes the service's probe call: nil says that address, token and organization fit together.
// The probe of a service that declares none is the first page of its first list.
func (c *Client) Check(ctx context.Context, organization *pipeline.Organization, service *schema.Service) error {
	probe := service.Probe
	switch {
	case probe.Format == schema.FormatCSV:
		return c.checkExport(ctx, organization, service)
	case probe.Path == "" && len(service.Resources) == 0:
		return &pipeline.Error{
			Kind: pipeline.Denied, Op: c.scrub.Textf("check of service %s", service.Name),
			Detail: "it has no list: declare one under custom in the configuration, or remove the service",
		}
	case probe.Path == "":
		page, err := c.Page(ctx, pipeline.Request{
			Stream: pipeline.Stream{Organization: organization.Key, Org: organization, Service: service, Resource: &service.Resources[0]},
			Class:  pipeline.ClassProbe, Page: 1, PerPage: 1,
		})
		page.Turn.End()
		return err
	}
	_, err := c.Get(ctx, service, organization, probe.Path, probe.Query, probe.Key)
	return err
}

// fetch makes one JSON call; take reads the accepted envelope and counts its records. It is not
// called for a 404 where the target allows one.
func (c *Client) fetch(
	ctx context.Context, t target, take func(op wire.Call, number int64, answer *wire.Reply, envelope *body.Envelope) (int, error),
) error {
	return c.call(ctx, t, c.door.Settings().Total, func(op wire.Call, number int64, answer *wire.Reply, result *pipeline.CallResult) error {
		data, err := wire.ReadAll(op, answer, c.maxBody)
		if err != nil {
			return err
		}
		envelope, err := c.judge(op, answer, data, t.service.Envelope, t.own)
		if t.mayMiss && answer.Status == http.StatusNotFound && pipeline.KindOf(err) == pipeline.Unexpected {
			t.miss(number, answer, err)
			return nil
		}
		if err != nil {
			return err
		}
		result.Code = c.scrub.Text(envelope.Code, wordLength)
		result.Records, err = take(op, number, answer, envelope)
		return err
	})
}

// call makes one call, which takes total at most; read reads its answer.
func (c *Client) call(
	ctx context.Context, t target, total time.Duration,
	read func(op wire.Call, number int64, answer *wire.Reply, result *pipeline.CallResult) error,
) error {
	address, err := c.address(t)
	if err != nil {
		return err
	}
	return c.authorized(ctx, c.operation(t, address), func(op wire.Call, token string, number int64, result *pipeline.CallResult) error {
		request, err := c.request(ctx, t, address, token)
		if err != nil {
			return err
		}
		return c.door.Open(ctx, op, total, request, func(answer *wire.Reply) error {
			wire.Note(result, answer, c.now())
			defer func() { result.Bytes = answer.Bytes() }()
			return read(op, number, answer, result)
		})
	})
}

// mostTokens is how many tokens are tried for one call: the one at hand, one that another process
// fetched meanwhile, and a new one.
const mostTokens = 3

// authorized makes a call with the organization's access token. If upstream refuses the token,
// authorized renews it and repeats the request, as a call of its own. The refusal of a new token is
// not the token's fault, so it ends there (docs/upstream.md U64: a refresh loop locks the client
// out). One that another process fetched may have ended, too, where other programs take tokens.
func (c *Client) authorized(
	ctx context.Context, op wire.Call, do func(op wire.Call, token string, number int64, result *pipeline.CallResult) error,
) error {
	token, version, err := c.tokens.Token(ctx, op.Org)
	if err != nil {
		return err
	}
	try := func(token wire.Secret) error {
		guarded := op
		c.scrub.Know(token.Reveal()) // invariant 10
		return wire.Counted(ctx, c.gate, guarded, func(number int64, result *pipeline.CallResult) error {
			guarded.Granted = c.now()
			return do(guarded, token.Reveal(), number, result)
		})
	}
	at := wire.Renewed{Token: token, Version: version}
	for range mostTokens - 1 {
		if err := try(at.Token); pipeline.KindOf(err) != pipeline.Expired {
			return err
		}
		if at, err = c.tokens.Renew(ctx, op.Org, at.Version); err != nil {
			return fmt.Errorf("access token after %s was refused: %w", op.Op, err)
		}
		if at.Made {
			break
		}
	}
	err = try(at.Token)
	if failure, ok := errors.AsType[*pipeline.Error](err); ok && failure.Kind == pipeline.Expired {
		return &pipeline.Error{
			Kind: pipeline.Denied, Op: op.Op, Status: failure.Status, Code: failure.Code,
			Detail: "refused again with a new access token: the scope is missing, or the user lost access",
		}
	}
	return err
}
