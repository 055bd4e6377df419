package delivery

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
)

const jsonType = "application/json;charset=UTF-8"

// arriving returns a callback as it reaches the receiver, behind the proxy that chaos puts there.
func (m *message) arriving() (http.Header, []byte) {
	header, body := m.Header.Clone(), m.rendered
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", jsonType)
	if m.reencode {
		body = reencoded(body)
	}
	if m.packed {
		header.Set("Content-Encoding", "gzip")
		body = packed(body)
	}
	return header, body
}

// reencoded writes JSON anew: keys sorted, and blanks between. A body that is no JSON stays.
func reencoded(body []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // a proxy of this kind changes no value
	var value any
	if err := decoder.Decode(&value); err != nil {
		return body
	}
	anew, err := json.MarshalIndent(value, "", "  ")
	if err != nil { // what was decoded can be encoded
		return body
	}
	return anew
}

func packed(body []byte) []byte {
	var small bytes.Buffer
	packer := gzip.NewWriter(&small)
	_, _ = packer.Write(body) // memory accepts every write
	_ = packer.Close()
	return small.Bytes()
}
