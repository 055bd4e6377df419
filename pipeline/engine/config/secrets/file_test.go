package secrets

import (
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

// owned is a file's information with a chosen owner and mode.
type owned struct {
	fs.FileInfo
	mode fs.FileMode
	uid  uint32
}

func (o owned) Mode() fs.FileMode { return o.mode }
func (o owned) Size() int64       { return 1 }
func (o owned) Sys() any          { return &syscall.Stat_t{Uid: o.uid} }

func TestWhoMayOwnASecret(t *testing.T) {
	t.Parallel()
	const user, stranger = 1000, 1001
	for _, c := range []struct {
		mode fs.FileMode
		uid  uint32
		want string
	}{
		{0o600, user, ""},
		{0o400, user, ""},
		{0o640, user, ""},
		{0o440, 0, ""}, // as Kubernetes mounts it for a group of the process
		{0o400, 0, ""},
		{0o600, stranger, "belongs to account 1001 and neither to this user nor to root: run `chown 1000 /run/secret`"},
		{0o620, user, "others may write the secret's file /run/secret (mode 0620): run `chmod go-w /run/secret`"},
		{0o602, 0, "others may write"},
		{0o666, user, "others may write"},
		{0o644, user, "all accounts may read the secret's file /run/secret (mode 0644): run `chmod o-rwx /run/secret`, or mount it with mode 0440"},
		{0o644, 0, "all accounts may read"},
		{fs.ModeNamedPipe | 0o600, user, "is not a regular file"},
		{fs.ModeDevice | fs.ModeCharDevice | 0o600, user, "is not a regular file"},
		{fs.ModeDir | 0o700, user, "is not a regular file"},
	} {
		err := judge("/run/secret", owned{mode: c.mode, uid: c.uid}, user)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %d: %v, want %q", c.mode, c.uid, err, c.want)
		}
	}
}
