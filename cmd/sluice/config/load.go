package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"

	"sluice/cmd/sluice/config/strict"
	"sluice/schema"
)

// Error is a configuration that cannot be used, with all its mistakes in the
// order of the file.
type Error = strict.Error

// Mistake is one thing that is wrong with the file, and what to do about it.
type Mistake = strict.Mistake

// Load reads the configuration file at path. getenv looks a variable up and says
// whether it is set, readFile reads the configuration and the files that secrets
// come from, services are the declared services that plans and resources are
// checked against.
//
// The error is an *Error with all mistakes if the file could be read, else the
// error of readFile, wrapped.
func Load(
	path string,
	getenv func(string) (string, bool),
	readFile func(string) ([]byte, error),
	services []schema.Service,
) (*Config, error) {
	text, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no configuration: %w (copy config.example.yaml there and fill it in)", err)
	case err != nil:
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	r := resolver{getenv: getenv, readFile: readFile, mode: fileMode}
	doc := defaults()
	file := strict.Decode(text, &doc, strict.Options{
		Expand:  r.value,
		Special: map[reflect.Type]func(path, raw string) (any, error){reflect.TypeFor[Secret](): r.special},
	})
	if file.Shaped() {
		newChecker(file, getenv, services).complete(&doc)
	}
	if err := file.Err(path); err != nil {
		return nil, err
	}
	return &doc.Config, nil
}

// fileMode gives the permissions of a file that a secret comes from.
func fileMode(path string) (fs.FileMode, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("looking at the file's permissions: %w", err)
	}
	return info.Mode(), nil
}
