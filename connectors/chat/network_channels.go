package chat

import "sluice/schema"

// networkChannels declares the channels of networks, one list for each network that the
// configuration names. Source: docs/upstream.md U4, U250 and U257. Identifiers are unique within
// one network only, as far as is known.
func networkChannels() schema.Resource {
	return schema.Resource{
		Name:   "network_channels",
		Doc:    "A channel of a network: a chat space that the organization shares with partners.",
		Path:   "/network/{parent}/api/v2/channels",
		Paging: schema.PagingToken,
		Key:    "channels",
		ID:     "network_channel_id",
		Scope:  "Channels",
		Cursor: schema.PerParent{
			Column:     "network",
			Listed:     schema.ListedNetworks,
			Identifier: "channel_id",
			List:       schema.FullScan{Modified: "last_modified_time"},
		},
		Every: "12h",
		Columns: append(ofNetwork(
			schema.ID("network_channel_id", "Network and identifier of the channel with a slash between them."),
		), channelColumns()...),
		Children: []schema.Child{lastMessage()},
		Assumed: []string{
			"Fields of channels are not shown.",
			"The list goes on by limit and next_token.",
			"Identifiers of channels are unique within their network only.",
		},
	}
}

// ofNetwork gives the key and the network of a record that was listed under one.
func ofNetwork(key schema.Column) []schema.Column {
	return []schema.Column{
		key.Give(),
		schema.ID("network", "Name or identifier of the network, as the configuration lists it.").Give(),
	}
}
