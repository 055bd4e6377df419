package erasures

// Noted are the columns of the program's own tables out of which texts are erased, by table.
func Noted() map[string][]string {
	noted := map[string][]string{}
	for name, note := range notes {
		noted[name] = note.columns
	}
	return noted
}
