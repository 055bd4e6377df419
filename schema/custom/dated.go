package custom

import "strings"

// Dated says which period a record belongs to, and what of it. schema.Dated, into which it is
// converted, explains the fields.
type Dated struct {
	On          string   `yaml:"on"`
	Figures     []string `yaml:"figures"`
	Currency    string   `yaml:"currency"`
	Rate        string   `yaml:"rate"`
	State       string   `yaml:"state"`
	Out         []string `yaml:"out"`
	With        []string `yaml:"with"`
	Lines       string   `yaml:"lines"`
	LineColumns []string `yaml:"line_columns"`
}

// locateDated returns the path in the file of a fault of the block.
func locateDated(path, problem string) string {
	for _, start := range []struct{ problem, key string }{
		{"the column ", "on"}, {"no figure ", "figures"}, {"the figure ", "figures"}, {"the currency ", "currency"}, {"the rate ", "rate"},
		{"the state ", "state"}, {"the lines ", "lines"},
	} {
		if strings.HasPrefix(problem, start.problem) {
			return path + ".dated." + start.key
		}
	}
	if strings.Contains(problem, " is no declared column of a line,") {
		return path + ".dated.line_columns"
	}
	return path + ".dated.with"
}
