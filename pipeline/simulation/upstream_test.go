package simulation_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"sluice/pipeline"
)

// lag is the longest time until a write upstream can be read, and the lag of the rules. Half of it
// is for the write itself to become visible, half for an answer from a cache.
const lag = 20 * time.Second

// edition is one version of a record: value is a stamp that no other version has, and every line
// has it, too.
type edition struct {
	value int
	lines int
	// modified is the modification time, in whole seconds; visible is when the version can be read.
	modified, visible time.Time
	gone              bool
	// quiet says that the modification time did not move forward with the change.
	quiet bool
	// poison says that the record does not fit its declaration.
	poison bool
	// nameless says that its identifier cannot be read, either.
	nameless bool
	// header and whole are its bytes on the wire, after they were first encoded.
	header, whole []byte
}

// late reports whether the version became visible so late that watermarks may be past it. That is
// after half of the lag, because an answer from a cache may take the other half. A write that
// becomes visible only after an earlier one of its record can be late, too.
func (v *edition) late() bool { return v.visible.Sub(v.modified) > lag/2 }

// thing is one record upstream with all its versions.
type thing struct {
	id       string
	created  time.Time
	versions []edition
}

// at returns the version that a reader sees at an instant; nil if there is none.
func (t *thing) at(now time.Time) *edition {
	for i := len(t.versions) - 1; i >= 0; i-- {
		if v := &t.versions[i]; !v.visible.After(now) {
			if v.gone {
				return nil
			}
			return v
		}
	}
	return nil
}

func (t *thing) last() *edition { return &t.versions[len(t.versions)-1] }

// hidden reports whether there was an instant between from and to at which readers did not see the
// record.
func (t *thing) hidden(from, to time.Time) bool {
	if t.at(from) == nil {
		return true
	}
	for i := range t.versions {
		if v := &t.versions[i]; v.gone && v.visible.After(from) && !v.visible.After(to) {
			return true
		}
	}
	return false
}

// upstream is one list on virtual time.
type upstream struct {
	now    time.Time
	things []*thing
	stamp  int
	// headers says that the list leaves out the lines; only single records have them.
	headers bool
	// batched says that one call brings several single records.
	batched bool
	// backdates says that some records are created under an earlier time.
	backdates bool
	// perPage is the largest page size; fixed says that it is the only one.
	perPage int
	fixed   bool
	// wobbles and named are those of the swarm.
	wobbles, named bool
	// asked says when each call left, by the clock of the database.
	asked map[int64]time.Time
	// changed, if set, is called after each change.
	changed func(*thing)
}

// pageSize returns the size of the pages that answer a call.
func (u *upstream) pageSize(request pipeline.Request) int {
	if u.fixed || request.PerPage <= 0 {
		return u.perPage
	}
	return min(request.PerPage, u.perPage)
}

// shows returns the things that a list shows at an instant, in the requested order.
func (u *upstream) shows(request pipeline.Request, at time.Time, filter, sorts bool, call int64) []*thing {
	var list []*thing
	for _, t := range u.things {
		v := t.at(at)
		if v == nil || filter && !request.Since.IsZero() && v.modified.Before(request.Since.Truncate(time.Second)) {
			continue
		}
		list = append(list, t)
	}
	tie := func(*thing) uint64 { return 0 }
	if u.wobbles {
		tie = func(t *thing) uint64 { return mix(uint64(call), t.id, 0) }
	}
	if u.named && (request.Sort == "" || !sorts) {
		slices.SortStableFunc(list, func(a, b *thing) int { return cmp.Compare(a.name(at), b.name(at)) })
		return list
	}
	key := func(t *thing) time.Time { return t.created }
	if sorts && request.Sort == "last_modified_time" {
		key = func(t *thing) time.Time { return t.at(at).modified }
	}
	slices.SortStableFunc(list, func(a, b *thing) int {
		if request.Order == "A" {
			return cmp.Or(key(a).Compare(key(b)), cmp.Compare(tie(a), tie(b)))
		}
		return cmp.Or(key(b).Compare(key(a)), cmp.Compare(tie(a), tie(b)))
	})
	return list
}

// name is a text that every edit changes.
func (t *thing) name(at time.Time) uint64 { return mix(uint64(t.at(at).value), t.id, 1) }

// backdatedOneIn is how many records there are to one that is created under an earlier time.
const backdatedOneIn = 5

const wireTime = "2006-01-02T15:04:05-0700"

// wire returns the bytes of a record on the wire: with its lines if whole, else without them.
func (t *thing) wire(v *edition, whole bool) []byte {
	kept := &v.header
	if whole {
		kept = &v.whole
	}
	if *kept == nil {
		*kept = t.encode(v, whole)
	}
	return *kept
}

func (t *thing) encode(v *edition, whole bool) []byte {
	out := make([]byte, 0, 256)
	if v.nameless {
		out = append(append(out, `{"thing_id":["`...), t.id...) // two records are never the same bytes
		out = append(out, `"],"value":`...)
	} else {
		out = append(out, `{"thing_id":"`...)
		out = append(out, t.id...)
		out = append(out, `","value":`...)
	}
	if v.poison {
		out = append(out, `"many"`...)
	} else {
		out = strconv.AppendInt(out, int64(v.value), 10)
	}
	out = append(out, `,"created_time":"`...)
	out = t.created.AppendFormat(out, wireTime)
	out = append(out, `","last_modified_time":"`...)
	out = v.modified.AppendFormat(out, wireTime)
	out = append(out, '"')
	if whole {
		out = append(out, `,"lines":[`...)
		for i := range v.lines {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(out, `{"line_id":"`...), t.id...)
			out = strconv.AppendInt(append(out, '-'), int64(i), 10)
			out = append(strconv.AppendInt(append(out, `","stamp":`...), int64(v.value), 10), '}')
		}
		out = append(out, ']')
	}
	return append(out, '}')
}

// write adds a version to a thing.
func (u *upstream) write(t *thing, v edition) {
	u.stamp++
	v.value = u.stamp
	if v.modified.IsZero() {
		v.modified = u.now.Truncate(time.Second)
	}
	if v.visible.IsZero() {
		v.visible = u.now
	}
	// A later write never becomes visible before an earlier one of the same record.
	if n := len(t.versions); n > 0 && t.versions[n-1].visible.After(v.visible) {
		v.visible = t.versions[n-1].visible
	}
	t.versions = append(t.versions, v)
	if u.changed != nil {
		u.changed(t)
	}
}

func (u *upstream) insert(v edition) {
	t := &thing{id: fmt.Sprintf("%03d", len(u.things)+1), created: u.now.Truncate(time.Second)}
	if n := len(u.things); u.backdates && n%backdatedOneIn == 0 {
		t.created = u.things[n/2].created
	}
	u.things = append(u.things, t)
	u.write(t, v)
}

// living picks one of the things that are not deleted; nil if there is none.
func (u *upstream) living(n uint32) *thing {
	var alive []*thing
	for _, t := range u.things {
		if !t.last().gone {
			alive = append(alive, t)
		}
	}
	if len(alive) == 0 {
		return nil
	}
	return alive[int(n)%len(alive)]
}

// dead picks one of the deleted things; nil if there is none.
func (u *upstream) dead(n uint32) *thing {
	var gone []*thing
	for _, t := range u.things {
		if t.last().gone {
			gone = append(gone, t)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return gone[int(n)%len(gone)]
}

// thing returns the thing of an identifier; nil if there is none.
func (u *upstream) thing(id string) *thing {
	for _, t := range u.things {
		if t.id == id {
			return t
		}
	}
	return nil
}
