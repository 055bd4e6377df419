package world

import (
	"fmt"
	"slices"
	"strconv"
)

// ChatFields lists the columns of the conversation export, in the document's order.
func ChatFields() []string {
	return []string{"title", "chat_id", "creation_time", "last_modified_time", "participant_count", "total_message_count", "creator_id"}
}

// ChatField answers one column of chat i as text; false for an unknown column.
func (w *World) ChatField(i int, name string) (string, bool) {
	switch name {
	case "title":
		title := w.words.titles[w.draw(Chats, i, fieldName, len(w.words.titles))]
		if n := w.edits(Chats, i); n > 0 {
			title = fmt.Sprintf("%s (renamed %d)", title, n)
		}
		return title, true
	case "chat_id":
		return w.ID(Chats, i), true
	case "creation_time":
		return w.stamp(w.created(Chats, i)), true
	case "last_modified_time":
		return w.stamp(w.Modified(Chats, i)), true
	case "participant_count":
		return strconv.Itoa(2 + w.draw(Chats, i, fieldLines, 40)), true // at least two talk.
	case "total_message_count":
		return strconv.Itoa(w.draw(Chats, i, fieldAmount, 20_000) + 3*w.edits(Chats, i)), true // three messages an edit.
	case "creator_id":
		return fixedID(groupUser, w.draw(Chats, i, fieldVendor, 50)), true // fifty users.
	default:
		return "", false
	}
}

func (w *World) chat(o *writer, i int) {
	for name := range slices.Values(ChatFields()) {
		value, _ := w.ChatField(i, name)
		o.text(name, value)
	}
}
