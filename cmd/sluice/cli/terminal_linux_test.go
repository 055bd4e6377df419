package cli

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal: what a person types goes into the first file, and the program
// reads and writes the second. It does not show what is typed.
func terminal(t *testing.T) (*os.File, *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { _ = person.Close() })
	connection := int(person.Fd())
	must(t, unix.IoctlSetPointerInt(connection, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(connection, unix.TIOCGPTN)
	must(t, err)
	program, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { _ = program.Close() })
	mode, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
	must(t, err)
	mode.Lflag &^= unix.ECHO
	must(t, unix.IoctlSetTermios(int(program.Fd()), unix.TCSETS, mode))
	return person, program
}
