package pipeline

import (
	"sync/atomic"
	"time"
)

// Organization is one business upstream, as the configuration has it: all that the stages need to
// know of it. It is made once and shared by all of its streams; only what upstream says of its time
// zone may change after that. It is safe for concurrent use.
type Organization struct {
	// Key is the word under which its rows are kept, ID the identifier by which upstream knows it.
	// Two organizations may have one ID, never one Key.
	Key, ID string
	// DataCenter is the domain suffix of the variant that hosts it, such as com.au; "" means com.
	DataCenter string
	// Addresses replace those of the vendor, whatever the data center.
	Addresses Addresses
	// BaseURLs replace host and root of a service, by its name.
	BaseURLs map[string]string
	// Limits are what the calls of a service are held against, by its name. A service that is not
	// among them is not called.
	Limits map[string]Limits
	// Location is the time zone of the configuration; nil means the one that upstream names.
	Location *time.Location

	named atomic.Pointer[namedZone]
}

// Addresses are where the programming interfaces, chat and the access tokens of an organization
// are; "" means at the vendor's.
type Addresses struct{ API, Chat, Auth string }

// namedZone is a time zone as upstream names it; nil if the name is unknown here.
type namedZone struct {
	name string
	zone *time.Location
}

// Zone is the time zone in which times without an offset are meant: that of the configuration, else
// the one that upstream named last, else UTC. A stream of no organization is in UTC, too.
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

// FollowZone takes the IANA name of the time zone that upstream says. It gives that zone, nil if
// there is none of the name.
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
