package further

import "sluice/schema"

// chat are further lists of the chat service.
func chat() []schema.Resource {
	return []schema.Resource{
		list(schema.Resource{
			Name: "chat_users", Doc: "A user of the chat service.", Path: "/api/v2/users", Key: "data", ID: "id", Scope: "Users",
			Paging: schema.PagingToken, Cursor: schema.FullScan{},
			Columns: []schema.Column{
				schema.ID("id", "Identifier of the user.").As("user_id"),
				schema.Text("name", "Name of the user.").Is(schema.Person),
				schema.Text("email_id", "Address of the user.").Is(schema.Contact),
				schema.Text("status", "Where the account of the user stands.").Is(schema.Plain),
			},
		}),
		list(schema.Resource{
			Name: "chat_departments", Doc: "A department of the organization.", Path: "/api/v2/departments", Key: "data", ID: "id", Scope: "Departments",
			Paging: schema.PagingToken, Cursor: schema.FullScan{},
			Columns: []schema.Column{
				schema.ID("id", "Identifier of the department.").As("department_id"),
				schema.Text("name", "Name of the department.").Is(schema.Plain),
			},
		}),
	}
}
