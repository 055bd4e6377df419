package company

import "sluice/sandbox/company/activity"

// Activity returns what the business does by itself.
func (c *Company) Activity() activity.Rates {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.life.Rates()
}

// SetActivity changes what the business does by itself from now on.
func (c *Company) SetActivity(rates activity.Rates) error {
	if err := rates.Check(); err != nil {
		return err
	}
	c.lend(func() { c.life = activity.New(c.Seed, rates, c.now().Unix()) })
	return nil
}

// live makes happen what the business did by now; the caller holds the lock. A world
// that is asked is always one of this instant: there is nothing to wait for, and
// nothing runs by itself.
func (c *Company) live() {
	if !c.life.Rates().Quiet() {
		c.life.Play(c.world, c.now().Unix())
	}
}
