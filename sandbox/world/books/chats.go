package books

import (
	"fmt"
	"strconv"

	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
)

const milliseconds = 1000 // of a second

// ChatFields lists the columns of the conversation export, in the document's order.
func ChatFields() []string {
	return []string{"title", "chat_id", "creation_time", "last_modified_time", "participant_count", "total_message_count", "creator_id"}
}

// ChatField answers one column of chat i as text; false for an unknown column.
func (w *Books) ChatField(i int, name string) (string, bool) {
	switch name {
	case "title":
		title := w.Words.Titles[w.Draw(ids.Chats, i, draw.Name, len(w.Words.Titles))]
		if n := w.Edits(ids.Chats, i); n > 0 {
			title = fmt.Sprintf("%s (renamed %d)", title, n)
		}
		return title, true
	case "chat_id":
		return ids.Of(ids.Chats, i), true
	case "creation_time":
		return w.chatTime(w.Created(ids.Chats, i)), true
	case "last_modified_time":
		return w.chatTime(w.Modified(ids.Chats, i)), true
	case "participant_count":
		return strconv.Itoa(2 + w.Draw(ids.Chats, i, draw.Lines, 40)), true // at least two talk.
	case "total_message_count":
		return strconv.Itoa(w.Draw(ids.Chats, i, draw.Amount, 20_000) + 3*w.Edits(ids.Chats, i)), true // three messages an edit.
	case "creator_id":
		return ids.Fixed(ids.GroupUser, w.Draw(ids.Chats, i, draw.Vendor, 50)), true // fifty users.
	default:
		return "", false
	}
}

// chatTime writes an instant in one of the two ways that live services have
// (upstream facts, Chat export).
func (w *Books) chatTime(seconds int64) string {
	if w.ChatEpoch {
		return strconv.FormatInt(seconds*milliseconds, 10)
	}
	return w.Stamp(seconds)
}
