package token

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream/wire"
)

// consentPath is the page on which a person gives the consent (docs/upstream.md U21).
const consentPath = "/oauth/v2/auth"

// Consent is what a person is asked for. The exchange of the code repeats all of it
// (docs/upstream.md U21 to U23).
type Consent struct {
	// Scopes are the scopes with the vendor's name.
	Scopes []string
	// Redirect is the address that gets the code. It is registered for the client.
	Redirect string
	// State comes back with the code, unchanged: it proves that the code answers this consent.
	State string
}

// Granted is the result of a consent.
type Granted struct {
	RefreshToken wire.Secret
	// Scopes are the scopes that upstream names in its answer; none if it names none.
	Scopes []string
}

// ConsentAddress gives the address of the page on which a person consents. It asks for offline
// access, and for a refresh token in any case (docs/upstream.md U28).
func (t *Tokens) ConsentAddress(organization *pipeline.Organization, c Consent) (string, error) {
	credential, err := t.credential(organization)
	if err != nil {
		return "", err
	}
	u, err := t.address(asked{organization: organization, credential: credential}, consentPath)
	if err != nil {
		return "", t.tokenError(pipeline.Denied, "the address of the authorization server is not usable", err)
	}
	query := url.Values{
		"response_type": {"code"}, "access_type": {"offline"}, "prompt": {"consent"}, "client_id": {credential.ClientID},
		"redirect_uri": {c.Redirect}, "scope": {strings.Join(c.Scopes, ",")}, "state": {c.State},
	}
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// Exchange gets the refresh token for a code, with one counted call. It stores nothing: the
// credential is the operator's. The errors are as those of Token.
func (t *Tokens) Exchange(ctx context.Context, organization *pipeline.Organization, c Consent, code wire.Secret) (Granted, error) {
	credential, err := t.credential(organization)
	if err != nil {
		return Granted{}, err
	}
	t.scrub.Know(code.Reveal()) // invariant 10
	got, _, err := t.request(ctx, asked{organization: organization, credential: credential}, url.Values{
		"code": {code.Reveal()}, "client_id": {credential.ClientID}, "client_secret": {credential.ClientSecret.Reveal()},
		"redirect_uri": {c.Redirect}, "grant_type": {"authorization_code"}, "scope": {strings.Join(c.Scopes, ",")}, "state": {c.State},
	})
	if err != nil {
		return Granted{}, ofCode(err, got.refused)
	}
	if got.refresh.Reveal() == "" {
		return Granted{}, t.tokenError(pipeline.Unexpected,
			"the answer has no refresh token: the client may not be one for access while the user is away", nil)
	}
	return Granted{RefreshToken: got.refresh, Scopes: slices.Clone(got.scopes)}, nil
}

// ofCode says of a refused exchange what was wrong with the code: the other texts speak of refresh
// tokens. No exchange is repeated, so every refusal is final, also one in an unknown word.
func ofCode(err error, refused refusal) error {
	failure, ok := errors.AsType[*pipeline.Error](err)
	if !ok || refused == notRefused {
		return err
	}
	says := map[string]outside.Text{
		"invalid_code":         "the code is not accepted: it was used before, is some minutes old, or belongs to another client or data center",
		"invalid_grant":        "the code is not accepted: it was used before, is some minutes old, or belongs to another client or data center",
		"invalid_redirect_uri": "the redirect address is another one than that of the consent",
		"invalid_scope":        "the scopes are other ones than those of the consent",
	}[strings.ToLower(string(failure.Code))]
	told := *failure
	told.Kind = pipeline.Denied
	if says != "" {
		told.Detail = says
	}
	return &told
}
