package witness

import (
	"encoding/json"
	"fmt"
)

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
