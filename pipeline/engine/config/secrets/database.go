package secrets

import (
	"errors"
	"net/url"
	"strings"

	"sluice/pipeline/upstream/wire"
)

// DatabaseURL reads the address of the database. The whole address may be a reference, or only its
// password.
func (s Source) DatabaseURL(raw string) (wire.Secret, error) {
	if raw == "" {
		return wire.Secret{}, errors.New("is empty: write ${NAME}")
	}
	if strings.HasPrefix(raw, isFile) || strings.HasPrefix(raw, isCommand) || strings.HasPrefix(raw, isCredential) {
		value, err := s.Secret(raw)
		if err != nil {
			return wire.Secret{}, err
		}
		return checkedURL(value.Reveal())
	}
	// The check removes every reference: a password that is left then is written in the file.
	shape := reference.ReplaceAllString(raw, "")
	if !referenceOnly.MatchString(raw) && HasPassword(shape) {
		return wire.Secret{}, errors.New("a password is not written into the file: write the whole address as ${NAME}, " +
			"or only the password: postgres://user:${NAME}@host/database")
	}
	text, err := s.Expand(raw)
	if err != nil {
		return wire.Secret{}, err
	}
	return checkedURL(text)
}

// HasPassword reports whether the address of a database may hold a password. If the text is no
// address, it is true for any sign of one.
func HasPassword(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return strings.Contains(strings.ToLower(address), "password") || strings.Contains(address, "@")
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

func checkedURL(text string) (wire.Secret, error) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") || (u.Host == "" && u.Query().Get("host") == "") {
		// err is not passed on: it quotes the address.
		return wire.Secret{}, errors.New("is not the address of a Postgres database: write postgres://user:${NAME}@host:5432/database, " +
			"with every special character of the password percent-encoded")
	}
	return wire.NewSecret(text), nil
}
