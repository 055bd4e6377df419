package record

// Carefully is RecordUnder in the careful way only.
func (n *Normalizer) Carefully(raw []byte, parent string) (Record, error) {
	s := newScratch(n)
	s.reset()
	s.carefully(raw)
	if fault := s.walk(parent); fault != nil {
		fault.ID = n.identify(raw, parent)
		return Record{}, fault
	}
	return s.record(raw, parent), nil
}
