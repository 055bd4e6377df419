package notifications

// ruled is the webhook of a workflow rule, as far as it is used.
type ruled struct {
	// ids is the record, or empty if the body names none.
	ids       []string
	operation string
}

// parseRule reads the webhook of a rule for a resource. The operator chooses its body upstream
// (docs/upstream.md U304). The identifier is under the resource's own key or under id, at the top
// or inside of the key of the single record. The own key counts before id. A parent is under its
// own key only, since id may be that of the record.
func parseRule(body []byte, resource Resource) (ruled, error) {
	said, err := parse(body)
	if err != nil {
		return ruled{}, err
	}
	read := ruled{ids: []string{}, operation: operation(said["operation"])}
	places := []object{said}
	if resource.Single != "" {
		places = append(places, members(said[resource.Single]))
	}
	keys := []string{resource.ID, "id"}
	if resource.ByParent {
		keys = keys[:1]
	}
	for _, place := range places {
		for _, key := range keys {
			if record := id(place[key]); record != "" {
				read.ids = append(read.ids, record)
				return read, nil
			}
		}
	}
	return read, nil
}

// parseTest reads what sluice sends to itself, and returns its nonce.
func parseTest(body []byte) (string, error) {
	said, err := parse(body)
	if err != nil {
		return "", err
	}
	nonce := id(said["nonce"])
	if nonce == "" {
		return "", errFormat
	}
	return nonce, nil
}
