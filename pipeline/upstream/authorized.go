package upstream

import (
	"context"
	"errors"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/upstream/wire"
)

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
