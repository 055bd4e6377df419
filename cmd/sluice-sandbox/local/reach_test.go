package local

import (
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
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(closed, 0o700); err != nil {
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
}
