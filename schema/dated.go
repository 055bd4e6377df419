package schema

// Dated says which period a record belongs to, and what of the record belongs to that period: it is
// not to change any more once the period is closed. What moves with later documents, such as the
// part of a bill that is still to be paid, is no part of it.
type Dated struct {
	// On is the wire name of the day.
	On string
	// Figures are, by wire name, the amounts that sums of a period are made of.
	Figures []string
	// Currency and Rate are the wire names of the currency of the figures and of its price in the
	// base currency. Both are empty where the figures are in the base currency; Rate alone where
	// records carry none.
	Currency, Rate string
	// State is the wire name of the state of a record; a record in a state of Out, such as a draft,
	// is in no sum. Both are empty where every record counts.
	State string
	Out   []string
	// With are, by wire name, further columns that belong to the period: the other side, accounts.
	With []string
	// Lines is the wire name of the array of lines, "" if there is none; LineColumns are those of
	// its columns that belong to the period.
	Lines       string
	LineColumns []string
}
