package chat

import "sluice/schema"

// channels declares the list of channels. Source: docs/upstream.md U121 and U250. The document
// shows the key of the list and none of a channel's fields: all are assumed, and keys that they
// miss are kept and counted as drift. That the list goes on by token: U86.
func channels() schema.Resource {
	return schema.Resource{
		Name:    "channels",
		Doc:     "A channel of the organization's team chat: a named room for a group or for everybody.",
		Path:    "/api/v2/channels",
		Paging:  schema.PagingToken,
		Key:     "channels",
		ID:      "channel_id",
		Scope:   "Channels",
		Cursor:  schema.FullScan{Modified: "last_modified_time"},
		Every:   "12h",
		Columns: channelColumns(),
		Assumed: []string{
			"Fields of channels are not shown.",
			"The list goes on by limit and next_token.",
			"Without the parameters joined and pinned the list holds every channel that the user can see.",
		},
	}
}

// channelColumns returns the same within the organization and within a network.
func channelColumns() []schema.Column {
	return []schema.Column{
		schema.ID("channel_id", "Identifier of the channel, as the chat service gives it.").Assume(),
		schema.Text("name", "Name of the channel as its members see it.").Is(schema.FreeText).Assume(),
		schema.Text("unique_name", "Name of the channel that does not change and that programs post by.").Is(schema.FreeText).Assume(),
		schema.Text("description", "What the channel is for, in the words of its owner.").Is(schema.FreeText).Assume(),
		schema.Text("level", "How far the channel reaches, such as organization, team or private.").Is(schema.Plain).Assume(),
		schema.Text("status", "Whether the channel is in use, such as created or archived.").Is(schema.Plain).Assume(),
		schema.Bool("joined", "Whether the user whose credentials are used is a member of the channel.").Assume(),
		schema.Bool("pinned", "Whether that user keeps the channel at the top of the list.").Assume(),
		schema.Int("participant_count", "Number of members at the time of the last read.").Assume(),
		schema.Int("total_message_count", "Number of messages ever written in it, at the time of the last read.").Assume(),
		schema.ID("creator_id", "Identifier of the user who made the channel.").Assume(),
		schema.Text("creator_name", "Name of the user who made the channel.").Is(schema.Person).Assume(),
		schema.ID("chat_id", "Identifier of the channel's conversation, the key of conversations.").Assume(),
		schema.Time("creation_time", "When the channel was made.").Assume(),
		schema.Time("last_modified_time", "When the channel last changed, such as by a new message.").Assume(),
	}
}
