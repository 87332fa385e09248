package vtab

// writeScope says whether what a session runs is, or is part of, a statement that
// writes. Scans ask when they are opened.
type writeScope struct {
	own       bool // the innermost statement writes
	enclosing bool // one around it does: it is in the body of a routine
}

// inWrite reports whether the running statement writes, or is part of one that
// does.
func (s *Session) inWrite() bool { return s.write.own || s.write.enclosing }

// BeginWrite notes that the running statement writes: from now on to its end,
// whatever it reads, by itself or in bodies of triggers and routines, is read in
// its latest state (see Table.modeOf).
func (s *Session) BeginWrite() { s.write.own = true }

// BeginInner notes that a statement in the body of a routine begins and returns
// the function that ends it.
func (s *Session) BeginInner() (end func()) {
	outer := s.write
	s.write = writeScope{enclosing: outer.own || outer.enclosing}
	return func() { s.write = outer }
}
