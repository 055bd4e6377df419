package secrets

import (
	"errors"
	"path/filepath"
	"regexp"
)

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
