package company

import (
	"errors"

	"sluice/sandbox/world/ledger/figures"
)

var errNoBooks = errors.New("sandbox: the organization's books do not close: start the sandbox with the world books")

// Figures gives f the oracle of the organization's books, as of now, for itself alone. It fails in
// a world whose books do not close.
func (c *Company) Figures(f func(figures.Books)) error {
	err := errNoBooks
	c.lend(func() {
		if books, closes := c.world.Figures(); closes {
			err = nil
			f(books)
		}
	})
	return err
}

// Plant changes books that close in a way that an analyst has to see, now: see world.Plant.
func (c *Company) Plant(what string) ([]string, error) {
	var changed []string
	var err error
	c.lend(func() { changed, err = c.world.Plant(what, c.now().Unix()) })
	return changed, err
}
