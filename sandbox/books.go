package sandbox

import (
	"fmt"
	"slices"

	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
)

// Books gives f the oracle of an organization's books, as of now, for itself alone. It fails if the
// organization is not simulated, or in a world whose books do not close.
func (s *Server) Books(id, dataCenter string, f func(figures.Books)) error {
	c, err := s.find(id, dataCenter)
	if err != nil {
		return err
	}
	return c.Figures(f)
}

// Group returns what each organization owes at the end of a day, in one currency. It fails for a
// currency that an organization does not know.
func (s *Server) Group(currency string, day ledger.Day) ([]figures.GroupPart, error) {
	var parts []figures.GroupPart
	for _, c := range s.stage.Load().companies {
		known := false
		err := c.Figures(func(b figures.Books) {
			var part figures.GroupPart
			if part, known = b.Group(currency, day); known {
				part.Organization, part.DataCenter = c.ID, c.DataCenter
				parts = append(parts, part)
			}
		})
		if err == nil && !known {
			err = fmt.Errorf("sandbox: currency %q is unknown: use a code such as EUR", currency)
		}
		if err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// groupFigure is the figure over all organizations.
const groupFigure = "group"

// showFigure answers a figure of the oracle: as of the day in the query, or of today.
func (s *Server) showFigure(a asked) {
	query := a.r.URL.Query()
	var figure any
	var failure error
	var day ledger.Day
	today := ledger.DayOf(a.company.Time())
	err := a.company.Figures(func(b figures.Books) {
		day = today
		if query.Has("day") {
			if day, failure = ledger.ReadDay(query.Get("day")); failure != nil {
				return
			}
		}
		name := a.r.PathValue("figure")
		var found bool
		if figure, found = b.Figure(name, day); !found && name != groupFigure {
			failure = fmt.Errorf("sandbox: books: figure %q is unknown: use one of %v", name, slices.Concat(figures.Names(), []string{groupFigure}))
		}
	})
	if err == nil {
		err = failure
	}
	if err == nil && a.r.PathValue("figure") == groupFigure {
		currency := "EUR"
		if query.Has("currency") {
			currency = query.Get("currency")
		}
		figure, err = s.Group(currency, day)
	}
	if err != nil {
		a.refuse(err)
		return
	}
	a.write(figure)
}

// Plant changes the books of an organization in a way that an analyst has to see: see world.Plant.
// It returns the identifiers of the changed records.
func (s *Server) Plant(id, dataCenter, what string) ([]string, error) {
	c, err := s.find(id, dataCenter)
	if err != nil {
		return nil, err
	}
	return c.Plant(what)
}

func (*Server) plant(a asked) {
	var wanted struct {
		What string `json:"what"`
	}
	if !a.read(&wanted) {
		return
	}
	changed, err := a.company.Plant(wanted.What)
	if err != nil {
		a.refuse(err)
		return
	}
	a.write(map[string]any{"planted": wanted.What, "ids": changed})
}
