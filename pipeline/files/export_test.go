package files

import "os"

// AppendWide is appendWide, for its test.
var AppendWide = appendWide

// Redirect makes a file write to another one, such as a full device.
func (f *File) Redirect(to *os.File) { f.to.Reset(to) }
