package secrets

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
)

// Stamp returns a text that changes when one of the files is replaced, written or touched. It reads
// none of them.
func Stamp(files []string) string {
	var stamp strings.Builder
	for _, path := range slices.Compact(slices.Sorted(slices.Values(files))) {
		info, err := os.Stat(path)
		if err != nil {
			fmt.Fprintf(&stamp, "%s: none\n", path)
			continue
		}
		var inode uint64
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			inode = stat.Ino
		}
		fmt.Fprintf(&stamp, "%s: %d %d %d\n", path, inode, info.Size(), info.ModTime().UnixNano())
	}
	return stamp.String()
}

// KeyFile returns the file that SLUICE_ENCRYPTION_KEY_FILE names; "" if it names none.
func (s Source) KeyFile() string {
	path, _ := s.Getenv(encryptionKeyFile)
	return strings.TrimSpace(path)
}
