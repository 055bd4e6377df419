package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"sluice/pipeline/upstream"
)

// maxSecret is far above any token or secret.
const maxSecret = 64 << 10

// The forms of a reference, and everything that looks like the beginning of one.
//
//nolint:gochecknoglobals // constants
var (
	reference     = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	referenceOnly = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)
	anyReference  = regexp.MustCompile(`\$\{[^}]*\}?`)
)

// resolver fetches what the file only refers to.
type resolver struct {
	getenv   func(string) (string, bool)
	readFile func(string) ([]byte, error)
	mode     func(string) (fs.FileMode, error)
}

// missing describes variables that a value refers to and that are not set or empty.
func missing(names []string) error {
	if len(names) == 1 {
		return fmt.Errorf("the environment variable %s is not set or empty: set it before starting", names[0])
	}
	return fmt.Errorf("the environment variables %s are not set or empty: set them before starting", strings.Join(names, ", "))
}

// expand replaces every ${NAME} by the variable. What a variable holds is not
// expanded again.
func (r resolver) expand(text string) (string, error) {
	var unset []string
	var malformed error
	expanded := anyReference.ReplaceAllStringFunc(text, func(found string) string {
		match := reference.FindStringSubmatch(found)
		if match == nil {
			malformed = fmt.Errorf("%q is no reference: write ${NAME}, letters, digits and underscores; defaults are not supported", found)
			return ""
		}
		value, ok := r.getenv(match[1])
		if !ok || value == "" {
			unset = append(unset, match[1])
		}
		return value
	})
	switch {
	case malformed != nil:
		return "", malformed
	case unset != nil:
		return "", missing(unset)
	default:
		return expanded, nil
	}
}

// value expands the value at a path. Declarations of the user's own are written
// out: they are the same on every machine, and what is in them is shown.
func (r resolver) value(path, text string) (string, error) {
	if strings.HasPrefix(path, "custom[") && anyReference.MatchString(text) {
		return "", errors.New("a declared resource takes no ${…}: write the value out")
	}
	return r.expand(text)
}

// special reads the values of type Secret: secrets, and one address that may hold one.
func (r resolver) special(path, raw string) (any, error) {
	if path == "database.url" {
		return r.databaseURL(raw)
	}
	return r.secret(raw)
}

// secret reads a secret from where the file says. A secret in the file itself is
// refused: the file is copied, committed and mailed.
func (r resolver) secret(raw string) (Secret, error) {
	var value string
	var err error
	path, isFile := strings.CutPrefix(raw, "file:")
	switch {
	case raw == "":
		return Secret{}, errors.New("is empty: write ${NAME} or file:/path")
	case isFile:
		value, err = r.secretFile(path)
	case referenceOnly.MatchString(raw):
		value, err = r.expand(raw)
	default:
		return Secret{}, errors.New("a secret is not written into the file: put it into an environment variable and write ${NAME}, " +
			"or into a file and write file:/path; and replace this one, it has been on disk in clear")
	}
	if err != nil {
		return Secret{}, err
	}
	value = strings.TrimSpace(value)
	switch {
	case value == "":
		return Secret{}, fmt.Errorf("%s holds nothing but space: put the secret there", raw)
	case strings.ContainsFunc(value, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return Secret{}, fmt.Errorf("%s holds spaces, line breaks or control characters: put there the secret and nothing else", raw)
	}
	return upstream.NewSecret(value), nil
}

func (r resolver) secretFile(path string) (string, error) {
	path, err := r.expand(path)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(path) {
		return "", errors.New("the path of a secret has to be absolute: write file:/path")
	}
	mode, err := r.mode(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("the secret's file cannot be read: %w", err)
	case !mode.IsRegular():
		return "", errors.New("the secret's file is not a regular file: write the path of the file itself")
	case mode.Perm()&0o004 != 0:
		return "", fmt.Errorf("everybody may read the secret's file (mode %04o): run chmod o-rwx on it, "+
			"or mount it with mode 0440", mode.Perm())
	}
	text, err := r.readFile(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("the secret's file cannot be read: %w", err)
	case len(text) > maxSecret:
		return "", fmt.Errorf("the secret's file is larger than %d bytes: is it the right one?", maxSecret)
	}
	return string(text), nil
}

// databaseURL reads the address of the database. It may be a reference as a whole,
// or an address in which the password is one.
func (r resolver) databaseURL(raw string) (Secret, error) {
	if raw == "" {
		return Secret{}, errors.New("is empty: write ${NAME}, or leave the key out for a private Postgres server")
	}
	if strings.HasPrefix(raw, "file:") {
		return r.databaseFromFile(raw)
	}
	// The shape is looked at with every reference replaced by nothing: whatever
	// password is left then is written in the file.
	shape := reference.ReplaceAllString(raw, "")
	if !referenceOnly.MatchString(raw) && literalPassword(shape) {
		return Secret{}, errors.New("a password is not written into the file: write the whole address as ${NAME}, " +
			"or only the password: postgres://user:${NAME}@host/database")
	}
	text, err := r.expand(raw)
	if err != nil {
		return Secret{}, err
	}
	return checkedURL(text)
}

func (r resolver) databaseFromFile(raw string) (Secret, error) {
	value, err := r.secret(raw)
	if err != nil {
		return Secret{}, err
	}
	return checkedURL(value.Reveal())
}

// literalPassword errs on the side of yes: what is no address may be all password.
func literalPassword(shape string) bool {
	u, err := url.Parse(shape)
	if err != nil || u.Scheme == "" {
		return strings.Contains(strings.ToLower(shape), "password") || strings.Contains(shape, "@")
	}
	if password, _ := u.User.Password(); password != "" {
		return true
	}
	for key, values := range u.Query() {
		if strings.Contains(strings.ToLower(key), "password") && strings.Join(values, "") != "" {
			return true
		}
	}
	return false
}

func checkedURL(text string) (Secret, error) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") || (u.Host == "" && u.Query().Get("host") == "") {
		// err is not passed on: it quotes the address.
		return Secret{}, errors.New("is not the address of a Postgres database: write postgres://user:${NAME}@host:5432/database, " +
			"with every special character of the password percent-encoded")
	}
	return upstream.NewSecret(text), nil
}
