package body

import "fmt"

// ParseCarefully is Parse without the quick way.
func ParseCarefully(data []byte) (*Envelope, error) {
	envelope, err := careful(trim(data))
	if err != nil {
		return nil, err
	}
	if raw, ok := envelope.members["code"]; ok {
		if envelope.Code, err = scalar(raw); err != nil {
			return nil, fmt.Errorf("key code: %w", err)
		}
	}
	return envelope, nil
}
