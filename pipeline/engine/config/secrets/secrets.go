// Package secrets reads the values that the configuration refers to: variables of the environment,
// and secrets in variables, in files, in credentials of systemd, or printed by a command.
//
// It refuses a secret that is written in the configuration itself. No error holds a secret, or what
// a command printed (invariant 10).
//
// Start reading at Source.
package secrets

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"

	"sluice/pipeline/upstream/wire"
)

// maxSecret is far longer than any token or secret, in bytes.
const maxSecret = 64 << 10

// The forms of a reference, and any text that begins like one.
//
//nolint:gochecknoglobals // constants
var (
	reference     = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	referenceOnly = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)
	anyReference  = regexp.MustCompile(`\$\{[^}]*\}?`)
)

// Source reads the values that the configuration refers to. Getenv looks up a variable and reports
// whether it is set.
type Source struct {
	Getenv func(string) (string, bool)
	// Limit bounds a command of exec:; zero means 10 s.
	Limit time.Duration
	// Reading remembers what one reading of a configuration read; nil remembers nothing.
	Reading *Reading
}

// Forms are the forms of a secret in the configuration, for messages.
const Forms = "write ${NAME} or file:/path, exec:COMMAND or cred:NAME"

// The beginnings of references.
const (
	isFile       = "file:"
	isCommand    = "exec:"
	isCredential = "cred:"
)

// Runs reports whether a reference is a command that has to be run.
func Runs(raw string) bool { return strings.HasPrefix(raw, isCommand) }

// Whence says where a secret comes from, and nothing of it: its variable, file or credential, or
// that it is a command or stands in the configuration.
func Whence(raw string) string {
	switch {
	case raw == "":
		return ""
	case Runs(raw):
		return "a command"
	case strings.HasPrefix(raw, isFile), strings.HasPrefix(raw, isCredential), referenceOnly.MatchString(raw):
		return raw
	default:
		return "the configuration file"
	}
}

// Reading is one reading of a configuration. A command that stands there several times is run once.
type Reading struct {
	// Files are the files with secrets that were read.
	Files []string

	printed map[string]printed
}

// printed is what a command printed, or why it failed.
type printed struct {
	text string
	err  error
}

// Refers reports whether a text holds a reference or the beginning of one.
func Refers(text string) bool { return anyReference.MatchString(text) }

// MissingError says that a value is missing: its variable is not set, or its file does not exist or
// is not readable for this user.
type MissingError struct{ text string }

// Error implements error.
func (m *MissingError) Error() string { return m.text }

// missing returns the error for variables that are not set or empty.
func missing(names []string) error {
	if len(names) == 1 {
		return &MissingError{fmt.Sprintf("the environment variable %s is not set or empty: set it before starting", names[0])}
	}
	return &MissingError{fmt.Sprintf("the environment variables %s are not set or empty: set them before starting", strings.Join(names, ", "))}
}

// Expand replaces every ${NAME} by the variable. It does not expand the value of a variable again.
func (s Source) Expand(text string) (string, error) {
	var unset []string
	var malformed error
	expanded := anyReference.ReplaceAllStringFunc(text, func(found string) string {
		match := reference.FindStringSubmatch(found)
		if match == nil {
			malformed = fmt.Errorf("%q is no reference: write ${NAME}, letters, digits and underscores; defaults are not supported", found)
			return ""
		}
		value, ok := s.Getenv(match[1])
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

// Secret reads a secret from the variable or the file that raw refers to. It refuses a secret in
// the configuration itself, because that file is copied, committed and mailed.
func (s Source) Secret(raw string) (wire.Secret, error) { return s.secret(raw, false) }

// Header reads the value of an HTTP header, as Secret does. It may have a space in it: "Bearer …".
func (s Source) Header(raw string) (wire.Secret, error) { return s.secret(raw, true) }

func (s Source) secret(raw string, spaces bool) (wire.Secret, error) {
	var value string
	var err error
	switch {
	case raw == "":
		return wire.Secret{}, errors.New("is empty: " + Forms)
	case strings.HasPrefix(raw, isFile):
		value, err = s.file(strings.TrimPrefix(raw, isFile))
	case strings.HasPrefix(raw, isCommand):
		value, err = s.printedBy(strings.TrimPrefix(raw, isCommand))
	case strings.HasPrefix(raw, isCredential):
		value, err = s.credential(strings.TrimPrefix(raw, isCredential))
	case referenceOnly.MatchString(raw):
		value, err = s.Expand(raw)
	default:
		return wire.Secret{}, errors.New("a secret is not written into the file: put it into an environment variable and write ${NAME}, " +
			"or into a file and write file:/path (or exec:COMMAND, or cred:NAME); and replace this one, it has been on disk in clear")
	}
	if err != nil {
		return wire.Secret{}, err
	}
	value = strings.TrimSpace(value)
	switch {
	case value == "":
		return wire.Secret{}, fmt.Errorf("%s holds nothing but space: put the secret there", shown(raw))
	case strings.ContainsFunc(value, func(r rune) bool { return (!spaces || r != ' ') && (unicode.IsSpace(r) || !unicode.IsPrint(r)) }):
		return wire.Secret{}, fmt.Errorf("%s holds spaces, line breaks or control characters: put there the secret and nothing else", shown(raw))
	}
	return wire.NewSecret(value), nil
}

func (s Source) file(path string) (string, error) {
	path, err := s.Expand(path)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(path) {
		return "", errors.New("the path of a secret has to be absolute: write file:/path")
	}
	return s.read(path)
}

// shown is a reference for messages: of a command, its program alone.
func shown(raw string) string {
	if line, isCommand := strings.CutPrefix(raw, isCommand); isCommand {
		program, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		return "the output of " + program
	}
	return raw
}

// printedBy returns what a command prints. In one reading it is run once.
func (s Source) printedBy(line string) (string, error) {
	if s.Reading == nil {
		return s.command(line)
	}
	known, ran := s.Reading.printed[line]
	if !ran {
		known.text, known.err = s.command(line)
		if s.Reading.printed == nil {
			s.Reading.printed = make(map[string]printed)
		}
		s.Reading.printed[line] = known
	}
	return known.text, known.err
}

// read reads a guarded file, and remembers its name.
func (s Source) read(path string) (string, error) {
	if s.Reading != nil {
		s.Reading.Files = append(s.Reading.Files, path)
	}
	text, err := guarded(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return "", &MissingError{err.Error()}
	}
	return text, err
}
