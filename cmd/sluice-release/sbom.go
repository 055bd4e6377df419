package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"time"
)

// bom is the part of CycloneDX 1.5 that says what a program is made of.
type bom struct {
	Schema       string      `json:"$schema"`
	Format       string      `json:"bomFormat"`
	SpecVersion  string      `json:"specVersion"`
	SerialNumber string      `json:"serialNumber"`
	Version      int         `json:"version"`
	Metadata     bomMetadata `json:"metadata"`
	Components   []component `json:"components"`
}

type bomMetadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []bomHash  `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type bomHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// writeSBOM writes what Go noted in a program: the modules with their sums, the standard library,
// and how it was built. It reads the program itself, so that it cannot differ from it.
func writeSBOM(to, program, version string, at time.Time) error {
	bytesOf, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	info, err := buildinfo.Read(bytes.NewReader(bytesOf))
	if err != nil {
		return fmt.Errorf("reading what %s is made of: %w", program, err)
	}
	text, err := json.MarshalIndent(sbomOf(info, sha256.Sum256(bytesOf), version, at), "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(to, append(text, '\n'), 0o644)
}

func sbomOf(info *debug.BuildInfo, digest [sha256.Size]byte, version string, at time.Time) bom {
	program := component{
		Type: "application", Ref: "sluice", Name: "sluice", Version: version,
		Hashes: []bomHash{{Algorithm: "SHA-256", Content: hex.EncodeToString(digest[:])}},
	}
	for _, setting := range info.Settings {
		program.Properties = append(program.Properties, property{Name: "go:" + setting.Key, Value: setting.Value})
	}
	components := []component{{
		Type: "library", Ref: "pkg:golang/std@" + info.GoVersion, Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + info.GoVersion,
	}}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		name := "pkg:golang/" + module.Path + "@" + module.Version
		components = append(components, component{
			Type: "library", Ref: name, Name: module.Path, Version: module.Version, PURL: name,
			Properties: []property{{Name: "go:sum", Value: module.Sum}},
		})
	}
	// The number of a list is a UUID of the eighth kind: it follows from the program, so that a
	// list made again is the same.
	id := digest
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return bom{
		Schema: "http://cyclonedx.org/schema/bom-1.5.schema.json", Format: "CycloneDX", SpecVersion: "1.5", Version: 1,
		SerialNumber: fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16]),
		Metadata:     bomMetadata{Timestamp: at.Format(time.RFC3339), Component: program}, Components: components,
	}
}
