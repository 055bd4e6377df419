package pipeline

import (
	"sync/atomic"
	"time"
)

// Organization is one business upstream, as configured: all that the stages need to know of it. It
// is made once and shared by all of its streams. Only the time zone that upstream names may change
// later. It is safe for concurrent use.
type Organization struct {
	// Key is the organization_id of its rows; ID is the identifier that upstream uses. Two
	// organizations may share an ID but never a Key.
	Key, ID string
	// DataCenter is the domain suffix of the data center that hosts it, such as com.au; "" means
	// com.
	DataCenter string
	// Addresses replace the vendor's addresses in every data center.
	Addresses Addresses
	// BaseURLs replace host and root path of a service; the key is the service's name.
	BaseURLs map[string]string
	// Limits are the limits of each service; the key is the service's name. A service without an
	// entry is never called.
	Limits map[string]Limits
	// Location is the time zone of the configuration; nil means the one that upstream names.
	Location *time.Location

	named atomic.Pointer[namedZone]
}

// Addresses are the base addresses of an organization's APIs, of chat and of the token endpoint; ""
// means the vendor's.
type Addresses struct{ API, Chat, Auth string }

// namedZone is a time zone as upstream names it; zone is nil if this machine does not know the
// name.
type namedZone struct {
	name string
	zone *time.Location
}

// Zone returns the time zone of times without an offset: the configured one, else the one that
// upstream named last, else UTC. A nil organization is in UTC, too.
func (o *Organization) Zone() *time.Location {
	if o == nil {
		return time.UTC
	}
	if o.Location != nil {
		return o.Location
	}
	if named := o.named.Load(); named != nil && named.zone != nil {
		return named.zone
	}
	return time.UTC
}

// FollowZone remembers the IANA name of the time zone that upstream names, and returns that zone;
// nil if no zone has the name.
func (o *Organization) FollowZone(name string) *time.Location {
	if named := o.named.Load(); named != nil && named.name == name {
		return named.zone
	}
	named := &namedZone{name: name}
	if name != "" && name != "Local" { // which mean UTC and the zone of this machine
		if zone, err := time.LoadLocation(name); err == nil {
			named.zone = zone
		}
	}
	o.named.Store(named)
	return named.zone
}
