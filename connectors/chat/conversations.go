package chat

import "sluice/schema"

// conversations declares the maintenance export. Source: docs/upstream.md U251 to U253.
func conversations() schema.Resource {
	return schema.Resource{
		Name:    "conversations",
		Doc:     "A chat, channel or bot conversation of the organization, with its size and age but not its messages.",
		Path:    "/maintenanceapi/v2/chats",
		ID:      "chat_id",
		Scope:   "OrganizationChats",
		Cursor:  schema.Export{Modified: "last_modified_time", FieldsParam: "fields"},
		Every:   "24h",
		Columns: conversationColumns("Identifier of the conversation; unique within the organization."),
		Assumed: []string{
			"Whether a header row comes first is not shown; both are accepted.",
			"The form of the two times is not shown; ISO 8601 and epoch milliseconds are accepted.",
		},
	}
}

// conversationColumns returns the fields that can be asked for, all of them; chatID is the sentence
// of the identifier.
func conversationColumns(chatID string) []schema.Column {
	return []schema.Column{
		schema.ID("chat_id", chatID),
		schema.Text("title", "Title as its participants see it; free text, not unique, may hold line breaks.").Is(schema.FreeText),
		schema.Time("creation_time", "When the conversation was opened."),
		schema.Time("last_modified_time", "When the conversation last changed, such as by a new message."),
		schema.Int("participant_count", "Number of participants at the time of the export."),
		schema.Int("total_message_count", "Number of messages ever written in it; falling figures point at deletions."),
		schema.ID("creator_id", "Identifier of the user who opened the conversation."),
	}
}
