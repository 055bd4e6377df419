package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"sluice/pipeline"
	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/upstream/token"
)

// KeyUse is how many stored tokens one of the sealing keys sealed.
type KeyUse struct {
	// ID tells the key from others, and is no part of it.
	ID string `json:"id"`
	// Seals says that it is the newest key, which seals.
	Seals bool `json:"seals"`
	// AccessTokens and RefreshTokens are what it sealed; the latter are those that upstream sent in
	// place of configured ones.
	AccessTokens  int `json:"access_tokens"`
	RefreshTokens int `json:"refresh_tokens"`
}

// KeyUses is which key sealed how many stored tokens.
type KeyUses struct {
	Keys []KeyUse `json:"keys"`
	// UnopenedAccess and UnopenedRefresh are the tokens that no key opens.
	UnopenedAccess  int `json:"unopened_access_tokens"`
	UnopenedRefresh int `json:"unopened_refresh_tokens"`
}

// Old is the number of tokens that another key than the newest one sealed.
func (u KeyUses) Old() int {
	n := 0
	for _, key := range u.Keys {
		if !key.Seals {
			n += key.AccessTokens + key.RefreshTokens
		}
	}
	return n
}

// ConsoleKey returns the key from which the console derives that of its cookies: the newest sealing
// key.
func (a *App) ConsoleKey() ([]byte, error) {
	keys, err := secrets.Source{Getenv: a.options.LookupEnv}.EncryptionKeys()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	return keys[0], nil
}

func (a *App) ring() (*token.Ring, error) {
	keys, err := secrets.Source{Getenv: a.options.LookupEnv}.EncryptionKeys()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	return token.NewRing(keys)
}

// Keys returns which of the sealing keys sealed how many stored tokens.
func (a *App) Keys(ctx context.Context) (KeyUses, error) {
	ring, err := a.ring()
	if err != nil {
		return KeyUses{}, err
	}
	stored, err := a.DB.SealedTokens(ctx)
	if err != nil {
		return KeyUses{}, err
	}
	var uses KeyUses
	for i, id := range ring.IDs() {
		uses.Keys = append(uses.Keys, KeyUse{ID: id, Seals: i == 0})
	}
	for credential, row := range stored {
		access, refresh := ring.Of(credential, row)
		switch {
		case access >= 0:
			uses.Keys[access].AccessTokens++
		case access == token.Unopened:
			uses.UnopenedAccess++
		}
		switch {
		case refresh >= 0:
			uses.Keys[refresh].RefreshTokens++
		case refresh == token.Unopened:
			uses.UnopenedRefresh++
		}
	}
	return uses, nil
}

// RotateKeys seals all stored tokens with the newest key that another key sealed, each credential
// in a transaction of its own, and returns how many credentials that were. Interrupted, it goes on
// where it stopped when it is called again. Refreshes beside it wait for one row at most.
func (a *App) RotateKeys(ctx context.Context) (int, error) {
	ring, err := a.ring()
	if err != nil {
		return 0, err
	}
	stored, err := a.DB.SealedTokens(ctx)
	if err != nil {
		return 0, err
	}
	resealed := 0
	for _, credential := range slices.Sorted(maps.Keys(stored)) {
		err := a.DB.Reseal(ctx, credential, func(row pipeline.Token) (pipeline.Token, bool) {
			again, changed := ring.Again(credential, row)
			if changed {
				resealed++
			}
			return again, changed
		})
		if err != nil {
			return resealed, err
		}
	}
	return resealed, nil
}
