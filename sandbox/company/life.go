package company

import "sluice/sandbox/company/activity"

// Activity returns the rates of the business's own events.
func (c *Company) Activity() activity.Rates {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.life.Rates()
}

// SetActivity changes the rates of the business's own events from now on.
func (c *Company) SetActivity(rates activity.Rates) error {
	if err := rates.Check(); err != nil {
		return err
	}
	c.lend(func() { c.life = activity.New(c.Seed, rates, c.now().Unix()) })
	return nil
}

// live simulates the business's events up to now; the caller holds the lock. Every query does so
// first, so that no background work is needed.
func (c *Company) live() {
	if !c.life.Rates().Quiet() {
		c.life.Play(c.world, c.now().Unix())
	}
}
