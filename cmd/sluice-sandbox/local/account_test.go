package local

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAccountMustReachTheFolder(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(t.TempDir(), "closed")
	inside := filepath.Join(closed, "inside")
	if err := errors.Join(os.MkdirAll(inside, 0o755), os.Chmod(closed, 0o700)); err != nil {
		t.Fatal(err)
	}
	stranger := account{name: "stranger", lent: &syscall.Credential{Uid: 4_000_000_001, Gid: 4_000_000_001}}
	err := stranger.checkReachable(inside)
	if err == nil || !strings.Contains(err.Error(), "cannot enter "+closed+" ") {
		t.Errorf("error %v does not name %s", err, closed)
	}
	if err := (account{name: "this user"}).checkReachable(inside); err != nil {
		t.Errorf("our own account: %v", err)
	}
	if hasRoom(filepath.Join(closed, "missing")) {
		t.Error("a missing folder has room")
	}
}

// TestWhoMayOwnAServersFolder: only root can give a folder to others.
func TestWhoMayOwnAServersFolder(t *testing.T) {
	t.Parallel()
	user, root := account{name: "this user"}, account{name: "lent", lent: &syscall.Credential{Uid: 4_000_000_001, Gid: 4_000_000_001}}
	for name, c := range map[string]struct {
		who   account
		mode  os.FileMode
		owner int
		want  string
	}{
		"root's":                       {root, 0o711, 0, ""},
		"root's, writable for a group": {root, 0o771, 0, "writable for other accounts"},
		"root's, writable for all":     {root, 0o777, 0, "writable for other accounts"},
		"a user's, with a group":       {user, 0o775, 0, ""},
		"a user's, writable for all":   {user, 0o777, 0, "writable for other accounts"},
		"the lent account's":           {root, 0o700, 4_000_000_001, "belongs to another account"},
		"a stranger's":                 {user, 0o700, 4_000_000_002, "belongs to another account"},
	} {
		dir := t.TempDir()
		if err := os.Chmod(dir, c.mode); err != nil {
			t.Fatal(err)
		}
		if c.owner != 0 {
			if os.Geteuid() != 0 {
				continue
			}
			if err := os.Chown(dir, c.owner, c.owner); err != nil {
				t.Fatal(err)
			}
		}
		err := c.who.checkOwn(dir)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "`ch")) {
			t.Errorf("%s: %v, want %q and what helps", name, err, c.want)
		}
	}
}

// TestNoFolderIsHandedOverByALink: somebody planted `run -> victim` before the folder was root's. The
// folder behind the link must remain root's. A process that is not root hands over nothing.
func TestNoFolderIsHandedOverByALink(t *testing.T) {
	t.Parallel()
	who, err := chooseAccount()
	if err != nil {
		t.Fatal(err)
	}
	stage, err := os.MkdirTemp("/tmp", "localpg-link-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(stage) })
	dir, victim := filepath.Join(stage, "server"), filepath.Join(stage, "victim")
	if err := errors.Join(os.Chmod(stage, 0o711), os.Mkdir(dir, 0o711), os.Mkdir(victim, 0o700), os.Symlink(victim, filepath.Join(dir, "run"))); err != nil {
		t.Fatal(err)
	}
	s := &Server{opts: Options{Dir: dir}, who: who}
	if err := s.furnish(t.Context()); err == nil {
		_, _ = s.log.Close(), s.lock.Close()
	}
	info, err := os.Lstat(victim)
	if err != nil {
		t.Fatal(err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
		t.Error("the folder of another was given away")
	}
}
