package company

import (
	"fmt"
	"strconv"
)

// Opens tells whether an access token opens this company now.
func (c *Company) Opens(token string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tokens.Valid(token, c.now())
}

// Issued tells whether an access token was given out here, dead or alive.
func (c *Company) Issued(token string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tokens.Knows(token)
}

// NoteTokenRequest counts a call of the token endpoint, which has limits of its own.
func (c *Company) NoteTokenRequest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gate.NoteTokenRequest()
}

// Issue answers a new access token, or false when too many were asked for.
func (c *Company) Issue() (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if c.tokens.TooMany(now) {
		return "", false
	}
	seed := strconv.FormatInt(c.Seed, 10)
	if c.Number > 0 { // organizations may share a seed, but no token.
		seed = fmt.Sprintf("%d/%s/%s", c.Seed, c.DataCenter, c.ID)
	}
	return c.tokens.Issue(seed, now), true
}

// ExpireTokens makes every access token invalid at once.
func (c *Company) ExpireTokens() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens.Expire()
}
