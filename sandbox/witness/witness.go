// Package witness holds one sample of the wire for each resource, transcribed from the API
// documents by another hand than the one that wrote the resource declarations. Tests compare
// declarations (and the simulated upstream) with it, both ways, so that a misspelt field cannot
// confirm itself.
//
// The package never generates a sample and imports nothing of this module. Start reading with one
// of the JSON files, then with Load.
package witness

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

//go:embed *.json accounting/*.json inventory/*.json invoicing/*.json billing/*.json chat/*.json
var files embed.FS // embedding demands a package variable; it cannot be written

// Witness is one transcribed sample.
type Witness struct {
	// Service is the service of the record, such as "inventory". It is empty for the token answer,
	// which all services share.
	Service string `json:"-"`
	// Resource is the resource's name, such as "bills".
	Resource string `json:"-"`
	// Passage names the document and the transcribed passage.
	Passage string `json:"passage"`
	// Assumed lists what the document leaves open and this sample decides.
	Assumed []string `json:"assumed"`
	// Key is the response key above the records of a list; empty where there is none (the CSV
	// export, the token answer).
	Key string `json:"key"`
	// Record is one full record with every key the document names for output. For the conversation
	// export it is an object of the CSV columns, in the document's order, with text values.
	Record json.RawMessage `json:"record"`
	// Live are keys that live services send of the same record beyond the document, with values
	// that agree with it, each at its place: inside the objects and the elements of arrays of
	// Record. Empty if none is known.
	Live json.RawMessage `json:"live"`
}

// Load reads the witness of one resource. The service is empty for "token". An unknown pair is an
// error that wraps fs.ErrNotExist.
func Load(service, resource string) (Witness, error) {
	name := path.Join(service, resource+".json")
	data, err := files.ReadFile(name)
	if err != nil {
		return Witness{}, fmt.Errorf("witness %s: read sample: %w", name, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	sample := Witness{Service: service, Resource: resource}
	if err := decoder.Decode(&sample); err != nil {
		return Witness{}, fmt.Errorf("witness %s: decode sample: %w", name, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Witness{}, fmt.Errorf("witness %s: bytes after the sample: %w", name, err)
	}
	return sample, nil
}

// All reads every witness, ordered by file name: services first, then the shared ones.
func All() ([]Witness, error) {
	var all []Witness
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		service := path.Dir(name)
		if service == "." {
			service = ""
		}
		sample, err := Load(service, strings.TrimSuffix(path.Base(name), ".json"))
		if err != nil {
			return err
		}
		all = append(all, sample)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("witness: walk samples: %w", err)
	}
	return all, nil
}

// Whole is the record as live services send it: Live laid over Record, objects by key and arrays
// element by element. A bare value that both have is an error: Live repeats no key of the document.
func (w *Witness) Whole() (json.RawMessage, error) {
	if len(w.Live) == 0 {
		return w.Record, nil
	}
	whole, err := lay(w.Record, w.Live)
	if err != nil {
		return nil, fmt.Errorf("witness %s/%s: lay live keys over the record: %w", w.Service, w.Resource, err)
	}
	return whole, nil
}

// lay returns over laid over under.
func lay(under, over json.RawMessage) (json.RawMessage, error) {
	var underObject, overObject map[string]json.RawMessage
	if json.Unmarshal(under, &underObject) == nil && json.Unmarshal(over, &overObject) == nil && underObject != nil {
		for key, value := range overObject {
			beneath, both := underObject[key]
			if !both {
				underObject[key] = value
				continue
			}
			laid, err := lay(beneath, value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			underObject[key] = laid
		}
		return json.Marshal(underObject)
	}
	var underArray, overArray []json.RawMessage
	if json.Unmarshal(under, &underArray) != nil || json.Unmarshal(over, &overArray) != nil || underArray == nil {
		return nil, fmt.Errorf("both have a value, %s and %s", under, over)
	}
	for i, element := range overArray {
		if i >= len(underArray) {
			underArray = append(underArray, element)
			continue
		}
		laid, err := lay(underArray[i], element)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		underArray[i] = laid
	}
	return json.Marshal(underArray)
}
