package further

import "sluice/schema"

// billing are further lists of the subscription-billing service, whose records call their
// modification time updated_time.
func billing() []schema.Resource {
	changed := schema.FullScan{Modified: "updated_time", Created: "created_time"}
	both := []schema.Column{
		schema.Time("created_time", "When the record was entered."),
		schema.Time("updated_time", "When the record last changed."),
	}
	named := func(name, doc, path, id string) schema.Resource {
		return list(schema.Resource{
			Name: name, Doc: doc, Path: path, Key: path[1:], ID: id, Scope: path[1:], Cursor: changed,
			Columns: columns(key(id, "record"), []schema.Column{
				schema.Text("name", "Name that customers see.").Is(schema.Plain),
				schema.Text("status", "active or inactive.").Is(schema.Plain),
			}, both),
		})
	}
	return []schema.Resource{
		list(schema.Resource{
			Name: "subscriptions", Doc: "What a customer subscribed to.", Path: "/subscriptions", Key: "subscriptions", ID: "subscription_id",
			Scope: "subscriptions", Cursor: changed, Single: single("/subscriptions", "subscription"),
			Columns: columns(key("subscription_id", "subscription"), party("customer"), []schema.Column{
				schema.ID("plan_code", "Code of the plan."),
				schema.Text("plan_name", "Name of the plan.").Is(schema.Plain),
				schema.Text("status", "Where the subscription stands.").Is(schema.Plain),
				schema.Decimal("amount", "Price of one period, in its currency."),
				schema.ID("currency_code", "ISO code of its currency."),
				schema.Date("current_term_starts_at", "First day of the present period."),
				schema.Date("current_term_ends_at", "Last day of the present period."),
				schema.Date("next_billing_at", "Day of the next charge."),
			}, both),
		}),
		list(schema.Resource{
			Name: "customers", Doc: "A customer of subscriptions.", Path: "/customers", Key: "customers", ID: "customer_id", Scope: "customers",
			Cursor: changed, Single: single("/customers", "customer"),
			Columns: columns(key("customer_id", "customer"), []schema.Column{
				schema.Text("customer_name", "Name of the customer.").Is(schema.Company),
				schema.Text("company_name", "Name of the business.").Is(schema.Company),
				schema.Text("email", "Address of the customer.").Is(schema.Contact),
				schema.Text("status", "active or inactive.").Is(schema.Plain),
				schema.ID("currency_code", "ISO code of its currency."),
			}, both),
		}),
		list(schema.Resource{
			Name: "billing_invoices", Doc: "What a customer was charged for a subscription.", Path: "/invoices", Key: "invoices", ID: "invoice_id",
			Scope: "invoices", Cursor: changed, Single: single("/invoices", "invoice"),
			Columns: columns(key("invoice_id", "invoice"), []schema.Column{
				schema.ID("invoice_number", "Number of the invoice."),
				schema.Text("status", "Where the invoice stands.").Is(schema.Plain),
				schema.Date("invoice_date", "Day of the invoice."),
				dueDate(),
				schema.ID("currency_code", "ISO code of its currency."),
				schema.Decimal("total", "Sum with tax, in its currency."),
				balance("invoice"),
			}, party("customer"), both),
		}),
		named("plans", "What can be subscribed to.", "/plans", "plan_code"),
		named("addons", "What can be added to a plan.", "/addons", "addon_code"),
		named("coupons", "A reduction of a price.", "/coupons", "coupon_code"),
		named("products", "A group of plans.", "/products", "product_id"),
	}
}
