package channel

import (
	"fmt"
	"slices"
	"strings"
)

// Users is the pseudo-module of users (docs/upstream.md U273).
const Users = "users"

// Module is a kind of records whose actions can be subscribed to.
type Module struct {
	Name   string // its API name: words joined by underscores
	ID     string
	Fields []Field
}

// Field is a field of a module.
type Field struct{ Name, ID string }

// field finds a field by its API name.
func (m Module) field(name string) (Field, bool) {
	at := slices.IndexFunc(m.Fields, func(f Field) bool { return f.Name == name })
	if at < 0 {
		return Field{}, false
	}
	return m.Fields[at], true
}

// Catalogue lists modules.
type Catalogue []Module

// Find finds a module by its API name.
func (c Catalogue) Find(name string) (Module, bool) {
	at := slices.IndexFunc(c, func(m Module) bool { return m.Name == name })
	if at < 0 {
		return Module{}, false
	}
	return c[at], true
}

// documented returns the modules of docs/upstream.md U273, each with some invented fields: the
// document names the modules and no field.
func documented() []Module {
	return []Module{
		own("Leads", "First_Name Last_Name Company Email Phone Mobile Lead_Source Lead_Status Industry Annual_Revenue City"),
		own("Accounts", "Account_Name Account_Type Industry Phone Website Billing_City"),
		own("Contacts", "First_Name Last_Name Account_Name Email Phone Department"),
		own("Deals", "Deal_Name Account_Name Contact_Name Stage Amount Closing_Date Probability Type Lead_Source Next_Step Expected_Revenue"),
		own("Campaigns", "Campaign_Name Status Start_Date End_Date Budgeted_Cost"),
		own("Tasks", "Subject Due_Date Status Priority"),
		own("Cases", "Subject Case_Origin Status Priority"),
		own("Meetings", "Event_Title Start_DateTime End_DateTime Venue"),
		own("Calls", "Subject Call_Type Call_Start_Time Call_Duration"),
		own("Solutions", "Solution_Title Status Question Answer"),
		own("Products", "Product_Name Product_Code Unit_Price Qty_in_Stock"),
		own("Vendors", "Vendor_Name Email Phone Category"),
		own("Price_Books", "Price_Book_Name Active Pricing_Model"),
		own("Quotes", "Subject Quote_Stage Account_Name Grand_Total"),
		own("Sales_Orders", "Subject Status Account_Name Grand_Total"),
		own("Purchase_Orders", "Subject Status Vendor_Name Grand_Total"),
		own("Invoices", "Subject Status Account_Name Invoice_Date Due_Date Grand_Total"),
		own("Appointments", "Appointment_Name Status Service_Name Appointment_Start_Time"),
		own("Appointments_Rescheduled_History", "Appointment_Name Rescheduled_From Rescheduled_To"),
		own("Services", "Service_Name Duration Price"),
		own(Users, "first_name last_name email status role profile"),
	}
}

func own(name, fields string) Module {
	module := Module{Name: name}
	for field := range strings.FieldsSeq(fields + " Owner Description Created_Time Modified_Time") {
		module.Fields = append(module.Fields, Field{Name: field})
	}
	return module
}

// Modules returns the documented modules and others: custom modules, subforms and linking modules,
// each by its own API name (docs/upstream.md U273). A given module replaces a documented one of the
// same name. Empty ids are filled, the same way each time.
func Modules(others ...Module) Catalogue {
	catalogue := Catalogue(documented())
	for _, other := range others {
		other.Fields = slices.Clone(other.Fields)
		if at := slices.IndexFunc(catalogue, func(m Module) bool { return m.Name == other.Name }); at >= 0 {
			catalogue[at] = other
			continue
		}
		catalogue = append(catalogue, other)
	}
	for m := range catalogue {
		const perModule = 1000 // distance between the ids of two modules
		number := (m + 1) * perModule
		number = identify(&catalogue[m].ID, number)
		for f := range catalogue[m].Fields {
			number = identify(&catalogue[m].Fields[f].ID, number)
		}
	}
	return catalogue
}

// identify fills a missing id and returns the next number.
func identify(id *string, number int) int {
	if *id == "" {
		*id = fmt.Sprintf("554023%012d", number)
	}
	return number + 1
}
