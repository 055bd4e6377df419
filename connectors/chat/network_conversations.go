package chat

import "sluice/schema"

// networkConversations declares the maintenance export of networks, one body for each network that
// the configuration names. Source: docs/upstream.md U4, U251 to U253 and U257.
func networkConversations() schema.Resource {
	return schema.Resource{
		Name:  "network_conversations",
		Doc:   "A conversation of a network, with its size and age but not its messages.",
		Path:  "/network/{parent}/maintenanceapi/v2/chats",
		ID:    "network_chat_id",
		Scope: "OrganizationChats",
		Cursor: schema.PerParent{
			Column:     "network",
			Listed:     schema.ListedNetworks,
			Identifier: "chat_id",
			List:       schema.Export{Modified: "last_modified_time", FieldsParam: "fields"},
		},
		Every: "24h",
		Columns: append(ofNetwork(
			schema.ID("network_chat_id", "Network and identifier of the conversation with a slash between them."),
		), conversationColumns("Identifier of the conversation; unique within its network.")...),
		Assumed: []string{
			"Whether a header row comes first is not shown; both are accepted.",
			"The form of the two times is not shown; ISO 8601 and epoch milliseconds are accepted.",
			"Identifiers of conversations are unique within their network only.",
		},
	}
}
