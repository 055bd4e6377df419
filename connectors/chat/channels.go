package chat

import "sluice/schema"

// channels declares the list of channels. Source: docs/upstream.md U121 and U250. The document
// shows the key of the list and none of a channel's fields: all are assumed (U323 and U339), and
// keys that they miss are kept and counted as drift. The picture of a channel comes with the single
// record alone, which is not read. That the list goes on by token: U86.
func channels() schema.Resource {
	return schema.Resource{
		Name:     "channels",
		Doc:      "A channel of the organization's team chat: a named room for a group or for everybody.",
		Path:     "/api/v2/channels",
		Paging:   schema.PagingToken,
		Key:      "channels",
		ID:       "channel_id",
		Scope:    "Channels",
		Cursor:   schema.FullScan{Modified: "last_modified_time"},
		Every:    "12h",
		Columns:  channelColumns(),
		Children: []schema.Child{lastMessage()},
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
		schema.ID("organization_id", "Identifier of the chat's organization; another number than that of the other services.").
			As("chat_organization_id").Assume(),
		schema.Bool("invite_only", "Whether members come by invitation alone.").Assume(),
		schema.Text("current_user_role", "Role in the channel of the user whose credentials are used, such as super_admin.").Is(schema.Plain).Assume(),
		schema.JSON("teams", "Teams that the channel belongs to, kept as JSON because their identifiers are the keys.").Is(schema.FreeText).Assume(),
		schema.Int("unread_message_count", "Number of messages that the same user did not read yet.").Assume(),
		schema.Time("unread_time", "Since when messages are unread by the same user.").Assume(),
		schema.Text("muted_interval", "How long the same user muted the channel.").Is(schema.Plain).Assume(),
		schema.JSON("admin_permission", permissions("administrators")).Is(schema.Plain).Assume(),
		schema.JSON("moderator_permission", permissions("moderators")).Is(schema.Plain).Assume(),
		schema.JSON("member_permission", permissions("members")).Is(schema.Plain).Assume(),
	}
}

func permissions(of string) string {
	return "What " + of + " may do, kept as JSON because the switches are many and tell nothing of messages."
}

// lastMessage declares the newest message without its text: messages are not copied.
func lastMessage() schema.Child {
	return schema.Child{
		Name:   "last_message_info",
		Doc:    "Who wrote the newest message of a channel and when, without the message.",
		Object: true,
		Columns: []schema.Column{
			schema.ID("sender_id", "Identifier of the user who wrote the message.").Assume(),
			schema.Text("sender_name", "Name of the user who wrote the message.").Is(schema.Person).Assume(),
			schema.Text("message_type", "Kind of the message, such as text.").Is(schema.Plain).Assume(),
			schema.Time("time", "When the message was written.").Assume(),
		},
		Ignored: map[string]string{"text": "what people write to each other is not copied"},
	}
}
