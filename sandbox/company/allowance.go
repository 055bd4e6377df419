package company

import "sluice/sandbox/limits"

// Enter counts the arrival of a call. Each Enter is followed by one Leave.
func (c *Company) Enter(call limits.Arrival) limits.Verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	arrival := c.Now()
	return c.gate.Enter(call, arrival, arrival.Add(c.offset))
}

// Leave ends a call and counts its status.
func (c *Company) Leave(service, status string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gate.Leave(service, status)
}

// NoteTokenRequest counts a call of the token endpoint, which has limits of its own.
func (c *Company) NoteTokenRequest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gate.NoteTokenRequest()
}

// Allowance is the plan with the limits in force.
type Allowance struct {
	Plan   string        `json:"plan"`
	Limits limits.Limits `json:"limits"`
}

// Allowance returns the plan with the limits in force.
func (c *Company) Allowance() Allowance {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Allowance{Plan: c.plan, Limits: c.gate.Limits()}
}

// SetPlan changes the plan while calls arrive. Nonzero fields of over replace the plan's, and the
// counts stay. An unknown plan is an error and changes nothing.
func (c *Company) SetPlan(plan string, over limits.Limits) error {
	resolved, err := limits.Resolve(plan, over)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plan = plan
	c.gate.SetLimits(resolved)
	return nil
}
