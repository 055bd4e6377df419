package secrets

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// guarded reads a file that holds secrets, if it belongs to this user or root and only its owner
// may write it. It checks the open file, because its name may refer to another file a moment later.
func guarded(path string) (string, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would keep the program waiting
	if err != nil {
		return "", fmt.Errorf("the secret's file cannot be read: %w", err)
	}
	defer func() { _ = file.Close() }() // nothing was written
	info, err := file.Stat()
	if err != nil {
		return "", fmt.Errorf("the secret's file cannot be read: looking at its permissions: %w", err)
	}
	if err := judge(path, info, os.Geteuid()); err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("the secret's file cannot be read: %w", err)
	}
	if len(text) > maxSecret { // it grew
		return "", tooLarge(path)
	}
	return string(text), nil
}

func tooLarge(path string) error {
	return fmt.Errorf("the secret's file %s is larger than %d bytes: is it the right one?", path, maxSecret)
}

// judge refuses a file that is not regular, that belongs to neither the user nor root, that others
// may write, or that all may read. A group may read it: mounts of Kubernetes belong to root and a
// group of the process.
func judge(path string, info fs.FileInfo, user int) error {
	mode := info.Mode()
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !mode.IsRegular():
		return fmt.Errorf("the secret's file %s is not a regular file: write the path of the file itself", path)
	case ok && stat.Uid != 0 && int(stat.Uid) != user:
		return fmt.Errorf("the secret's file %s belongs to account %d and neither to this user nor to root: run `chown %d %s`", path, stat.Uid, user, path)
	case mode.Perm()&0o022 != 0:
		return fmt.Errorf("others may write the secret's file %s (mode %04o): run `chmod go-w %s`", path, mode.Perm(), path)
	case mode.Perm()&0o004 != 0:
		return fmt.Errorf("all accounts may read the secret's file %s (mode %04o): run `chmod o-rwx %s`, or mount it with mode 0440",
			path, mode.Perm(), path)
	case info.Size() > maxSecret:
		return tooLarge(path)
	}
	return nil
}

// credentialsDirectory is the variable by which systemd names the folder with the credentials of a
// service (systemd.exec, LoadCredential=).
const credentialsDirectory = "CREDENTIALS_DIRECTORY"

// credentialName is what systemd allows, less names of hidden files.
var credentialName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@:-]{0,254}$`)

// credential reads a credential that the service manager passed to this process.
func (s Source) credential(name string) (string, error) {
	if !credentialName.MatchString(name) {
		return "", errors.New("the name of a credential has letters, digits, and _ . @ : -: write cred:NAME, as LoadCredential=NAME:… names it")
	}
	folder, set := s.Getenv(credentialsDirectory)
	switch {
	case !set || folder == "":
		return "", &MissingError{"cred: reads what systemd passes to a service, and " + credentialsDirectory +
			" is not set: start sluice by a unit with LoadCredential=" + name + ":/path, or write file:/path"}
	case !filepath.IsAbs(folder):
		return "", errors.New(credentialsDirectory + " has to be an absolute path")
	}
	return s.read(filepath.Join(folder, name))
}

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
