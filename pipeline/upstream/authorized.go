package upstream

import (
	"context"
	"errors"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/upstream/wire"
)

// authorized makes a call with the organization's access token. If upstream refuses the token,
// authorized renews it once and repeats the request, as a call of its own. A second refusal is not
// the token's fault, so it ends there (docs/upstream.md U64: a refresh loop locks the client out).
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
	err = try(token)
	if pipeline.KindOf(err) != pipeline.Expired {
		return err
	}
	token, _, renewErr := c.tokens.Renew(ctx, op.Org, version)
	if renewErr != nil {
		return fmt.Errorf("access token after %s was refused: %w", op.Op, renewErr)
	}
	err = try(token)
	if failure, ok := errors.AsType[*pipeline.Error](err); ok && failure.Kind == pipeline.Expired {
		return &pipeline.Error{
			Kind: pipeline.Denied, Op: op.Op, Status: failure.Status, Code: failure.Code,
			Detail: "refused twice, the second time with a new access token: the scope is missing, or the user lost access",
		}
	}
	return err
}
