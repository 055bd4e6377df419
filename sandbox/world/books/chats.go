package books

import (
	"fmt"
	"strconv"

	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/words"
)

const milliseconds = 1000 // of a second

// ChatFields returns the columns of the conversation export, in the document's order.
func ChatFields() []string {
	return []string{"title", "chat_id", "creation_time", "last_modified_time", "participant_count", "total_message_count", "creator_id"}
}

// ChatField returns one column of chat i of the organization, or of one of its networks, as text;
// false for an unknown column.
func (w *Books) ChatField(kind ids.Kind, i int, name string) (string, bool) {
	switch name {
	case "title":
		title := w.Words.Titles[w.Draw(kind, i, draw.Name, len(w.Words.Titles))]
		if n := w.Edits(kind, i); n > 0 {
			title = fmt.Sprintf("%s (renamed %d)", title, n)
		}
		return title, true
	case "chat_id":
		if kind == ids.NetworkChats {
			i = w.Within(i)
		}
		return ids.Of(kind, i), true
	case "creation_time":
		return w.chatTime(w.Created(kind, i)), true
	case "last_modified_time":
		return w.chatTime(w.Modified(kind, i)), true
	case "participant_count":
		return strconv.Itoa(2 + w.Draw(kind, i, draw.Lines, 40)), true // at least two people talk.
	case "total_message_count":
		return strconv.Itoa(w.Draw(kind, i, draw.Amount, 20_000) + 3*w.Edits(kind, i) + w.Quiet(kind, i)), true // three messages an edit.
	case "creator_id":
		return ids.Fixed(ids.GroupUser, w.Draw(kind, i, draw.Vendor, words.Users)), true
	default:
		return "", false
	}
}

// chatTime formats an instant in one of the two forms of live services (docs/upstream.md U256).
func (w *Books) chatTime(seconds int64) string {
	if w.ChatEpoch {
		return strconv.FormatInt(seconds*milliseconds, 10)
	}
	return w.Stamp(seconds)
}

// Channel is the content of a channel without its times; the documents show none of its keys.
type Channel struct {
	ID, Chat, Name, Unique, Description, Level, Status string
	CreatorID, CreatorName                             string
	Participants, Messages                             int
	Joined, Pinned                                     bool
}

// ChannelAt returns channel i of the organization, or of one of its networks.
func (w *Books) ChannelAt(kind ids.Kind, i int) Channel {
	number, chats := i, ids.Chats
	if kind == ids.NetworkChannels {
		number, chats = w.Within(i), ids.NetworkChats
	}
	edits := w.Edits(kind, i)
	topic := [...]string{"launch", "accounts", "standup", "büro", "warehouse", "support"}[w.Draw(kind, i, draw.Name, 6)]
	unique := words.Slug(topic) + fmt.Sprintf("-%d", number+1)
	creator, name := words.User(w.Draw(kind, i, draw.Vendor, words.Users))
	description := w.Words.Remarks[w.Draw(kind, i, draw.Text, len(w.Words.Remarks))]
	if edits > 0 {
		description = fmt.Sprintf("%s (changed %d)", description, edits)
	}
	return Channel{
		ID: ids.Of(kind, number), Chat: ids.Of(chats, number%w.chatsOf(chats)), Name: "#" + topic, Unique: unique, Description: description,
		Level:     [...]string{"organization", "team", "private"}[w.Draw(kind, i, draw.Kind, 3)],
		Status:    [...]string{"created", "archived"}[w.Draw(kind, i, draw.Status, 6)/5], // one in six.
		CreatorID: creator, CreatorName: name,
		Participants: 2 + w.Draw(kind, i, draw.Lines, 40), // at least two people talk.
		Messages:     w.Draw(kind, i, draw.Amount, 20_000) + 3*edits + w.Quiet(kind, i),
		Joined:       !w.One(4, kind, i, draw.Place), Pinned: w.One(4, kind, i, draw.Absent), // one in four each.
	}
}

// chatsOf returns the number of chats that a channel can belong to.
func (w *Books) chatsOf(kind ids.Kind) int {
	if kind == ids.NetworkChats {
		return max(1, w.Initial[kind]/len(w.Networks))
	}
	return w.Initial[kind]
}
