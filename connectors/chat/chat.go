// Package chat declares the chat service: data only, it cannot do anything.
//
// Start reading at Service, then conversations: one file each.
package chat

import "sluice/schema"

// Service declares the chat service. Its organization is that of the token and is not sent. Source:
// docs/upstream.md U3, U8, U13 and U14; the figures of the limits: U46, where the document knows
// none (U45).
func Service() schema.Service {
	plan := schema.Plan{Concurrent: 5}
	return schema.Service{
		Name:  "chat",
		Doc:   "Conversations of the organization's team chat: who talks where, and how much.",
		Host:  schema.HostChat,
		Scope: "Chat",
		// No answer is shown with a code (docs/upstream.md U70).
		Envelope: schema.EnvelopePlain,
		Limits: schema.Limits{
			Shared:    "chat",
			PerMinute: 30,
			Plans:     map[string]schema.Plan{"free": plan, "standard": plan},
		},
		Probe: schema.Probe{
			Path:   "/maintenanceapi/v2/chats",
			Query:  map[string]string{"fields": "chat_id"},
			Format: schema.FormatCSV,
		},
		Resources: []schema.Resource{channels(), conversations(), networkChannels(), networkConversations()},
	}
}
