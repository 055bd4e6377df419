-- +goose Up
-- Columns for what live services send beyond the API documents (docs/upstream.md U310 to U389).
ALTER TABLE "accounting"."chart_of_accounts" ADD COLUMN "closing_balance" numeric;
COMMENT ON COLUMN "accounting"."chart_of_accounts"."closing_balance" IS 'Balance at the time of the last read, in the currency of the account; the single record alone has it.';
ALTER TABLE "accounting"."chart_of_accounts" ADD COLUMN "isdebit" boolean;
COMMENT ON COLUMN "accounting"."chart_of_accounts"."isdebit" IS 'Whether the closing balance is a debit.';
ALTER TABLE "accounting"."chart_of_accounts" ADD COLUMN "status" text;
COMMENT ON COLUMN "accounting"."chart_of_accounts"."status" IS 'Whether amounts can still be booked on the account, in words; is_active says the same.';
ALTER TABLE "accounting"."chart_of_accounts" ADD COLUMN "placeholder" text;
COMMENT ON COLUMN "accounting"."chart_of_accounts"."placeholder" IS 'Fixed name of an account that the service created (gl_ and a word), the same in every language; empty for the organization''s own.';
ALTER TABLE "accounting"."chart_of_accounts" ADD COLUMN "show_on_dashboard" boolean;
COMMENT ON COLUMN "accounting"."chart_of_accounts"."show_on_dashboard" IS 'Whether the account is in the list of the start page.';
ALTER TABLE "accounting"."chart_of_accounts" ADD COLUMN "is_register_supported_account" boolean;
COMMENT ON COLUMN "accounting"."chart_of_accounts"."is_register_supported_account" IS 'Whether the account can be shown as a running register, as bank accounts are.';
ALTER TABLE "accounting"."chart_of_accounts" ADD COLUMN "account_code_prefix" text;
COMMENT ON COLUMN "accounting"."chart_of_accounts"."account_code_prefix" IS 'Beginning of account_code, where the chart is numbered by rule.';
ALTER TABLE "accounting"."chart_of_accounts" ADD COLUMN "generation_number" text;
COMMENT ON COLUMN "accounting"."chart_of_accounts"."generation_number" IS 'Part of account_code that counts up, where the chart is numbered by rule.';
ALTER TABLE "accounting"."chart_of_accounts" ADD COLUMN "opening_balances" jsonb;
COMMENT ON COLUMN "accounting"."chart_of_accounts"."opening_balances" IS 'Balance at the start of the books, kept as JSON because the list of opening balances has it in columns.';
ALTER TABLE "accounting"."chart_of_accounts" ADD COLUMN "transactions" jsonb;
COMMENT ON COLUMN "accounting"."chart_of_accounts"."transactions" IS 'The latest few bookings, kept as JSON because they are a preview and no ledger.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "status" text;
COMMENT ON COLUMN "accounting"."vendor_payments"."status" IS 'Where the payment stands; paid is the value seen.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "currency_code" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments"."currency_code" IS 'ISO code of the currency of the payment.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "bcy_amount" numeric;
COMMENT ON COLUMN "accounting"."vendor_payments"."bcy_amount" IS 'Amount paid, in the base currency; the list alone has it.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "bcy_balance" numeric;
COMMENT ON COLUMN "accounting"."vendor_payments"."bcy_balance" IS 'Part of the amount that no bill was settled with yet, in the base currency; the list alone has it.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "bill_numbers" text;
COMMENT ON COLUMN "accounting"."vendor_payments"."bill_numbers" IS 'Numbers of the bills that the payment settles, in one text; the list alone has it.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "offset_account_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments"."offset_account_id" IS 'Identifier of the account on the other side: payables, or prepaid expenses for an advance.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "offset_account_name" text;
COMMENT ON COLUMN "accounting"."vendor_payments"."offset_account_name" IS 'Name of the account on the other side.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "created_by_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments"."created_by_id" IS 'Identifier of the user who entered the payment.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "created_by_name" text;
COMMENT ON COLUMN "accounting"."vendor_payments"."created_by_name" IS 'Name of the user who entered the payment.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "has_attachment" boolean;
COMMENT ON COLUMN "accounting"."vendor_payments"."has_attachment" IS 'Whether a file is attached to the payment; the list alone has it.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "bank_charges" numeric;
COMMENT ON COLUMN "accounting"."vendor_payments"."bank_charges" IS 'Fee that the bank took for the payment, in the currency of the payment.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "bank_charges_account_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments"."bank_charges_account_id" IS 'Identifier of the account that the fee is booked on.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "bank_charges_account_name" text;
COMMENT ON COLUMN "accounting"."vendor_payments"."bank_charges_account_name" IS 'Name of the account that the fee is booked on.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "ach_gw_transaction_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments"."ach_gw_transaction_id" IS 'Identifier of the direct bank debit (ACH) at the gateway; US edition only.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "gw_reference_number" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments"."gw_reference_number" IS 'Number that the gateway gave the payment.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "is_online_payment" boolean;
COMMENT ON COLUMN "accounting"."vendor_payments"."is_online_payment" IS 'Whether a connected gateway paid it.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "transfer_type" text;
COMMENT ON COLUMN "accounting"."vendor_payments"."transfer_type" IS 'Kind of the bank transfer.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "payment_number_prefix" text;
COMMENT ON COLUMN "accounting"."vendor_payments"."payment_number_prefix" IS 'Beginning of payment_number, before the part that counts up.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "payment_number_suffix" text;
COMMENT ON COLUMN "accounting"."vendor_payments"."payment_number_suffix" IS 'The part of payment_number that counts up.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "purpose_code" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments"."purpose_code" IS 'Code of the purpose that banks ask for on transfers abroad.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "credit_account_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments"."credit_account_id" IS 'Identifier of the account of a credit that paid in place of money.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "tax_account_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments"."tax_account_id" IS 'Identifier of the account that withheld tax is booked on.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "tds_tax_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments"."tds_tax_id" IS 'Identifier of the tax that was withheld at source.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "tds_calculation_type" text;
COMMENT ON COLUMN "accounting"."vendor_payments"."tds_calculation_type" IS 'Whether tax was withheld by line or for the whole payment.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "is_tds_amount_in_percent" boolean;
COMMENT ON COLUMN "accounting"."vendor_payments"."is_tds_amount_in_percent" IS 'Whether the withheld tax was entered as a rate.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "total_payment_amount" numeric;
COMMENT ON COLUMN "accounting"."vendor_payments"."total_payment_amount" IS 'Amount paid plus tax withheld, in the currency of the payment; in India.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "is_advance_payment" boolean;
COMMENT ON COLUMN "accounting"."vendor_payments"."is_advance_payment" IS 'Whether it was paid before any bill; in India.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "product_description" text;
COMMENT ON COLUMN "accounting"."vendor_payments"."product_description" IS 'What was paid for in advance, in the user''s words; in India.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "is_pre_gst" boolean;
COMMENT ON COLUMN "accounting"."vendor_payments"."is_pre_gst" IS 'Whether the payment dates from before GST; in India.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "indirect_tds_tax_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments"."indirect_tds_tax_id" IS 'Identifier of the tax withheld on top of the payment; in India.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "indirect_tds_tax_amount" numeric;
COMMENT ON COLUMN "accounting"."vendor_payments"."indirect_tds_tax_amount" IS 'Tax withheld on top of the payment, in its currency; in India.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "indirect_tcs_tax_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments"."indirect_tcs_tax_id" IS 'Identifier of the tax collected on top of the payment; in India.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "indirect_tcs_tax_amount" numeric;
COMMENT ON COLUMN "accounting"."vendor_payments"."indirect_tcs_tax_amount" IS 'Tax collected on top of the payment, in its currency; in India.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "tds_summary" jsonb;
COMMENT ON COLUMN "accounting"."vendor_payments"."tds_summary" IS 'Tax withheld at source by tax, kept as JSON because no source shows its shape; in India.';
ALTER TABLE "accounting"."vendor_payments" ADD COLUMN "custom_field_hash" jsonb;
COMMENT ON COLUMN "accounting"."vendor_payments"."custom_field_hash" IS 'Values of the organization''s own fields by name, the same as in custom_fields, kept as JSON because the names are the organization''s.';
ALTER TABLE "accounting"."vendor_payments_bills" ADD COLUMN "apply_date" date;
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."apply_date" IS 'Day on which the payment was set against the bill.';
ALTER TABLE "accounting"."vendor_payments_bills" ADD COLUMN "unprocessed_payment_amount" numeric;
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."unprocessed_payment_amount" IS 'Part for this bill that is still under way at the bank, in the bill''s currency.';
ALTER TABLE "accounting"."vendor_payments_bills" ADD COLUMN "is_opening_balance" boolean;
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."is_opening_balance" IS 'Whether the bill came over from earlier books.';
ALTER TABLE "accounting"."vendor_payments_bills" ADD COLUMN "total_payment_amount" numeric;
COMMENT ON COLUMN "accounting"."vendor_payments_bills"."total_payment_amount" IS 'Part for this bill plus tax withheld on it, in the bill''s currency; in India.';
ALTER TABLE "accounting"."vendor_payments_vendorpayment_refunds" ADD COLUMN "vendorpayment_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."vendorpayment_id" IS 'Identifier of the payment that was paid back from.';
ALTER TABLE "accounting"."vendor_payments_vendorpayment_refunds" ADD COLUMN "to_account_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments_vendorpayment_refunds"."to_account_id" IS 'Identifier of the account that the money came back to.';
ALTER TABLE "accounting"."vendor_payments_check_details" ADD COLUMN "expiry_date" date;
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."expiry_date" IS 'Last day on which the check can be cashed.';
ALTER TABLE "accounting"."vendor_payments_check_details" ADD COLUMN "clearance_account_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."clearance_account_id" IS 'Identifier of the account that holds the check until it clears.';
ALTER TABLE "accounting"."vendor_payments_check_details" ADD COLUMN "clearance_account_name" text;
COMMENT ON COLUMN "accounting"."vendor_payments_check_details"."clearance_account_name" IS 'Name of the account that holds the check until it clears.';
ALTER TABLE "accounting"."vendor_payments_billing_address" ADD COLUMN "street2" text;
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."street2" IS 'Second line of the street.';
ALTER TABLE "accounting"."vendor_payments_billing_address" ADD COLUMN "phone" text COLLATE "C";
COMMENT ON COLUMN "accounting"."vendor_payments_billing_address"."phone" IS 'Telephone number as it was entered.';

CREATE TABLE "accounting"."vendor_payments_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."vendor_payments" ("organization_id", "payment_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."vendor_payments_tags" IS 'A reporting tag of a payment: one dimension of the organization''s own reports, with the option chosen.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."_parent_id" IS 'Key of the record that the row belongs to, in vendor_payments.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."tag_id" IS 'Identifier of the tag, such as the one for cost centers.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."is_tag_mandatory" IS 'Whether the organization demands an option of this tag.';
COMMENT ON COLUMN "accounting"."vendor_payments_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "accounting"."contact_persons" ADD COLUMN "fax" text COLLATE "C";
COMMENT ON COLUMN "accounting"."contact_persons"."fax" IS 'Fax number as it was entered, leading zeros kept.';
ALTER TABLE "accounting"."contact_persons" ADD COLUMN "is_sms_enabled_for_cp" boolean;
COMMENT ON COLUMN "accounting"."contact_persons"."is_sms_enabled_for_cp" IS 'Whether text messages to the person are allowed.';
ALTER TABLE "accounting"."contact_persons" ADD COLUMN "mobile_country_code" text;
COMMENT ON COLUMN "accounting"."contact_persons"."mobile_country_code" IS 'Country of the mobile number.';
ALTER TABLE "accounting"."contact_persons" ADD COLUMN "photo_url" text;
COMMENT ON COLUMN "accounting"."contact_persons"."photo_url" IS 'Address of a picture of the person, often a generated one.';
ALTER TABLE "accounting"."contact_persons" ADD COLUMN "can_invite" boolean;
COMMENT ON COLUMN "accounting"."contact_persons"."can_invite" IS 'Whether the person can be invited to the portal.';
ALTER TABLE "accounting"."contact_persons" ADD COLUMN "is_portal_invitation_accepted" boolean;
COMMENT ON COLUMN "accounting"."contact_persons"."is_portal_invitation_accepted" IS 'Whether the person accepted the invitation to the portal.';
ALTER TABLE "accounting"."contact_persons" ADD COLUMN "is_portal_mfa_enabled" boolean;
COMMENT ON COLUMN "accounting"."contact_persons"."is_portal_mfa_enabled" IS 'Whether the person enters the portal with a second factor.';
ALTER TABLE "accounting"."contact_persons" ADD COLUMN "portal_enabled_via" text;
COMMENT ON COLUMN "accounting"."contact_persons"."portal_enabled_via" IS 'What opened the portal to the person.';
ALTER TABLE "accounting"."contact_persons" ADD COLUMN "zcrm_contact_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."contact_persons"."zcrm_contact_id" IS 'Identifier of the person in the CRM.';

CREATE TABLE "accounting"."contact_persons_communication_preference" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "is_email_enabled" boolean,
  "is_sms_enabled" boolean,
  "is_whatsapp_enabled" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."contact_persons" ("organization_id", "contact_person_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."contact_persons_communication_preference" IS 'How a person may be written to.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."_parent_id" IS 'Key of the record that the row belongs to, in contact_persons.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."is_email_enabled" IS 'Whether e-mail is allowed.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."is_sms_enabled" IS 'Whether text messages are allowed.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."is_whatsapp_enabled" IS 'Whether messages by WhatsApp are allowed.';
COMMENT ON COLUMN "accounting"."contact_persons_communication_preference"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."contact_persons_contactperson_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "customfield_id" text COLLATE "C",
  "index" bigint,
  "label" text,
  "api_name" text COLLATE "C",
  "data_type" text,
  "value" jsonb,
  "search_entity" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."contact_persons" ("organization_id", "contact_person_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."contact_persons_contactperson_custom_fields" IS 'A field that the organization added to its contact persons, with its value on one person.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in contact_persons.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."customfield_id" IS 'Identifier of the field; the same on every person.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."api_name" IS 'Name of the field for programs: cf_ and a name.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."data_type" IS 'Type of the field''s values.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."search_entity" IS 'Kind of the record that a field for lookups points at.';
COMMENT ON COLUMN "accounting"."contact_persons_contactperson_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "accounting"."expenses"."status" IS 'Whether the expense was charged to a customer or paid back; unbilled is the only state documented, the others come from live services.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "user_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."expenses"."user_id" IS 'Identifier of the user whose expense it is.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "user_name" text;
COMMENT ON COLUMN "accounting"."expenses"."user_name" IS 'Name of the user whose expense it is.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "user_email" text;
COMMENT ON COLUMN "accounting"."expenses"."user_email" IS 'E-mail address of the user whose expense it is.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "employee_name" text;
COMMENT ON COLUMN "accounting"."expenses"."employee_name" IS 'Name of the employee who spent the money.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "employee_email" text;
COMMENT ON COLUMN "accounting"."expenses"."employee_email" IS 'E-mail address of the employee who spent the money.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "created_by_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."expenses"."created_by_id" IS 'Identifier of the user who entered the expense.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "last_modified_by_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."expenses"."last_modified_by_id" IS 'Identifier of the user who last changed the expense.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "approver_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."expenses"."approver_id" IS 'Identifier of the user who has to approve the expense.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "approver_name" text;
COMMENT ON COLUMN "accounting"."expenses"."approver_name" IS 'Name of the user who has to approve the expense.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "approver_email" text;
COMMENT ON COLUMN "accounting"."expenses"."approver_email" IS 'E-mail address of the user who has to approve the expense.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "created_time" timestamp with time zone;
COMMENT ON COLUMN "accounting"."expenses"."created_time" IS 'When the expense was entered.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "vendor_name" text;
COMMENT ON COLUMN "accounting"."expenses"."vendor_name" IS 'Name of the vendor whom the money went to.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "total_without_tax" numeric;
COMMENT ON COLUMN "accounting"."expenses"."total_without_tax" IS 'Amount before tax, in the expense''s currency; the list alone has it.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "bcy_total_without_tax" numeric;
COMMENT ON COLUMN "accounting"."expenses"."bcy_total_without_tax" IS 'Amount before tax, in the base currency; the list alone has it.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "report_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."expenses"."report_id" IS 'Identifier of the expense report that the expense was handed in with.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "report_number" text COLLATE "C";
COMMENT ON COLUMN "accounting"."expenses"."report_number" IS 'Number of the expense report that the expense was handed in with.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "report_name" text;
COMMENT ON COLUMN "accounting"."expenses"."report_name" IS 'Title of the expense report, in the words of its author.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "report_status" text;
COMMENT ON COLUMN "accounting"."expenses"."report_status" IS 'How far the expense report got.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "is_reimbursable" boolean;
COMMENT ON COLUMN "accounting"."expenses"."is_reimbursable" IS 'Whether the employee gets the money back.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "payment_mode" text;
COMMENT ON COLUMN "accounting"."expenses"."payment_mode" IS 'How it was paid, such as Cash; organizations add their own.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "merchant_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."expenses"."merchant_id" IS 'Identifier of the shop, where a card feed or a scan showed it; not the vendor.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "merchant_name" text;
COMMENT ON COLUMN "accounting"."expenses"."merchant_name" IS 'Name of the shop, where a card feed or a scan showed it; not the vendor.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "has_attachment" boolean;
COMMENT ON COLUMN "accounting"."expenses"."has_attachment" IS 'Whether a receipt is attached; the list alone has it.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "custom_fields_list" text;
COMMENT ON COLUMN "accounting"."expenses"."custom_fields_list" IS 'Fields of the organization that it shows in the list, in one text; empty mostly.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "location" text;
COMMENT ON COLUMN "accounting"."expenses"."location" IS 'Place where the money was spent, as the user wrote it; not the location of the organization.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "markup_percent" numeric;
COMMENT ON COLUMN "accounting"."expenses"."markup_percent" IS 'Rate put on top when the expense is charged to the customer, in percent.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "vehicle_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."expenses"."vehicle_id" IS 'Identifier of the vehicle of a mileage expense.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "vehicle_name" text;
COMMENT ON COLUMN "accounting"."expenses"."vehicle_name" IS 'Name that a user gave the vehicle.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "is_surcharge_applicable" boolean;
COMMENT ON COLUMN "accounting"."expenses"."is_surcharge_applicable" IS 'Whether a surcharge for paying by card came on top.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "fcy_surcharge_amount" numeric;
COMMENT ON COLUMN "accounting"."expenses"."fcy_surcharge_amount" IS 'Surcharge for paying by card, in the expense''s currency.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "bcy_surcharge_amount" numeric;
COMMENT ON COLUMN "accounting"."expenses"."bcy_surcharge_amount" IS 'Surcharge for paying by card, in the base currency.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "zcrm_potential_id" text COLLATE "C";
COMMENT ON COLUMN "accounting"."expenses"."zcrm_potential_id" IS 'Identifier of the deal in the CRM that the expense was made for.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "zcrm_potential_name" text;
COMMENT ON COLUMN "accounting"."expenses"."zcrm_potential_name" IS 'Name of the deal in the CRM, often that of the customer.';
ALTER TABLE "accounting"."expenses" ADD COLUMN "imported_transactions" jsonb;
COMMENT ON COLUMN "accounting"."expenses"."imported_transactions" IS 'Bank lines matched with the expense, kept as JSON because no source shows their shape.';
ALTER TABLE "accounting"."expenses_line_items" ADD COLUMN "account_name" text;
COMMENT ON COLUMN "accounting"."expenses_line_items"."account_name" IS 'Name of the account that the line is booked on.';
ALTER TABLE "accounting"."expenses_line_items" ADD COLUMN "item_total" numeric;
COMMENT ON COLUMN "accounting"."expenses_line_items"."item_total" IS 'Amount of the line before tax, in the expense''s currency.';
ALTER TABLE "accounting"."expenses_line_items" ADD COLUMN "tax_amount" numeric;
COMMENT ON COLUMN "accounting"."expenses_line_items"."tax_amount" IS 'Tax on the line, in the expense''s currency.';
ALTER TABLE "accounting"."expenses_line_items" ADD COLUMN "tax_name" text;
COMMENT ON COLUMN "accounting"."expenses_line_items"."tax_name" IS 'Name of the tax on the line.';
ALTER TABLE "accounting"."expenses_line_items" ADD COLUMN "tax_type" text;
COMMENT ON COLUMN "accounting"."expenses_line_items"."tax_type" IS 'Kind of the tax on the line.';
ALTER TABLE "accounting"."expenses_line_items" ADD COLUMN "tax_percentage" numeric;
COMMENT ON COLUMN "accounting"."expenses_line_items"."tax_percentage" IS 'Rate of the tax on the line, in percent.';
ALTER TABLE "accounting"."expenses_line_items" ADD COLUMN "hsn_or_sac" text COLLATE "C";
COMMENT ON COLUMN "accounting"."expenses_line_items"."hsn_or_sac" IS 'Code of the goods or services of the line; in India and Kenya.';
ALTER TABLE "accounting"."expenses_line_items" ADD COLUMN "reverse_charge_tax_name" text;
COMMENT ON COLUMN "accounting"."expenses_line_items"."reverse_charge_tax_name" IS 'Name of the tax that the organization owes in place of the vendor; in India.';
ALTER TABLE "accounting"."expenses_line_items" ADD COLUMN "reverse_charge_tax_percentage" numeric;
COMMENT ON COLUMN "accounting"."expenses_line_items"."reverse_charge_tax_percentage" IS 'Rate of that tax, in percent; in India.';
ALTER TABLE "accounting"."expenses_line_items" ADD COLUMN "reverse_charge_tax_amount" numeric;
COMMENT ON COLUMN "accounting"."expenses_line_items"."reverse_charge_tax_amount" IS 'Amount of that tax, in the expense''s currency; in India.';

CREATE TABLE "accounting"."expenses_line_items_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "accounting"."expenses_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."expenses_line_items_tags" IS 'A reporting tag of a line of an expense: one dimension of the organization''s own reports, with the option chosen.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."_parent_id" IS 'Key of the record that the row belongs to, in expenses.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."_parent_position" IS 'Position of the element that the row belongs to, in expenses_line_items.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."tag_id" IS 'Identifier of the tag, such as the one for cost centers.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."is_tag_mandatory" IS 'Whether the organization demands an option of this tag.';
COMMENT ON COLUMN "accounting"."expenses_line_items_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."expenses_line_items_line_item_taxes" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "tax_id" text COLLATE "C",
  "tax_name" text,
  "tax_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "accounting"."expenses_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."expenses_line_items_line_item_taxes" IS 'One tax on one line of an expense.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."_parent_id" IS 'Key of the record that the row belongs to, in expenses.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."_parent_position" IS 'Position of the element that the row belongs to, in expenses_line_items.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."tax_id" IS 'Identifier of the tax.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."tax_name" IS 'Name of the tax.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."tax_amount" IS 'Tax on the line, in the expense''s currency.';
COMMENT ON COLUMN "accounting"."expenses_line_items_line_item_taxes"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."expenses_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."expenses" ("organization_id", "expense_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."expenses_tags" IS 'A reporting tag of an expense: one dimension of the organization''s own reports, with the option chosen.';
COMMENT ON COLUMN "accounting"."expenses_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."expenses_tags"."_parent_id" IS 'Key of the record that the row belongs to, in expenses.';
COMMENT ON COLUMN "accounting"."expenses_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."expenses_tags"."tag_id" IS 'Identifier of the tag, such as the one for cost centers.';
COMMENT ON COLUMN "accounting"."expenses_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "accounting"."expenses_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "accounting"."expenses_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "accounting"."expenses_tags"."is_tag_mandatory" IS 'Whether the organization demands an option of this tag.';
COMMENT ON COLUMN "accounting"."expenses_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."expenses_documents" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "document_id" text COLLATE "C",
  "file_name" text,
  "file_type" text,
  "file_size" bigint,
  "attachment_order" bigint,
  "source" text,
  "uploaded_by" text,
  "uploaded_by_id" text COLLATE "C",
  "uploaded_on" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."expenses" ("organization_id", "expense_id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."expenses_documents" IS 'A file that is attached to an expense, such as the picture of a receipt.';
COMMENT ON COLUMN "accounting"."expenses_documents"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."expenses_documents"."_parent_id" IS 'Key of the record that the row belongs to, in expenses.';
COMMENT ON COLUMN "accounting"."expenses_documents"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."expenses_documents"."document_id" IS 'Identifier of the file.';
COMMENT ON COLUMN "accounting"."expenses_documents"."file_name" IS 'Name of the file as it was uploaded.';
COMMENT ON COLUMN "accounting"."expenses_documents"."file_type" IS 'Kind of the file, such as pdf.';
COMMENT ON COLUMN "accounting"."expenses_documents"."file_size" IS 'Size of the file, in bytes.';
COMMENT ON COLUMN "accounting"."expenses_documents"."attachment_order" IS 'Place of the file among those of the expense.';
COMMENT ON COLUMN "accounting"."expenses_documents"."source" IS 'How the file came to the service.';
COMMENT ON COLUMN "accounting"."expenses_documents"."uploaded_by" IS 'Name of the user who uploaded the file.';
COMMENT ON COLUMN "accounting"."expenses_documents"."uploaded_by_id" IS 'Identifier of the user who uploaded the file.';
COMMENT ON COLUMN "accounting"."expenses_documents"."uploaded_on" IS 'When the file was uploaded, as the organization''s settings write it; for display only.';
COMMENT ON COLUMN "accounting"."expenses_documents"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "accounting"."organizations"."fiscal_year_start_month" IS 'Month in which its fiscal year begins; not documented how it is counted, live services count from 0, so that 3 is April.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "org_alias_name" text;
COMMENT ON COLUMN "accounting"."organizations"."org_alias_name" IS 'Second name of the organization.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "country" text;
COMMENT ON COLUMN "accounting"."organizations"."country" IS 'Country of the organization by name.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "country_code" text COLLATE "C";
COMMENT ON COLUMN "accounting"."organizations"."country_code" IS 'Code of the country of the organization.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "state" text;
COMMENT ON COLUMN "accounting"."organizations"."state" IS 'State or province of the organization.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "state_code" text COLLATE "C";
COMMENT ON COLUMN "accounting"."organizations"."state_code" IS 'Code of the state or province.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "phone" text COLLATE "C";
COMMENT ON COLUMN "accounting"."organizations"."phone" IS 'Telephone number of the organization as it was entered.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "version" text;
COMMENT ON COLUMN "accounting"."organizations"."version" IS 'Edition of the service, such as that of a country: it decides which columns can have values.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "plan_name" text;
COMMENT ON COLUMN "accounting"."organizations"."plan_name" IS 'Plan that the organization subscribed to; the daily number of calls follows from it.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "plan_period" text;
COMMENT ON COLUMN "accounting"."organizations"."plan_period" IS 'Period that the plan is paid for.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "plan_type" bigint;
COMMENT ON COLUMN "accounting"."organizations"."plan_type" IS 'Number of the kind of plan; its meaning is not known.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_trial_expired" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_trial_expired" IS 'Whether a trial ran out.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "org_type" text;
COMMENT ON COLUMN "accounting"."organizations"."org_type" IS 'Kind of the organization''s account.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "mode" text;
COMMENT ON COLUMN "accounting"."organizations"."mode" IS 'Mode of the organization''s account.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "source" bigint;
COMMENT ON COLUMN "accounting"."organizations"."source" IS 'Number of the application that the organization was made in.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "user_status" bigint;
COMMENT ON COLUMN "accounting"."organizations"."user_status" IS 'Number of the standing of the user whose credentials are used.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "org_active" boolean;
COMMENT ON COLUMN "accounting"."organizations"."org_active" IS 'Second key of is_org_active, with the same value.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_multientity_org" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_multientity_org" IS 'Whether it is one of several entities under one roof.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_multientity_enabled" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_multientity_enabled" IS 'Whether several entities can be kept under one roof.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_sku_enabled" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_sku_enabled" IS 'Whether items have stock keeping units (SKU).';
ALTER TABLE "accounting"."organizations" ADD COLUMN "field_separator" text;
COMMENT ON COLUMN "accounting"."organizations"."field_separator" IS 'What stands between the fields of exported files, for display.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_tax_registered" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_tax_registered" IS 'Whether the organization is registered for VAT, GST or sales tax.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "sales_tax_type" text;
COMMENT ON COLUMN "accounting"."organizations"."sales_tax_type" IS 'How sales tax is set up.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "tax_group_enabled" boolean;
COMMENT ON COLUMN "accounting"."organizations"."tax_group_enabled" IS 'Whether several taxes can be put together in a group.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_sales_inclusive_tax_enabled" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_sales_inclusive_tax_enabled" IS 'Whether sales prices can be entered with tax in them.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_registered_for_gst" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_registered_for_gst" IS 'Whether the organization is registered for GST; in India.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_gst_india_version" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_gst_india_version" IS 'Whether it is the edition for GST; in India.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_registered_for_composite_scheme" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_registered_for_composite_scheme" IS 'Whether the organization pays GST by the scheme for small businesses; in India.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_hsn_or_sac_enabled" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_hsn_or_sac_enabled" IS 'Whether items have codes of goods and services for GST; in India.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_sales_reverse_charge_enabled" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_sales_reverse_charge_enabled" IS 'Whether customers can owe the tax on sales; in India.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_export_with_payment_enabled" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_export_with_payment_enabled" IS 'Whether exports can be made with payment of GST; in India.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_international_trade_enabled" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_international_trade_enabled" IS 'Whether the organization trades abroad.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_designated_zone" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_designated_zone" IS 'Whether it is in a zone with VAT rules of its own; in the Gulf states.';
ALTER TABLE "accounting"."organizations" ADD COLUMN "is_free_zone" boolean;
COMMENT ON COLUMN "accounting"."organizations"."is_free_zone" IS 'Whether it is in a free zone with VAT rules of its own; in the Gulf states.';

CREATE TABLE "accounting"."organizations_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "index" bigint,
  "label" text,
  "value" jsonb,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."organizations_custom_fields" IS 'A field of the organization itself, with its value.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "accounting"."organizations_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "accounting"."organizations_org_joined_app_list" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "application" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "accounting"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "accounting"."organizations_org_joined_app_list" IS 'An application of the suite that the organization uses.';
COMMENT ON COLUMN "accounting"."organizations_org_joined_app_list"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "accounting"."organizations_org_joined_app_list"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "accounting"."organizations_org_joined_app_list"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "accounting"."organizations_org_joined_app_list"."application" IS 'Name of the application.';
COMMENT ON COLUMN "accounting"."organizations_org_joined_app_list"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."items" ADD COLUMN "item_name" text;
COMMENT ON COLUMN "inventory"."items"."item_name" IS 'The name a second time, in lists.';
ALTER TABLE "inventory"."items" ADD COLUMN "category_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."category_id" IS 'Identifier of the category in the tree of categories; null or -1 without.';
ALTER TABLE "inventory"."items" ADD COLUMN "category_name" text;
COMMENT ON COLUMN "inventory"."items"."category_name" IS 'Name of the category.';
ALTER TABLE "inventory"."items" ADD COLUMN "brand" text;
COMMENT ON COLUMN "inventory"."items"."brand" IS 'Brand of the item.';
ALTER TABLE "inventory"."items" ADD COLUMN "manufacturer" text;
COMMENT ON COLUMN "inventory"."items"."manufacturer" IS 'Maker of the item.';
ALTER TABLE "inventory"."items" ADD COLUMN "product_subtype" text;
COMMENT ON COLUMN "inventory"."items"."product_subtype" IS 'Finer kind of goods or service that some editions ask for.';
ALTER TABLE "inventory"."items" ADD COLUMN "purpose_of_use" text;
COMMENT ON COLUMN "inventory"."items"."purpose_of_use" IS 'Purpose of the item that some editions ask for.';
ALTER TABLE "inventory"."items" ADD COLUMN "combo_type" text;
COMMENT ON COLUMN "inventory"."items"."combo_type" IS 'Kind of bundle: assembly (made to stock) or kit (sold as parts); empty for a plain item.';
ALTER TABLE "inventory"."items" ADD COLUMN "can_be_sold" boolean;
COMMENT ON COLUMN "inventory"."items"."can_be_sold" IS 'Whether the item may stand on sales.';
ALTER TABLE "inventory"."items" ADD COLUMN "can_be_purchased" boolean;
COMMENT ON COLUMN "inventory"."items"."can_be_purchased" IS 'Whether the item may stand on purchases.';
ALTER TABLE "inventory"."items" ADD COLUMN "is_returnable" boolean;
COMMENT ON COLUMN "inventory"."items"."is_returnable" IS 'Whether customers may send the item back.';
ALTER TABLE "inventory"."items" ADD COLUMN "is_fulfillable" boolean;
COMMENT ON COLUMN "inventory"."items"."is_fulfillable" IS 'Whether the item has to be shipped.';
ALTER TABLE "inventory"."items" ADD COLUMN "has_attachment" boolean;
COMMENT ON COLUMN "inventory"."items"."has_attachment" IS 'Whether a file is attached to the item.';
ALTER TABLE "inventory"."items" ADD COLUMN "image_document_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."image_document_id" IS 'Identifier of the file of the picture, the successor of image_id.';
ALTER TABLE "inventory"."items" ADD COLUMN "unit_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."unit_id" IS 'Identifier of the unit that quantities of the item are counted in.';
ALTER TABLE "inventory"."items" ADD COLUMN "unit_group_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."unit_group_id" IS 'Identifier of the group of units that convert into each other.';
ALTER TABLE "inventory"."items" ADD COLUMN "unit_group_name" text;
COMMENT ON COLUMN "inventory"."items"."unit_group_name" IS 'Name of the group of units that convert into each other.';
ALTER TABLE "inventory"."items" ADD COLUMN "default_sales_unit_conversion_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."default_sales_unit_conversion_id" IS 'Identifier of the conversion that sales use by default.';
ALTER TABLE "inventory"."items" ADD COLUMN "default_purchase_unit_conversion_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."default_purchase_unit_conversion_id" IS 'Identifier of the conversion that purchases use by default.';
ALTER TABLE "inventory"."items" ADD COLUMN "zcrm_product_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."zcrm_product_id" IS 'Identifier of the product of the CRM service that the item is kept equal with.';
ALTER TABLE "inventory"."items" ADD COLUMN "crm_owner_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."crm_owner_id" IS 'Identifier of the user who owns the product in the CRM service.';
ALTER TABLE "inventory"."items" ADD COLUMN "show_in_storefront" boolean;
COMMENT ON COLUMN "inventory"."items"."show_in_storefront" IS 'Whether a shop shows the item.';
ALTER TABLE "inventory"."items" ADD COLUMN "sales_channels" jsonb;
COMMENT ON COLUMN "inventory"."items"."sales_channels" IS 'Shops that list the item, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."items" ADD COLUMN "integration_references" jsonb;
COMMENT ON COLUMN "inventory"."items"."integration_references" IS 'Applications that list the item, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."items" ADD COLUMN "created_at" date;
COMMENT ON COLUMN "inventory"."items"."created_at" IS 'Day on which the item was created, on single records.';
ALTER TABLE "inventory"."items" ADD COLUMN "track_inventory" boolean;
COMMENT ON COLUMN "inventory"."items"."track_inventory" IS 'Whether the stock of the item is counted.';
ALTER TABLE "inventory"."items" ADD COLUMN "track_serial_number" boolean;
COMMENT ON COLUMN "inventory"."items"."track_serial_number" IS 'Whether units are told apart by serial number.';
ALTER TABLE "inventory"."items" ADD COLUMN "track_batch_number" boolean;
COMMENT ON COLUMN "inventory"."items"."track_batch_number" IS 'Whether units are told apart by batch.';
ALTER TABLE "inventory"."items" ADD COLUMN "is_storage_location_enabled" boolean;
COMMENT ON COLUMN "inventory"."items"."is_storage_location_enabled" IS 'Whether the stock is kept in bins.';
ALTER TABLE "inventory"."items" ADD COLUMN "stock_on_hand" numeric;
COMMENT ON COLUMN "inventory"."items"."stock_on_hand" IS 'Units in stock by the books, over all locations.';
ALTER TABLE "inventory"."items" ADD COLUMN "available_stock" numeric;
COMMENT ON COLUMN "inventory"."items"."available_stock" IS 'Units that the books leave for new orders, over all locations.';
ALTER TABLE "inventory"."items" ADD COLUMN "actual_available_stock" numeric;
COMMENT ON COLUMN "inventory"."items"."actual_available_stock" IS 'Units that are really there for new orders, over all locations.';
ALTER TABLE "inventory"."items" ADD COLUMN "committed_stock" numeric;
COMMENT ON COLUMN "inventory"."items"."committed_stock" IS 'Units that the books promise to orders.';
ALTER TABLE "inventory"."items" ADD COLUMN "actual_committed_stock" numeric;
COMMENT ON COLUMN "inventory"."items"."actual_committed_stock" IS 'Units that are really promised to orders.';
ALTER TABLE "inventory"."items" ADD COLUMN "available_for_sale_stock" numeric;
COMMENT ON COLUMN "inventory"."items"."available_for_sale_stock" IS 'Units by the books less promised ones: what a shop can still sell.';
ALTER TABLE "inventory"."items" ADD COLUMN "actual_available_for_sale_stock" numeric;
COMMENT ON COLUMN "inventory"."items"."actual_available_for_sale_stock" IS 'Units that are really there, less promised ones.';
ALTER TABLE "inventory"."items" ADD COLUMN "initial_stock" numeric;
COMMENT ON COLUMN "inventory"."items"."initial_stock" IS 'Units that were in stock when the item was entered.';
ALTER TABLE "inventory"."items" ADD COLUMN "initial_stock_rate" numeric;
COMMENT ON COLUMN "inventory"."items"."initial_stock_rate" IS 'Value of one unit of that first stock, in the base currency.';
ALTER TABLE "inventory"."items" ADD COLUMN "total_initial_stock" numeric;
COMMENT ON COLUMN "inventory"."items"."total_initial_stock" IS 'Units that were in stock when the item was entered, over all locations.';
ALTER TABLE "inventory"."items" ADD COLUMN "asset_value" numeric;
COMMENT ON COLUMN "inventory"."items"."asset_value" IS 'Value of the stock, in the base currency.';
ALTER TABLE "inventory"."items" ADD COLUMN "inventory_valuation_method" text;
COMMENT ON COLUMN "inventory"."items"."inventory_valuation_method" IS 'How the stock is valued, such as fifo.';
ALTER TABLE "inventory"."items" ADD COLUMN "inventory_account_name" text;
COMMENT ON COLUMN "inventory"."items"."inventory_account_name" IS 'Name of the account that the stock of the item is valued on.';
ALTER TABLE "inventory"."items" ADD COLUMN "minimum_order_quantity" numeric;
COMMENT ON COLUMN "inventory"."items"."minimum_order_quantity" IS 'Fewest units of one order.';
ALTER TABLE "inventory"."items" ADD COLUMN "maximum_order_quantity" numeric;
COMMENT ON COLUMN "inventory"."items"."maximum_order_quantity" IS 'Most units of one order.';
ALTER TABLE "inventory"."items" ADD COLUMN "account_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."account_id" IS 'Identifier of the account that sales of the item are booked on.';
ALTER TABLE "inventory"."items" ADD COLUMN "sales_rate" numeric;
COMMENT ON COLUMN "inventory"."items"."sales_rate" IS 'Selling price of one unit as it was entered, in the base currency; rate can be that of a price list.';
ALTER TABLE "inventory"."items" ADD COLUMN "sales_margin" numeric;
COMMENT ON COLUMN "inventory"."items"."sales_margin" IS 'Margin on sales, in percent.';
ALTER TABLE "inventory"."items" ADD COLUMN "label_rate" numeric;
COMMENT ON COLUMN "inventory"."items"."label_rate" IS 'Retail price printed on the pack in India, in the base currency.';
ALTER TABLE "inventory"."items" ADD COLUMN "pricing_scheme" text;
COMMENT ON COLUMN "inventory"."items"."pricing_scheme" IS 'Whether the price is the same for every quantity or goes by brackets.';
ALTER TABLE "inventory"."items" ADD COLUMN "price_brackets" jsonb;
COMMENT ON COLUMN "inventory"."items"."price_brackets" IS 'Prices by quantity of the price list in force, kept as JSON because their shape depends on the scheme.';
ALTER TABLE "inventory"."items" ADD COLUMN "default_price_brackets" jsonb;
COMMENT ON COLUMN "inventory"."items"."default_price_brackets" IS 'Prices by quantity without a price list, kept as JSON because their shape depends on the scheme.';
ALTER TABLE "inventory"."items" ADD COLUMN "is_default_tax_applied" boolean;
COMMENT ON COLUMN "inventory"."items"."is_default_tax_applied" IS 'Whether the default tax stands in for one of the item''s own.';
ALTER TABLE "inventory"."items" ADD COLUMN "purchase_tax_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."purchase_tax_id" IS 'Identifier of the tax on purchases of the item.';
ALTER TABLE "inventory"."items" ADD COLUMN "purchase_tax_name" text;
COMMENT ON COLUMN "inventory"."items"."purchase_tax_name" IS 'Name of the tax on purchases of the item.';
ALTER TABLE "inventory"."items" ADD COLUMN "purchase_tax_type" text;
COMMENT ON COLUMN "inventory"."items"."purchase_tax_type" IS 'Whether that tax is a simple or a compound one.';
ALTER TABLE "inventory"."items" ADD COLUMN "purchase_tax_percentage" numeric;
COMMENT ON COLUMN "inventory"."items"."purchase_tax_percentage" IS 'Rate of the tax on purchases of the item, in percent.';
ALTER TABLE "inventory"."items" ADD COLUMN "tax_status" text;
COMMENT ON COLUMN "inventory"."items"."tax_status" IS 'Whether the tax on sales is still in use.';
ALTER TABLE "inventory"."items" ADD COLUMN "tax_country_code" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."tax_country_code" IS 'Code of the country that the tax on sales is owed in.';
ALTER TABLE "inventory"."items" ADD COLUMN "tax_exemption_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."tax_exemption_id" IS 'Identifier of the reason why the item is not taxed in the US or India.';
ALTER TABLE "inventory"."items" ADD COLUMN "tax_exemption_code" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."tax_exemption_code" IS 'Code of the reason why the item is not taxed in the US or India.';
ALTER TABLE "inventory"."items" ADD COLUMN "sales_tax_rule_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."sales_tax_rule_id" IS 'Identifier of the rule that picks the tax on sales in Mexico, Kenya or South Africa.';
ALTER TABLE "inventory"."items" ADD COLUMN "sales_tax_rule_name" text;
COMMENT ON COLUMN "inventory"."items"."sales_tax_rule_name" IS 'Name of the rule that picks the tax on sales.';
ALTER TABLE "inventory"."items" ADD COLUMN "purchase_tax_rule_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."purchase_tax_rule_id" IS 'Identifier of the rule that picks the tax on purchases in Mexico, Kenya or South Africa.';
ALTER TABLE "inventory"."items" ADD COLUMN "purchase_tax_rule_name" text;
COMMENT ON COLUMN "inventory"."items"."purchase_tax_rule_name" IS 'Name of the rule that picks the tax on purchases.';
ALTER TABLE "inventory"."items" ADD COLUMN "length" numeric;
COMMENT ON COLUMN "inventory"."items"."length" IS 'Length of the parcel, in the unit of dimension_unit.';
ALTER TABLE "inventory"."items" ADD COLUMN "width" numeric;
COMMENT ON COLUMN "inventory"."items"."width" IS 'Width of the parcel, in the unit of dimension_unit.';
ALTER TABLE "inventory"."items" ADD COLUMN "height" numeric;
COMMENT ON COLUMN "inventory"."items"."height" IS 'Height of the parcel, in the unit of dimension_unit.';
ALTER TABLE "inventory"."items" ADD COLUMN "weight" numeric;
COMMENT ON COLUMN "inventory"."items"."weight" IS 'Weight of the parcel, in the unit of weight_unit.';
ALTER TABLE "inventory"."items" ADD COLUMN "weight_unit" text;
COMMENT ON COLUMN "inventory"."items"."weight_unit" IS 'Unit of the weight, such as kg.';
ALTER TABLE "inventory"."items" ADD COLUMN "dimension_unit" text;
COMMENT ON COLUMN "inventory"."items"."dimension_unit" IS 'Unit of length, width and height, such as cm.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_type1" text;
COMMENT ON COLUMN "inventory"."items"."attribute_type1" IS 'Kind of the attribute that tells variants of the group apart.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_option_data1" text;
COMMENT ON COLUMN "inventory"."items"."attribute_option_data1" IS 'Swatch or code of this variant''s value of the attribute.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_id2" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."attribute_id2" IS 'Identifier of the second attribute that tells variants apart.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_name2" text;
COMMENT ON COLUMN "inventory"."items"."attribute_name2" IS 'Name of the second attribute, such as colour.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_type2" text;
COMMENT ON COLUMN "inventory"."items"."attribute_type2" IS 'Kind of the second attribute.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_option_id2" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."attribute_option_id2" IS 'Identifier of this variant''s value of the second attribute.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_option_name2" text;
COMMENT ON COLUMN "inventory"."items"."attribute_option_name2" IS 'This variant''s value of the second attribute, such as blue.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_option_data2" text;
COMMENT ON COLUMN "inventory"."items"."attribute_option_data2" IS 'Swatch or code of this variant''s value of the second attribute.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_id3" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."attribute_id3" IS 'Identifier of the third attribute that tells variants apart.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_name3" text;
COMMENT ON COLUMN "inventory"."items"."attribute_name3" IS 'Name of the third attribute.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_type3" text;
COMMENT ON COLUMN "inventory"."items"."attribute_type3" IS 'Kind of the third attribute.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_option_id3" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items"."attribute_option_id3" IS 'Identifier of this variant''s value of the third attribute.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_option_name3" text;
COMMENT ON COLUMN "inventory"."items"."attribute_option_name3" IS 'This variant''s value of the third attribute.';
ALTER TABLE "inventory"."items" ADD COLUMN "attribute_option_data3" text;
COMMENT ON COLUMN "inventory"."items"."attribute_option_data3" IS 'Swatch or code of this variant''s value of the third attribute.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "location_committed_stock" numeric;
COMMENT ON COLUMN "inventory"."items_locations"."location_committed_stock" IS 'Units at the location that the books promise to orders.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "location_actual_committed_stock" numeric;
COMMENT ON COLUMN "inventory"."items_locations"."location_actual_committed_stock" IS 'Units at the location that are really promised to orders.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "location_available_for_sale_stock" numeric;
COMMENT ON COLUMN "inventory"."items_locations"."location_available_for_sale_stock" IS 'Units at the location by the books less promised ones.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "location_actual_available_for_sale_stock" numeric;
COMMENT ON COLUMN "inventory"."items_locations"."location_actual_available_for_sale_stock" IS 'Units at the location that are really there, less promised ones.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "location_quantity_in_transit" numeric;
COMMENT ON COLUMN "inventory"."items_locations"."location_quantity_in_transit" IS 'Units on their way to the location.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "location_asset_value" numeric;
COMMENT ON COLUMN "inventory"."items_locations"."location_asset_value" IS 'Value of the stock at the location, in the base currency.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "initial_stock" numeric;
COMMENT ON COLUMN "inventory"."items_locations"."initial_stock" IS 'Units at the location when the item was entered.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "initial_stock_rate" numeric;
COMMENT ON COLUMN "inventory"."items_locations"."initial_stock_rate" IS 'Value of one unit of that first stock, in the base currency.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "is_primary_location" boolean;
COMMENT ON COLUMN "inventory"."items_locations"."is_primary_location" IS 'Whether it is the main location of the organization, like is_primary.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "is_item_mapped" boolean;
COMMENT ON COLUMN "inventory"."items_locations"."is_item_mapped" IS 'Whether the item is kept at the location.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "is_storage_location_enabled" boolean;
COMMENT ON COLUMN "inventory"."items_locations"."is_storage_location_enabled" IS 'Whether the location is divided into bins.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "is_general_location" boolean;
COMMENT ON COLUMN "inventory"."items_locations"."is_general_location" IS 'Whether all kinds of documents can be booked for the location.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "serial_numbers" jsonb;
COMMENT ON COLUMN "inventory"."items_locations"."serial_numbers" IS 'Serial numbers of the units at the location, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "batches" jsonb;
COMMENT ON COLUMN "inventory"."items_locations"."batches" IS 'Batches at the location, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."items_locations" ADD COLUMN "storages" jsonb;
COMMENT ON COLUMN "inventory"."items_locations"."storages" IS 'Bins of the location with their stock, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."items_custom_fields" ADD COLUMN "index" bigint;
COMMENT ON COLUMN "inventory"."items_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
ALTER TABLE "inventory"."items_custom_fields" ADD COLUMN "label" text;
COMMENT ON COLUMN "inventory"."items_custom_fields"."label" IS 'Name of the field as the organization shows it.';
ALTER TABLE "inventory"."items_custom_fields" ADD COLUMN "api_name" text COLLATE "C";
COMMENT ON COLUMN "inventory"."items_custom_fields"."api_name" IS 'Name of the field for programs: cf_ and the name of the field.';
ALTER TABLE "inventory"."items_custom_fields" ADD COLUMN "data_type" text;
COMMENT ON COLUMN "inventory"."items_custom_fields"."data_type" IS 'Type of the field, such as string, date or dropdown.';
ALTER TABLE "inventory"."items_custom_fields" ADD COLUMN "search_entity" text;
COMMENT ON COLUMN "inventory"."items_custom_fields"."search_entity" IS 'Kind of record that the field belongs to.';

CREATE TABLE "inventory"."items_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."items" ("organization_id", "item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."items_tags" IS 'A reporting tag of an item.';
COMMENT ON COLUMN "inventory"."items_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."items_tags"."_parent_id" IS 'Key of the record that the row belongs to, in items.';
COMMENT ON COLUMN "inventory"."items_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."items_tags"."tag_id" IS 'Identifier of the tag, such as that of a cost centre.';
COMMENT ON COLUMN "inventory"."items_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "inventory"."items_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "inventory"."items_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "inventory"."items_tags"."is_tag_mandatory" IS 'Whether the organization asks for the tag everywhere.';
COMMENT ON COLUMN "inventory"."items_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."items_package_details" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "length" numeric,
  "width" numeric,
  "height" numeric,
  "weight" numeric,
  "weight_unit" text,
  "dimension_unit" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."items" ("organization_id", "item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."items_package_details" IS 'How large and heavy one unit of an item is, packed.';
COMMENT ON COLUMN "inventory"."items_package_details"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."items_package_details"."_parent_id" IS 'Key of the record that the row belongs to, in items.';
COMMENT ON COLUMN "inventory"."items_package_details"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."items_package_details"."length" IS 'Length of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."items_package_details"."width" IS 'Width of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."items_package_details"."height" IS 'Height of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."items_package_details"."weight" IS 'Weight of the parcel, in the unit of weight_unit.';
COMMENT ON COLUMN "inventory"."items_package_details"."weight_unit" IS 'Unit of the weight, such as kg.';
COMMENT ON COLUMN "inventory"."items_package_details"."dimension_unit" IS 'Unit of length, width and height, such as cm.';
COMMENT ON COLUMN "inventory"."items_package_details"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."items_preferred_vendors" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "vendor_id" text COLLATE "C",
  "vendor_name" text,
  "is_primary" boolean,
  "item_price" numeric,
  "item_stock" numeric,
  "last_modified_time" timestamp with time zone,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."items" ("organization_id", "item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."items_preferred_vendors" IS 'A vendor whom an item can be bought from, in the order of preference.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."_parent_id" IS 'Key of the record that the row belongs to, in items.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."vendor_id" IS 'Identifier of the vendor.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."vendor_name" IS 'Name of the vendor.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."is_primary" IS 'Whether it is the vendor to buy from first.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."item_price" IS 'Buying price of one unit from the vendor; no source says in which currency.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."item_stock" IS 'Units that the vendor has in stock.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."last_modified_time" IS 'When the entry of the vendor last changed.';
COMMENT ON COLUMN "inventory"."items_preferred_vendors"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."items_unit_conversions" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "unit_conversion_id" text COLLATE "C",
  "target_unit_id" text COLLATE "C",
  "target_unit" text,
  "quantity_decimal_place" bigint,
  "conversion_rate" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."items" ("organization_id", "item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."items_unit_conversions" IS 'Another unit that quantities of an item can be counted in.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."_parent_id" IS 'Key of the record that the row belongs to, in items.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."unit_conversion_id" IS 'Identifier of the conversion.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."target_unit_id" IS 'Identifier of the other unit.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."target_unit" IS 'Name of the other unit.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."quantity_decimal_place" IS 'Decimals that quantities in the other unit are shown with.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."conversion_rate" IS 'Number by which quantities are multiplied to get the other unit.';
COMMENT ON COLUMN "inventory"."items_unit_conversions"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "inventory"."bills"."vendor_credits_applied" IS 'Credits already used on the bill: a number from live services, kept as JSON because the documents name the key but not its shape.';
ALTER TABLE "inventory"."bills" ADD COLUMN "current_sub_status" text;
COMMENT ON COLUMN "inventory"."bills"."current_sub_status" IS 'The organization''s own finer state of the bill; repeats status without any.';
ALTER TABLE "inventory"."bills" ADD COLUMN "current_sub_status_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."current_sub_status_id" IS 'Identifier of the organization''s own finer state.';
ALTER TABLE "inventory"."bills" ADD COLUMN "entity_type" text;
COMMENT ON COLUMN "inventory"."bills"."entity_type" IS 'Kind of the document; always bill.';
ALTER TABLE "inventory"."bills" ADD COLUMN "source" text;
COMMENT ON COLUMN "inventory"."bills"."source" IS 'Where the bill came into the service from, such as Client or Api.';
ALTER TABLE "inventory"."bills" ADD COLUMN "subject_content" text;
COMMENT ON COLUMN "inventory"."bills"."subject_content" IS 'Subject line of the bill.';
ALTER TABLE "inventory"."bills" ADD COLUMN "has_attachment" boolean;
COMMENT ON COLUMN "inventory"."bills"."has_attachment" IS 'Whether a file is attached to the bill.';
ALTER TABLE "inventory"."bills" ADD COLUMN "is_viewed_by_client" boolean;
COMMENT ON COLUMN "inventory"."bills"."is_viewed_by_client" IS 'Whether the vendor opened the bill in the portal.';
ALTER TABLE "inventory"."bills" ADD COLUMN "client_viewed_time" timestamp with time zone;
COMMENT ON COLUMN "inventory"."bills"."client_viewed_time" IS 'When the vendor opened the bill in the portal.';
ALTER TABLE "inventory"."bills" ADD COLUMN "is_opening_balance" text;
COMMENT ON COLUMN "inventory"."bills"."is_opening_balance" IS 'Lists send the bill''s own identifier here, a fault upstream: it is no truth value.';
ALTER TABLE "inventory"."bills" ADD COLUMN "payment_terms" bigint;
COMMENT ON COLUMN "inventory"."bills"."payment_terms" IS 'Days that the vendor granted for paying.';
ALTER TABLE "inventory"."bills" ADD COLUMN "payment_terms_label" text;
COMMENT ON COLUMN "inventory"."bills"."payment_terms_label" IS 'What the organization calls those terms, such as Net 15.';
ALTER TABLE "inventory"."bills" ADD COLUMN "due_in_days" bigint;
COMMENT ON COLUMN "inventory"."bills"."due_in_days" IS 'Days left until the bill is due; null once it is overdue, then due_by_days counts.';
ALTER TABLE "inventory"."bills" ADD COLUMN "due_days" text;
COMMENT ON COLUMN "inventory"."bills"."due_days" IS 'The same in words of the user''s language, such as Due in 30 days, for display only.';
ALTER TABLE "inventory"."bills" ADD COLUMN "payment_expected_date" date;
COMMENT ON COLUMN "inventory"."bills"."payment_expected_date" IS 'Day on which the organization plans to pay the bill.';
ALTER TABLE "inventory"."bills" ADD COLUMN "recurring_bill_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."recurring_bill_id" IS 'Identifier of the schedule that made the bill.';
ALTER TABLE "inventory"."bills" ADD COLUMN "reference_bill_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."reference_bill_id" IS 'Identifier of the bill that this one was derived from.';
ALTER TABLE "inventory"."bills" ADD COLUMN "billing_address_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."billing_address_id" IS 'Identifier of the address that the billing address was taken from.';
ALTER TABLE "inventory"."bills" ADD COLUMN "pricebook_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."pricebook_id" IS 'Identifier of the price list used.';
ALTER TABLE "inventory"."bills" ADD COLUMN "pricebook_name" text;
COMMENT ON COLUMN "inventory"."bills"."pricebook_name" IS 'Name of the price list used.';
ALTER TABLE "inventory"."bills" ADD COLUMN "account_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."account_id" IS 'Identifier of the payables account that the bill is booked on.';
ALTER TABLE "inventory"."bills" ADD COLUMN "account_name" text;
COMMENT ON COLUMN "inventory"."bills"."account_name" IS 'Name of the payables account that the bill is booked on.';
ALTER TABLE "inventory"."bills" ADD COLUMN "is_line_item_invoiced" boolean;
COMMENT ON COLUMN "inventory"."bills"."is_line_item_invoiced" IS 'Whether a line was charged on to a customer.';
ALTER TABLE "inventory"."bills" ADD COLUMN "created_by_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."created_by_id" IS 'Identifier of the user who entered the bill.';
ALTER TABLE "inventory"."bills" ADD COLUMN "created_by" text;
COMMENT ON COLUMN "inventory"."bills"."created_by" IS 'Name of the user who entered the bill.';
ALTER TABLE "inventory"."bills" ADD COLUMN "last_modified_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."last_modified_id" IS 'Identifier of the user who last changed the bill.';
ALTER TABLE "inventory"."bills" ADD COLUMN "last_modified_by" text;
COMMENT ON COLUMN "inventory"."bills"."last_modified_by" IS 'Name of the user who last changed the bill.';
ALTER TABLE "inventory"."bills" ADD COLUMN "journal_credits" jsonb;
COMMENT ON COLUMN "inventory"."bills"."journal_credits" IS 'Journal entries that settle the bill, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."bills" ADD COLUMN "credit_notes" jsonb;
COMMENT ON COLUMN "inventory"."bills"."credit_notes" IS 'Credit notes that settle the bill, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."bills" ADD COLUMN "invoices" jsonb;
COMMENT ON COLUMN "inventory"."bills"."invoices" IS 'Invoices made of the bill, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."bills" ADD COLUMN "balance_due" numeric;
COMMENT ON COLUMN "inventory"."bills"."balance_due" IS 'What is left to pay, as lists call it, in the bill''s currency.';
ALTER TABLE "inventory"."bills" ADD COLUMN "payment_made" numeric;
COMMENT ON COLUMN "inventory"."bills"."payment_made" IS 'What was paid so far, in the bill''s currency.';
ALTER TABLE "inventory"."bills" ADD COLUMN "unprocessed_payment_amount" numeric;
COMMENT ON COLUMN "inventory"."bills"."unprocessed_payment_amount" IS 'Payments still under way at the bank, in the bill''s currency.';
ALTER TABLE "inventory"."bills" ADD COLUMN "discount_total" numeric;
COMMENT ON COLUMN "inventory"."bills"."discount_total" IS 'All discounts together, in the bill''s currency.';
ALTER TABLE "inventory"."bills" ADD COLUMN "discount" jsonb;
COMMENT ON COLUMN "inventory"."bills"."discount" IS 'Discount as it was entered, kept as JSON because it is an amount or a text with a percent sign.';
ALTER TABLE "inventory"."bills" ADD COLUMN "discount_percent" numeric;
COMMENT ON COLUMN "inventory"."bills"."discount_percent" IS 'Rate of the discount on the whole bill, in percent.';
ALTER TABLE "inventory"."bills" ADD COLUMN "discount_amount" numeric;
COMMENT ON COLUMN "inventory"."bills"."discount_amount" IS 'Discount on the whole bill as an amount, in the bill''s currency.';
ALTER TABLE "inventory"."bills" ADD COLUMN "discount_applied_on_amount" numeric;
COMMENT ON COLUMN "inventory"."bills"."discount_applied_on_amount" IS 'Sum that the discount is taken from, in the bill''s currency.';
ALTER TABLE "inventory"."bills" ADD COLUMN "is_discount_before_tax" boolean;
COMMENT ON COLUMN "inventory"."bills"."is_discount_before_tax" IS 'Whether the discount lowers the tax.';
ALTER TABLE "inventory"."bills" ADD COLUMN "discount_type" text;
COMMENT ON COLUMN "inventory"."bills"."discount_type" IS 'Whether the discount is on the whole bill (entity_level) or on lines (item_level).';
ALTER TABLE "inventory"."bills" ADD COLUMN "discount_setting" text;
COMMENT ON COLUMN "inventory"."bills"."discount_setting" IS 'Whether the discount is an amount (flat) or a rate (percent).';
ALTER TABLE "inventory"."bills" ADD COLUMN "discount_account_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."discount_account_id" IS 'Identifier of the account that discounts are booked on.';
ALTER TABLE "inventory"."bills" ADD COLUMN "discount_account_name" text;
COMMENT ON COLUMN "inventory"."bills"."discount_account_name" IS 'Name of the account that discounts are booked on.';
ALTER TABLE "inventory"."bills" ADD COLUMN "adjustment" numeric;
COMMENT ON COLUMN "inventory"."bills"."adjustment" IS 'Free correction of the total, in the bill''s currency.';
ALTER TABLE "inventory"."bills" ADD COLUMN "adjustment_description" text;
COMMENT ON COLUMN "inventory"."bills"."adjustment_description" IS 'Reason of the correction.';
ALTER TABLE "inventory"."bills" ADD COLUMN "adjustment_account_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."adjustment_account_id" IS 'Identifier of the account that the correction is booked on.';
ALTER TABLE "inventory"."bills" ADD COLUMN "adjustment_account_name" text;
COMMENT ON COLUMN "inventory"."bills"."adjustment_account_name" IS 'Name of the account that the correction is booked on.';
ALTER TABLE "inventory"."bills" ADD COLUMN "sub_total_inclusive_of_tax" numeric;
COMMENT ON COLUMN "inventory"."bills"."sub_total_inclusive_of_tax" IS 'Sum of the lines with tax, in the bill''s currency.';
ALTER TABLE "inventory"."bills" ADD COLUMN "total_retention_amount" numeric;
COMMENT ON COLUMN "inventory"."bills"."total_retention_amount" IS 'Part kept back until the work is accepted, in the bill''s currency.';
ALTER TABLE "inventory"."bills" ADD COLUMN "retention_items" jsonb;
COMMENT ON COLUMN "inventory"."bills"."retention_items" IS 'The part kept back by line, kept as JSON because no answer shows its shape.';
ALTER TABLE "inventory"."bills" ADD COLUMN "allocated_landed_costs" jsonb;
COMMENT ON COLUMN "inventory"."bills"."allocated_landed_costs" IS 'Freight and duty spread over the items, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."bills" ADD COLUMN "unallocated_landed_costs" jsonb;
COMMENT ON COLUMN "inventory"."bills"."unallocated_landed_costs" IS 'Freight and duty not spread yet, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."bills" ADD COLUMN "is_inclusive_tax" boolean;
COMMENT ON COLUMN "inventory"."bills"."is_inclusive_tax" IS 'Whether the prices of the lines hold the tax.';
ALTER TABLE "inventory"."bills" ADD COLUMN "tax_rounding" text;
COMMENT ON COLUMN "inventory"."bills"."tax_rounding" IS 'Whether tax is rounded for the whole bill or line by line: entity_level or item_level.';
ALTER TABLE "inventory"."bills" ADD COLUMN "is_tds_applied" boolean;
COMMENT ON COLUMN "inventory"."bills"."is_tds_applied" IS 'Whether tax is withheld at source, as in India and Australia.';
ALTER TABLE "inventory"."bills" ADD COLUMN "tds_total" numeric;
COMMENT ON COLUMN "inventory"."bills"."tds_total" IS 'Tax withheld at source on all lines, in the bill''s currency, as lists call it.';
ALTER TABLE "inventory"."bills" ADD COLUMN "tds_amount" numeric;
COMMENT ON COLUMN "inventory"."bills"."tds_amount" IS 'Tax withheld at source in India, in the bill''s currency.';
ALTER TABLE "inventory"."bills" ADD COLUMN "tds_percent" numeric;
COMMENT ON COLUMN "inventory"."bills"."tds_percent" IS 'Rate of the tax withheld in India, in percent.';
ALTER TABLE "inventory"."bills" ADD COLUMN "tds_tax_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."tds_tax_id" IS 'Identifier of the tax withheld in India.';
ALTER TABLE "inventory"."bills" ADD COLUMN "tds_tax_name" text;
COMMENT ON COLUMN "inventory"."bills"."tds_tax_name" IS 'Name of the tax withheld in India.';
ALTER TABLE "inventory"."bills" ADD COLUMN "tds_section" text;
COMMENT ON COLUMN "inventory"."bills"."tds_section" IS 'Section of Indian law that the tax is withheld by.';
ALTER TABLE "inventory"."bills" ADD COLUMN "tax_account_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."tax_account_id" IS 'Identifier of the account that tax withheld in India is booked on.';
ALTER TABLE "inventory"."bills" ADD COLUMN "tds_calculation_type" text;
COMMENT ON COLUMN "inventory"."bills"."tds_calculation_type" IS 'Whether tax is withheld line by line or on the whole bill.';
ALTER TABLE "inventory"."bills" ADD COLUMN "is_tds_amount_in_percent" boolean;
COMMENT ON COLUMN "inventory"."bills"."is_tds_amount_in_percent" IS 'Whether the tax withheld was entered as a rate.';
ALTER TABLE "inventory"."bills" ADD COLUMN "contact_category" text;
COMMENT ON COLUMN "inventory"."bills"."contact_category" IS 'How the vendor stands to tax, in India and in editions with VAT; the same as gst_treatment in India.';
ALTER TABLE "inventory"."bills" ADD COLUMN "tax_treatment" text;
COMMENT ON COLUMN "inventory"."bills"."tax_treatment" IS 'How the vendor stands to VAT in the Gulf states, Mexico, Kenya or South Africa; repeats gst_treatment in India.';
ALTER TABLE "inventory"."bills" ADD COLUMN "vat_treatment" text;
COMMENT ON COLUMN "inventory"."bills"."vat_treatment" IS 'How the vendor stands to UK VAT.';
ALTER TABLE "inventory"."bills" ADD COLUMN "vat_reg_no" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."vat_reg_no" IS 'UK VAT number of the vendor.';
ALTER TABLE "inventory"."bills" ADD COLUMN "place_of_supply" text;
COMMENT ON COLUMN "inventory"."bills"."place_of_supply" IS 'Emirate or state of the Gulf that the supply counts for.';
ALTER TABLE "inventory"."bills" ADD COLUMN "permit_number" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."permit_number" IS 'Number of the permit that the authority gave in the Gulf states.';
ALTER TABLE "inventory"."bills" ADD COLUMN "is_abn_quoted" text;
COMMENT ON COLUMN "inventory"."bills"."is_abn_quoted" IS 'Whether the vendor gave its business number in Australia, as a word.';
ALTER TABLE "inventory"."bills" ADD COLUMN "reference_invoice_type" text;
COMMENT ON COLUMN "inventory"."bills"."reference_invoice_type" IS 'Kind of invoice that the bill corrects in India.';
ALTER TABLE "inventory"."bills" ADD COLUMN "filed_in_vat_return_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills"."filed_in_vat_return_id" IS 'Identifier of the UK VAT return that the bill went into.';
ALTER TABLE "inventory"."bills" ADD COLUMN "filed_in_vat_return_name" text;
COMMENT ON COLUMN "inventory"."bills"."filed_in_vat_return_name" IS 'Name of the UK VAT return that the bill went into.';
ALTER TABLE "inventory"."bills" ADD COLUMN "filed_in_vat_return_type" text;
COMMENT ON COLUMN "inventory"."bills"."filed_in_vat_return_type" IS 'Kind of the UK VAT return that the bill went into.';
ALTER TABLE "inventory"."bills" ADD COLUMN "acquisition_vat_total" numeric;
COMMENT ON COLUMN "inventory"."bills"."acquisition_vat_total" IS 'VAT on acquisitions in the UK and the EU, in the bill''s currency.';
ALTER TABLE "inventory"."bills" ADD COLUMN "reverse_charge_vat_total" numeric;
COMMENT ON COLUMN "inventory"."bills"."reverse_charge_vat_total" IS 'VAT that the organization owes in place of the vendor in the UK and the EU, in the bill''s currency.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "item_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."item_id" IS 'Identifier of the item that was delivered; null for a line of free text.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "sku" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."sku" IS 'Stock keeping unit: the organization''s own code of the item.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "item_type" text;
COMMENT ON COLUMN "inventory"."bills_line_items"."item_type" IS 'What the item is used for, such as inventory or purchases.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "product_type" text;
COMMENT ON COLUMN "inventory"."bills_line_items"."product_type" IS 'Whether the line is a thing or work: goods or service.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "header_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."header_id" IS 'Identifier of the heading that the line stands under.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "header_name" text;
COMMENT ON COLUMN "inventory"."bills_line_items"."header_name" IS 'Heading that the line stands under.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "account_code" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."account_code" IS 'Code of the account that the line is booked on.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "pricebook_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."pricebook_id" IS 'Identifier of the price list used.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "discount" jsonb;
COMMENT ON COLUMN "inventory"."bills_line_items"."discount" IS 'Discount on the line, kept as JSON because it is an amount or a text with a percent sign.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "discounts" jsonb;
COMMENT ON COLUMN "inventory"."bills_line_items"."discounts" IS 'The parts of the discount, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "discount_account_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."discount_account_id" IS 'Identifier of the account that the discount is booked on.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "discount_account_name" text;
COMMENT ON COLUMN "inventory"."bills_line_items"."discount_account_name" IS 'Name of the account that the discount is booked on.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "item_total_inclusive_of_tax" numeric;
COMMENT ON COLUMN "inventory"."bills_line_items"."item_total_inclusive_of_tax" IS 'Sum of the line with tax, in the bill''s currency.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "project_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."project_id" IS 'Identifier of the project that it was bought for.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "project_name" text;
COMMENT ON COLUMN "inventory"."bills_line_items"."project_name" IS 'Name of the project that it was bought for.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "is_billable" boolean;
COMMENT ON COLUMN "inventory"."bills_line_items"."is_billable" IS 'Whether the line is to be charged on to a customer.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "customer_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."customer_id" IS 'Identifier of the customer whom the line is charged on to.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "customer_name" text;
COMMENT ON COLUMN "inventory"."bills_line_items"."customer_name" IS 'Name of the customer whom the line is charged on to.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "markup_percent" numeric;
COMMENT ON COLUMN "inventory"."bills_line_items"."markup_percent" IS 'Rate put on top when the line is charged on, in percent.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "sales_rate" numeric;
COMMENT ON COLUMN "inventory"."bills_line_items"."sales_rate" IS 'Selling price of one unit when the line is charged on; no source says in which currency.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "invoice_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."invoice_id" IS 'Identifier of the invoice that charged the line on.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "invoice_number" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."invoice_number" IS 'Number of the invoice that charged the line on.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "purchaseorder_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."purchaseorder_id" IS 'Identifier of the purchase order that the line answers.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "receive_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."receive_id" IS 'Identifier of the receipt of goods that the line charges.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "receipt_line_item_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."receipt_line_item_id" IS 'Identifier of the line of that receipt.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "quantity_received" numeric;
COMMENT ON COLUMN "inventory"."bills_line_items"."quantity_received" IS 'Units of the line that were received.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "storages" jsonb;
COMMENT ON COLUMN "inventory"."bills_line_items"."storages" IS 'Bins that the goods went to, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "itc_eligibility" text;
COMMENT ON COLUMN "inventory"."bills_line_items"."itc_eligibility" IS 'Whether the tax of the line can be reclaimed in India.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "gst_treatment_code" text;
COMMENT ON COLUMN "inventory"."bills_line_items"."gst_treatment_code" IS 'Why the line is outside of Indian GST.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "tax_treatment_code" text;
COMMENT ON COLUMN "inventory"."bills_line_items"."tax_treatment_code" IS 'Why the line is outside of VAT in the Gulf states.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "tds_tax_name" text;
COMMENT ON COLUMN "inventory"."bills_line_items"."tds_tax_name" IS 'Name of the tax withheld at source in India.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "tds_tax_percentage" numeric;
COMMENT ON COLUMN "inventory"."bills_line_items"."tds_tax_percentage" IS 'Rate of the tax withheld at source in India, in percent.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "tds_tax_amount" numeric;
COMMENT ON COLUMN "inventory"."bills_line_items"."tds_tax_amount" IS 'Tax withheld at source on the line in India, in the bill''s currency.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "acquisition_vat_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."acquisition_vat_id" IS 'Identifier of the VAT on acquisitions in the UK and the EU.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "acquisition_vat_name" text;
COMMENT ON COLUMN "inventory"."bills_line_items"."acquisition_vat_name" IS 'Name of the VAT on acquisitions.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "acquisition_vat_percentage" numeric;
COMMENT ON COLUMN "inventory"."bills_line_items"."acquisition_vat_percentage" IS 'Rate of the VAT on acquisitions, in percent.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "acquisition_vat_amount" numeric;
COMMENT ON COLUMN "inventory"."bills_line_items"."acquisition_vat_amount" IS 'VAT on acquisitions, in the bill''s currency.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "reverse_charge_vat_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_line_items"."reverse_charge_vat_id" IS 'Identifier of the VAT that the organization owes in place of the vendor in the UK and the EU.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "reverse_charge_vat_name" text;
COMMENT ON COLUMN "inventory"."bills_line_items"."reverse_charge_vat_name" IS 'Name of the VAT owed in place of the vendor.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "reverse_charge_vat_percentage" numeric;
COMMENT ON COLUMN "inventory"."bills_line_items"."reverse_charge_vat_percentage" IS 'Rate of the VAT owed in place of the vendor, in percent.';
ALTER TABLE "inventory"."bills_line_items" ADD COLUMN "reverse_charge_vat_amount" numeric;
COMMENT ON COLUMN "inventory"."bills_line_items"."reverse_charge_vat_amount" IS 'VAT owed in place of the vendor, in the bill''s currency.';

CREATE TABLE "inventory"."bills_line_items_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."bills_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_line_items_tags" IS 'A reporting tag of a line of a bill.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."_parent_position" IS 'Position of the element that the row belongs to, in bills_line_items.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."tag_id" IS 'Identifier of the tag, such as that of a cost centre.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."is_tag_mandatory" IS 'Whether the organization asks for the tag everywhere.';
COMMENT ON COLUMN "inventory"."bills_line_items_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_line_items_line_item_taxes" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "tax_id" text COLLATE "C",
  "tax_name" text,
  "tax_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."bills_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_line_items_line_item_taxes" IS 'One tax on a line of a bill.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."_parent_position" IS 'Position of the element that the row belongs to, in bills_line_items.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."tax_id" IS 'Identifier of the tax.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."tax_name" IS 'Name of the tax with its rate.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."tax_amount" IS 'Amount of the tax on the line, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_line_items_line_item_taxes"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_line_items_serial_numbers" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "serial_number" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."bills_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_line_items_serial_numbers" IS 'The serial number of one unit that was received with a line of a bill.';
COMMENT ON COLUMN "inventory"."bills_line_items_serial_numbers"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_line_items_serial_numbers"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_line_items_serial_numbers"."_parent_position" IS 'Position of the element that the row belongs to, in bills_line_items.';
COMMENT ON COLUMN "inventory"."bills_line_items_serial_numbers"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_line_items_serial_numbers"."serial_number" IS 'Serial number of the unit, leading zeros kept.';
COMMENT ON COLUMN "inventory"."bills_line_items_serial_numbers"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_line_items_batches" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "batch_id" text COLLATE "C",
  "batch_number" text COLLATE "C",
  "external_batch_number" text COLLATE "C",
  "manufacturer_date" date,
  "expiry_date" date,
  "in_quantity" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."bills_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_line_items_batches" IS 'A batch of goods that was received with a line of a bill.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."_parent_position" IS 'Position of the element that the row belongs to, in bills_line_items.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."batch_id" IS 'Identifier of the batch.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."batch_number" IS 'Number of the batch as the organization shows it.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."external_batch_number" IS 'Number that the manufacturer gave the batch.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."manufacturer_date" IS 'Day on which the batch was made.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."expiry_date" IS 'Day on which the batch expires.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."in_quantity" IS 'Units of the batch that were received.';
COMMENT ON COLUMN "inventory"."bills_line_items_batches"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_line_items_item_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "customfield_id" text COLLATE "C",
  "index" bigint,
  "label" text,
  "value" jsonb,
  "api_name" text COLLATE "C",
  "data_type" text,
  "search_entity" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."bills_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_line_items_item_custom_fields" IS 'A field that the organization added to lines, with its value on a line of a bill.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."_parent_position" IS 'Position of the element that the row belongs to, in bills_line_items.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."customfield_id" IS 'Identifier of the field; the same on every line.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."api_name" IS 'Name of the field for programs: cf_ and the name of the field.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."data_type" IS 'Type of the field, such as string, date or dropdown.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."search_entity" IS 'Kind of record that the field belongs to.';
COMMENT ON COLUMN "inventory"."bills_line_items_item_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."bills_taxes" ADD COLUMN "tax_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_taxes"."tax_id" IS 'Identifier of the tax.';
ALTER TABLE "inventory"."bills_payments" ADD COLUMN "apply_date" date;
COMMENT ON COLUMN "inventory"."bills_payments"."apply_date" IS 'Day on which the payment was set against the bill.';
ALTER TABLE "inventory"."bills_payments" ADD COLUMN "paid_through_account_type" text;
COMMENT ON COLUMN "inventory"."bills_payments"."paid_through_account_type" IS 'Kind of the account that the money left, such as bank or cash.';
ALTER TABLE "inventory"."bills_payments" ADD COLUMN "credit_account_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_payments"."credit_account_id" IS 'Identifier of the account of a credit that paid.';
ALTER TABLE "inventory"."bills_payments" ADD COLUMN "is_paid_via_print_check" boolean;
COMMENT ON COLUMN "inventory"."bills_payments"."is_paid_via_print_check" IS 'Whether it was paid by a printed check in the US or Canada.';
ALTER TABLE "inventory"."bills_payments" ADD COLUMN "check_details" jsonb;
COMMENT ON COLUMN "inventory"."bills_payments"."check_details" IS 'Number and state of the printed check, kept as JSON because no answer shows its shape.';
ALTER TABLE "inventory"."bills_payments" ADD COLUMN "is_ach_payment" boolean;
COMMENT ON COLUMN "inventory"."bills_payments"."is_ach_payment" IS 'Whether it was paid by bank debit in the US.';
ALTER TABLE "inventory"."bills_payments" ADD COLUMN "ach_payment_status" text;
COMMENT ON COLUMN "inventory"."bills_payments"."ach_payment_status" IS 'Where the bank debit stands.';
ALTER TABLE "inventory"."bills_payments" ADD COLUMN "ach_gw_transaction_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_payments"."ach_gw_transaction_id" IS 'Reference of the bank debit at the gateway.';
ALTER TABLE "inventory"."bills_billing_address" ADD COLUMN "street2" text;
COMMENT ON COLUMN "inventory"."bills_billing_address"."street2" IS 'Second line of the street, such as a floor.';
ALTER TABLE "inventory"."bills_billing_address" ADD COLUMN "attention" text;
COMMENT ON COLUMN "inventory"."bills_billing_address"."attention" IS 'Person or department that it is addressed to.';
ALTER TABLE "inventory"."bills_billing_address" ADD COLUMN "phone" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_billing_address"."phone" IS 'Phone number as it was entered, leading zeros kept.';
ALTER TABLE "inventory"."bills_custom_fields" ADD COLUMN "index" bigint;
COMMENT ON COLUMN "inventory"."bills_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
ALTER TABLE "inventory"."bills_custom_fields" ADD COLUMN "label" text;
COMMENT ON COLUMN "inventory"."bills_custom_fields"."label" IS 'Name of the field as the organization shows it.';
ALTER TABLE "inventory"."bills_custom_fields" ADD COLUMN "api_name" text COLLATE "C";
COMMENT ON COLUMN "inventory"."bills_custom_fields"."api_name" IS 'Name of the field for programs: cf_ and the name of the field.';
ALTER TABLE "inventory"."bills_custom_fields" ADD COLUMN "data_type" text;
COMMENT ON COLUMN "inventory"."bills_custom_fields"."data_type" IS 'Type of the field, such as string, date or dropdown.';
ALTER TABLE "inventory"."bills_custom_fields" ADD COLUMN "search_entity" text;
COMMENT ON COLUMN "inventory"."bills_custom_fields"."search_entity" IS 'Kind of record that the field belongs to.';

CREATE TABLE "inventory"."bills_tds_summary" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tds_tax_id" text COLLATE "C",
  "tds_name" text,
  "tds_percentage" numeric,
  "tds_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_tds_summary" IS 'The sum of one tax withheld at source over all lines of a bill in India.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."tds_tax_id" IS 'Identifier of the tax withheld.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."tds_name" IS 'Name of the tax withheld.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."tds_percentage" IS 'Rate of the tax withheld, in percent.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."tds_amount" IS 'Sum of the tax withheld, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_tds_summary"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_gst_return_details" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "return_period" text,
  "status" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_gst_return_details" IS 'The Indian GST return that a bill went into.';
COMMENT ON COLUMN "inventory"."bills_gst_return_details"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_gst_return_details"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_gst_return_details"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_gst_return_details"."return_period" IS 'Month or quarter of the return.';
COMMENT ON COLUMN "inventory"."bills_gst_return_details"."status" IS 'Where the return stands.';
COMMENT ON COLUMN "inventory"."bills_gst_return_details"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_acquisition_vat_summary" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_name" text,
  "tax_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_acquisition_vat_summary" IS 'The sum of one VAT on acquisitions over all lines of a bill in the UK or the EU.';
COMMENT ON COLUMN "inventory"."bills_acquisition_vat_summary"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_acquisition_vat_summary"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_acquisition_vat_summary"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_acquisition_vat_summary"."tax_name" IS 'Name of the VAT with its rate.';
COMMENT ON COLUMN "inventory"."bills_acquisition_vat_summary"."tax_amount" IS 'Sum of the VAT, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_acquisition_vat_summary"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_reverse_charge_vat_summary" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tax_name" text,
  "tax_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_reverse_charge_vat_summary" IS 'The sum of one VAT that the organization owes in place of the vendor, over all lines of a bill in the UK or the EU.';
COMMENT ON COLUMN "inventory"."bills_reverse_charge_vat_summary"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_reverse_charge_vat_summary"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_reverse_charge_vat_summary"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_reverse_charge_vat_summary"."tax_name" IS 'Name of the VAT with its rate.';
COMMENT ON COLUMN "inventory"."bills_reverse_charge_vat_summary"."tax_amount" IS 'Sum of the VAT, in the bill''s currency.';
COMMENT ON COLUMN "inventory"."bills_reverse_charge_vat_summary"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_purchaseorder_ids" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "purchaseorder_id" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_purchaseorder_ids" IS 'A purchase order that a bill answers, by its identifier alone.';
COMMENT ON COLUMN "inventory"."bills_purchaseorder_ids"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_purchaseorder_ids"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_purchaseorder_ids"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_purchaseorder_ids"."purchaseorder_id" IS 'Identifier of the purchase order.';
COMMENT ON COLUMN "inventory"."bills_purchaseorder_ids"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_purchaseorders" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "purchaseorder_id" text COLLATE "C",
  "purchaseorder_number" text COLLATE "C",
  "purchaseorder_status" text,
  "purchaseorder_date" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_purchaseorders" IS 'A purchase order that a bill answers.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."purchaseorder_id" IS 'Identifier of the purchase order.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."purchaseorder_number" IS 'Number of the purchase order as the vendor sees it.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."purchaseorder_status" IS 'Where the purchase order stands.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."purchaseorder_date" IS 'Day of the purchase order, written by the organization''s settings, for display only.';
COMMENT ON COLUMN "inventory"."bills_purchaseorders"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_tags" IS 'A reporting tag of a bill.';
COMMENT ON COLUMN "inventory"."bills_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_tags"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_tags"."tag_id" IS 'Identifier of the tag, such as that of a cost centre.';
COMMENT ON COLUMN "inventory"."bills_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "inventory"."bills_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "inventory"."bills_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "inventory"."bills_tags"."is_tag_mandatory" IS 'Whether the organization asks for the tag everywhere.';
COMMENT ON COLUMN "inventory"."bills_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_documents" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "document_id" text COLLATE "C",
  "file_name" text,
  "file_type" text,
  "file_size" bigint,
  "attachment_order" bigint,
  "source" text,
  "uploaded_by" text,
  "uploaded_by_id" text COLLATE "C",
  "uploaded_on" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_documents" IS 'A file attached to a bill.';
COMMENT ON COLUMN "inventory"."bills_documents"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_documents"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_documents"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_documents"."document_id" IS 'Identifier of the file.';
COMMENT ON COLUMN "inventory"."bills_documents"."file_name" IS 'Name of the file.';
COMMENT ON COLUMN "inventory"."bills_documents"."file_type" IS 'Type of the file, such as pdf.';
COMMENT ON COLUMN "inventory"."bills_documents"."file_size" IS 'Size of the file, in bytes.';
COMMENT ON COLUMN "inventory"."bills_documents"."attachment_order" IS 'Place of the file among those of the record.';
COMMENT ON COLUMN "inventory"."bills_documents"."source" IS 'Where the file came from, such as a computer or mail.';
COMMENT ON COLUMN "inventory"."bills_documents"."uploaded_by" IS 'Name of the user who attached the file.';
COMMENT ON COLUMN "inventory"."bills_documents"."uploaded_by_id" IS 'Identifier of the user who attached the file.';
COMMENT ON COLUMN "inventory"."bills_documents"."uploaded_on" IS 'When the file was attached, written by the organization''s settings, for display only.';
COMMENT ON COLUMN "inventory"."bills_documents"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."bills_comments" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "comment_id" text COLLATE "C",
  "description" text,
  "commented_by_id" text COLLATE "C",
  "commented_by" text,
  "comment_type" text,
  "operation_type" text,
  "date" date,
  "time" text,
  "transaction_id" text COLLATE "C",
  "transaction_type" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."bills" ("organization_id", "bill_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."bills_comments" IS 'An entry of the history of a bill.';
COMMENT ON COLUMN "inventory"."bills_comments"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."bills_comments"."_parent_id" IS 'Key of the record that the row belongs to, in bills.';
COMMENT ON COLUMN "inventory"."bills_comments"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."bills_comments"."comment_id" IS 'Identifier of the entry.';
COMMENT ON COLUMN "inventory"."bills_comments"."description" IS 'Text of the entry.';
COMMENT ON COLUMN "inventory"."bills_comments"."commented_by_id" IS 'Identifier of the user who made the entry.';
COMMENT ON COLUMN "inventory"."bills_comments"."commented_by" IS 'Name of the user who made the entry.';
COMMENT ON COLUMN "inventory"."bills_comments"."comment_type" IS 'Kind of the entry: by the service itself, or by a user.';
COMMENT ON COLUMN "inventory"."bills_comments"."operation_type" IS 'What was done, such as Added or Updated.';
COMMENT ON COLUMN "inventory"."bills_comments"."date" IS 'Day of the entry.';
COMMENT ON COLUMN "inventory"."bills_comments"."time" IS 'Time of the entry, written by the organization''s settings, for display only.';
COMMENT ON COLUMN "inventory"."bills_comments"."transaction_id" IS 'Identifier of the record that the entry is about.';
COMMENT ON COLUMN "inventory"."bills_comments"."transaction_type" IS 'Kind of the record that the entry is about.';
COMMENT ON COLUMN "inventory"."bills_comments"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "issued_date" date;
COMMENT ON COLUMN "inventory"."credit_notes"."issued_date" IS 'Day on which the credit note was issued, beside date.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "current_sub_status" text;
COMMENT ON COLUMN "inventory"."credit_notes"."current_sub_status" IS 'The organization''s own finer state of the credit note; repeats status without any.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "current_sub_status_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes"."current_sub_status_id" IS 'Identifier of the organization''s own finer state.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "invoice_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes"."invoice_id" IS 'Identifier of the invoice that the credit note was made from.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "applied_invoices" jsonb;
COMMENT ON COLUMN "inventory"."credit_notes"."applied_invoices" IS 'Invoices that the credit settles, kept as JSON because it is a text in lists and an array elsewhere.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "salesperson_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes"."salesperson_id" IS 'Identifier of the seller; -1 stands for none.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "salesperson_name" text;
COMMENT ON COLUMN "inventory"."credit_notes"."salesperson_name" IS 'Name of the seller; Others stands for none.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "sales_channel" text;
COMMENT ON COLUMN "inventory"."credit_notes"."sales_channel" IS 'Shop that the credit note came from.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "subject_content" text;
COMMENT ON COLUMN "inventory"."credit_notes"."subject_content" IS 'Subject line of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "account_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes"."account_id" IS 'Identifier of the receivables account that the credit note is booked on.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "account_name" text;
COMMENT ON COLUMN "inventory"."credit_notes"."account_name" IS 'Name of the receivables account that the credit note is booked on.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "created_by_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes"."created_by_id" IS 'Identifier of the user who entered the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "created_by_name" text;
COMMENT ON COLUMN "inventory"."credit_notes"."created_by_name" IS 'Name of the user who entered the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "last_modified_by_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes"."last_modified_by_id" IS 'Identifier of the user who last changed the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "is_emailed" boolean;
COMMENT ON COLUMN "inventory"."credit_notes"."is_emailed" IS 'Whether the credit note was sent by mail.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "is_viewed_by_client" boolean;
COMMENT ON COLUMN "inventory"."credit_notes"."is_viewed_by_client" IS 'Whether the customer opened the credit note in the portal.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "client_viewed_time" timestamp with time zone;
COMMENT ON COLUMN "inventory"."credit_notes"."client_viewed_time" IS 'When the customer opened the credit note in the portal.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "has_attachment" boolean;
COMMENT ON COLUMN "inventory"."credit_notes"."has_attachment" IS 'Whether a file is attached to the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "exceptions" jsonb;
COMMENT ON COLUMN "inventory"."credit_notes"."exceptions" IS 'Errors of an electronic submission, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "contact_category" text;
COMMENT ON COLUMN "inventory"."credit_notes"."contact_category" IS 'How the customer stands to tax, in India and in editions with VAT.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "tds_calculation_type" text;
COMMENT ON COLUMN "inventory"."credit_notes"."tds_calculation_type" IS 'Whether tax is withheld line by line or on the whole credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "is_reverse_charge_applied" boolean;
COMMENT ON COLUMN "inventory"."credit_notes"."is_reverse_charge_applied" IS 'Whether the customer owes the tax in South Africa.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "currency_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes"."currency_id" IS 'Identifier of the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "exchange_rate" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."exchange_rate" IS 'Price of one unit of the credit note''s currency in the base currency.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "price_precision" bigint;
COMMENT ON COLUMN "inventory"."credit_notes"."price_precision" IS 'Decimals that prices on the credit note are shown with.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "sub_total" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."sub_total" IS 'Sum of the lines before tax, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "sub_total_inclusive_of_tax" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."sub_total_inclusive_of_tax" IS 'Sum of the lines with tax, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "tax_total" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."tax_total" IS 'Sum of the taxes, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "is_inclusive_tax" boolean;
COMMENT ON COLUMN "inventory"."credit_notes"."is_inclusive_tax" IS 'Whether the prices of the lines hold the tax.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "tax_rounding" text;
COMMENT ON COLUMN "inventory"."credit_notes"."tax_rounding" IS 'Whether tax is rounded for the whole credit note or line by line: entity_level or item_level.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "total_credits_used" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."total_credits_used" IS 'Part of the credit that is used on invoices, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "total_refunded_amount" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."total_refunded_amount" IS 'Part of the credit that was paid back, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "discount" jsonb;
COMMENT ON COLUMN "inventory"."credit_notes"."discount" IS 'Discount as it was entered, kept as JSON because it is an amount or a text with a percent sign.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "discount_applied_on_amount" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."discount_applied_on_amount" IS 'Sum that the discount is taken from, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "is_discount_before_tax" boolean;
COMMENT ON COLUMN "inventory"."credit_notes"."is_discount_before_tax" IS 'Whether the discount lowers the tax.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "discount_type" text;
COMMENT ON COLUMN "inventory"."credit_notes"."discount_type" IS 'Whether the discount is on the whole credit note (entity_level) or on lines (item_level).';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "discount_account_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes"."discount_account_id" IS 'Identifier of the account that discounts are booked on.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "discount_account_name" text;
COMMENT ON COLUMN "inventory"."credit_notes"."discount_account_name" IS 'Name of the account that discounts are booked on.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "adjustment" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."adjustment" IS 'Free correction of the total, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "adjustment_description" text;
COMMENT ON COLUMN "inventory"."credit_notes"."adjustment_description" IS 'Reason of the correction.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "adjustment_account_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes"."adjustment_account_id" IS 'Identifier of the account that the correction is booked on.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "adjustment_account_name" text;
COMMENT ON COLUMN "inventory"."credit_notes"."adjustment_account_name" IS 'Name of the account that the correction is booked on.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "rounding_mode" text;
COMMENT ON COLUMN "inventory"."credit_notes"."rounding_mode" IS 'How amounts of the credit note are rounded.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "bcy_rounding_mode" text;
COMMENT ON COLUMN "inventory"."credit_notes"."bcy_rounding_mode" IS 'How amounts in the base currency are rounded.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "transaction_rounding_type" text;
COMMENT ON COLUMN "inventory"."credit_notes"."transaction_rounding_type" IS 'Whether and how the total is rounded.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "roundoff_value" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."roundoff_value" IS 'What rounding added to the total, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "shipping_charge" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge" IS 'Freight that is credited, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "shipping_charge_exclusive_of_tax" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_exclusive_of_tax" IS 'Freight without tax, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "shipping_charge_inclusive_of_tax" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_inclusive_of_tax" IS 'Freight with tax, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "shipping_charge_account_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_account_id" IS 'Identifier of the account that freight is booked on.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "shipping_charge_account_name" text;
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_account_name" IS 'Name of the account that freight is booked on.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "shipping_charge_tax_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_tax_id" IS 'Identifier of the tax on the freight.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "shipping_charge_tax_name" text;
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_tax_name" IS 'Name of the tax on the freight.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "shipping_charge_tax_type" text;
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_tax_type" IS 'Whether that tax is a simple or a compound one.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "shipping_charge_tax_percentage" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_tax_percentage" IS 'Rate of the tax on the freight, in percent.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "shipping_charge_tax" numeric;
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_tax" IS 'Tax on the freight, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes" ADD COLUMN "shipping_charge_taxes" jsonb;
COMMENT ON COLUMN "inventory"."credit_notes"."shipping_charge_taxes" IS 'Taxes on the freight one by one, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "item_total" numeric;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."item_total" IS 'Quantity times rate less discount before tax, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "bcy_rate" numeric;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."bcy_rate" IS 'Price of one unit, in the base currency.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "account_name" text;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."account_name" IS 'Name of the account that the line is booked on.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "discount_amount" numeric;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."discount_amount" IS 'Discount on the line as an amount, in the currency of the credit note.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "discounts" jsonb;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."discounts" IS 'The parts of the discount, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "discount_account_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."discount_account_id" IS 'Identifier of the account that the discount is booked on.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "discount_account_name" text;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."discount_account_name" IS 'Name of the account that the discount is booked on.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "tax_name" text;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."tax_name" IS 'Name of the tax on the line.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "tax_type" text;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."tax_type" IS 'Whether the tax is a simple or a compound one.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "tax_percentage" numeric;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."tax_percentage" IS 'Rate of the tax on the line, in percent.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "tax_treatment_code" text;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."tax_treatment_code" IS 'Why the line is outside of VAT in the Gulf states.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "project_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."project_id" IS 'Identifier of the project that the line belongs to.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "project_name" text;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."project_name" IS 'Name of the project that the line belongs to.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "item_type" text;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."item_type" IS 'What the item is used for, such as inventory or sales; empty for a line of free text.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "internal_name" text;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."internal_name" IS 'Name of the item inside the organization.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "code" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."code" IS 'Code of the item or of the plan.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "type" bigint;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."type" IS 'Kind of the line, as a number that no source explains.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "pricing_scheme" text;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."pricing_scheme" IS 'Whether the price is by unit or by volume.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "pricebook_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."pricebook_id" IS 'Identifier of the price list used.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "sales_margin" numeric;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."sales_margin" IS 'Margin on the line, in percent.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "is_combo_product" boolean;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."is_combo_product" IS 'Whether the item is a bundle of other items.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "combo_type" text;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."combo_type" IS 'Kind of bundle: assembly (made to stock) or kit (sold as parts).';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "mapped_items" jsonb;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."mapped_items" IS 'Items of the bundle, kept as JSON because they nest.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "can_skip_stock_tracking" boolean;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."can_skip_stock_tracking" IS 'Whether the line leaves the stock alone.';
ALTER TABLE "inventory"."credit_notes_line_items" ADD COLUMN "is_credit_only_item" boolean;
COMMENT ON COLUMN "inventory"."credit_notes_line_items"."is_credit_only_item" IS 'Whether the line credits money and no goods.';

CREATE TABLE "inventory"."credit_notes_line_items_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."credit_notes_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_line_items_tags" IS 'A reporting tag of a line of a credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."_parent_position" IS 'Position of the element that the row belongs to, in credit_notes_line_items.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."tag_id" IS 'Identifier of the tag, such as that of a cost centre.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."is_tag_mandatory" IS 'Whether the organization asks for the tag everywhere.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_line_items_line_item_taxes" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "tax_id" text COLLATE "C",
  "tax_name" text,
  "tax_amount" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "inventory"."credit_notes_line_items" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_line_items_line_item_taxes" IS 'One tax on a line of a credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."_parent_position" IS 'Position of the element that the row belongs to, in credit_notes_line_items.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."tax_id" IS 'Identifier of the tax.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."tax_name" IS 'Name of the tax with its rate.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."tax_amount" IS 'Amount of the tax on the line, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_line_items_line_item_taxes"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."credit_notes_custom_fields" ADD COLUMN "customfield_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."customfield_id" IS 'Identifier of the field; the same on every credit note.';
ALTER TABLE "inventory"."credit_notes_custom_fields" ADD COLUMN "api_name" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."api_name" IS 'Name of the field for programs: cf_ and the name of the field.';
ALTER TABLE "inventory"."credit_notes_custom_fields" ADD COLUMN "data_type" text;
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."data_type" IS 'Type of the field, such as string, date or dropdown.';
ALTER TABLE "inventory"."credit_notes_custom_fields" ADD COLUMN "search_entity" text;
COMMENT ON COLUMN "inventory"."credit_notes_custom_fields"."search_entity" IS 'Kind of record that the field belongs to.';
ALTER TABLE "inventory"."credit_notes_billing_address" ADD COLUMN "attention" text;
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."attention" IS 'Person or department that it is addressed to.';
ALTER TABLE "inventory"."credit_notes_billing_address" ADD COLUMN "phone" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes_billing_address"."phone" IS 'Phone number as it was entered, leading zeros kept.';
ALTER TABLE "inventory"."credit_notes_shipping_address" ADD COLUMN "attention" text;
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."attention" IS 'Person or department that it is addressed to.';
ALTER TABLE "inventory"."credit_notes_shipping_address" ADD COLUMN "phone" text COLLATE "C";
COMMENT ON COLUMN "inventory"."credit_notes_shipping_address"."phone" IS 'Phone number as it was entered, leading zeros kept.';

CREATE TABLE "inventory"."credit_notes_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_tags" IS 'A reporting tag of a credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."tag_id" IS 'Identifier of the tag, such as that of a cost centre.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."is_tag_mandatory" IS 'Whether the organization asks for the tag everywhere.';
COMMENT ON COLUMN "inventory"."credit_notes_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_documents" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "document_id" text COLLATE "C",
  "file_name" text,
  "file_type" text,
  "file_size" bigint,
  "attachment_order" bigint,
  "source" text,
  "uploaded_by" text,
  "uploaded_by_id" text COLLATE "C",
  "uploaded_on" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_documents" IS 'A file attached to a credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."document_id" IS 'Identifier of the file.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."file_name" IS 'Name of the file.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."file_type" IS 'Type of the file, such as pdf.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."file_size" IS 'Size of the file, in bytes.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."attachment_order" IS 'Place of the file among those of the record.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."source" IS 'Where the file came from, such as a computer or mail.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."uploaded_by" IS 'Name of the user who attached the file.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."uploaded_by_id" IS 'Identifier of the user who attached the file.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."uploaded_on" IS 'When the file was attached, written by the organization''s settings, for display only.';
COMMENT ON COLUMN "inventory"."credit_notes_documents"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_invoices_credited" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "creditnote_invoice_id" text COLLATE "C",
  "invoice_id" text COLLATE "C",
  "invoice_number" text COLLATE "C",
  "date" date,
  "credited_amount" numeric,
  "invoice_date" date,
  "amount_applied" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_invoices_credited" IS 'An invoice that a credit note settles a part of, as live services send it in place of invoices.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."creditnote_invoice_id" IS 'Identifier of the settlement: this credit note on this invoice.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."invoice_id" IS 'Identifier of the invoice.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."invoice_number" IS 'Number of the invoice as the customer sees it.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."date" IS 'Day on which the credit was used.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."credited_amount" IS 'Part of the credit used on the invoice, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."invoice_date" IS 'Day of the invoice; some organizations get it.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."amount_applied" IS 'Part of the credit used on the invoice, in the currency of the credit note; some organizations get it in place of credited_amount.';
COMMENT ON COLUMN "inventory"."credit_notes_invoices_credited"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_creditnote_refunds" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "creditnote_refund_id" text COLLATE "C",
  "date" date,
  "refund_mode" text,
  "reference_number" text COLLATE "C",
  "description" text,
  "amount_bcy" numeric,
  "amount_fcy" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_creditnote_refunds" IS 'Money of a credit note that was paid back to the customer.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."creditnote_refund_id" IS 'Identifier of the refund.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."date" IS 'Day of the refund.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."refund_mode" IS 'How it was paid back, such as cash or bank transfer.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."reference_number" IS 'Number that the organization gave the refund.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."description" IS 'Free note on the refund.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."amount_bcy" IS 'Amount paid back, in the base currency.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."amount_fcy" IS 'Amount paid back, in the currency of the credit note.';
COMMENT ON COLUMN "inventory"."credit_notes_creditnote_refunds"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_contact_persons" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "contact_person_id" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_contact_persons" IS 'A person that a credit note goes to, by the identifier alone.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons"."contact_person_id" IS 'Identifier of the person.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."credit_notes_contact_persons_associated" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "contact_person_id" text COLLATE "C",
  "contact_person_name" text,
  "contact_person_email" text,
  "phone" text COLLATE "C",
  "mobile" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."credit_notes" ("organization_id", "creditnote_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."credit_notes_contact_persons_associated" IS 'A person that a credit note goes to.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."_parent_id" IS 'Key of the record that the row belongs to, in credit_notes.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."contact_person_id" IS 'Identifier of the person.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."contact_person_name" IS 'Name of the person.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."contact_person_email" IS 'Address of the person for mail.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."phone" IS 'Landline number as it was entered, leading zeros kept.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."mobile" IS 'Mobile number as it was entered, leading zeros kept.';
COMMENT ON COLUMN "inventory"."credit_notes_contact_persons_associated"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "combo_type" text;
COMMENT ON COLUMN "inventory"."composite_items"."combo_type" IS 'Kind of bundle: assembly (made to stock) or kit (sold as parts).';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "assembly_type" text;
COMMENT ON COLUMN "inventory"."composite_items"."assembly_type" IS 'How an assembly is made.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "alias_name" text;
COMMENT ON COLUMN "inventory"."composite_items"."alias_name" IS 'Second name of the bundle.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "category_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."composite_items"."category_id" IS 'Identifier of the category in the tree of categories.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "category_name" text;
COMMENT ON COLUMN "inventory"."composite_items"."category_name" IS 'Name of the category.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "brand" text;
COMMENT ON COLUMN "inventory"."composite_items"."brand" IS 'Brand of the bundle.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "manufacturer" text;
COMMENT ON COLUMN "inventory"."composite_items"."manufacturer" IS 'Maker of the bundle.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "can_be_sold" boolean;
COMMENT ON COLUMN "inventory"."composite_items"."can_be_sold" IS 'Whether the bundle may stand on sales.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "can_be_purchased" boolean;
COMMENT ON COLUMN "inventory"."composite_items"."can_be_purchased" IS 'Whether the bundle may stand on purchases.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "is_returnable" boolean;
COMMENT ON COLUMN "inventory"."composite_items"."is_returnable" IS 'Whether customers may send the bundle back.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "is_linked_with_zohocrm" boolean;
COMMENT ON COLUMN "inventory"."composite_items"."is_linked_with_zohocrm" IS 'Whether the bundle is kept equal with a product of the vendor''s CRM service.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "image_type" text;
COMMENT ON COLUMN "inventory"."composite_items"."image_type" IS 'File type of the picture of the bundle, such as png.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "image_document_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."composite_items"."image_document_id" IS 'Identifier of the file of the picture, the successor of image_id.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "product_description" text;
COMMENT ON COLUMN "inventory"."composite_items"."product_description" IS 'Text about the bundle in a shop.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "product_short_description" text;
COMMENT ON COLUMN "inventory"."composite_items"."product_short_description" IS 'Short text about the bundle in a shop.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "url" text;
COMMENT ON COLUMN "inventory"."composite_items"."url" IS 'Address of the bundle in a shop.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "show_in_storefront" boolean;
COMMENT ON COLUMN "inventory"."composite_items"."show_in_storefront" IS 'Whether a shop shows the bundle.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "specifications" jsonb;
COMMENT ON COLUMN "inventory"."composite_items"."specifications" IS 'Technical data, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "specificationset_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."composite_items"."specificationset_id" IS 'Identifier of the set of technical data.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "specificationset_name" text;
COMMENT ON COLUMN "inventory"."composite_items"."specificationset_name" IS 'Name of the set of technical data.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "sales_channels" jsonb;
COMMENT ON COLUMN "inventory"."composite_items"."sales_channels" IS 'Shops that list the bundle, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "preferred_vendors" jsonb;
COMMENT ON COLUMN "inventory"."composite_items"."preferred_vendors" IS 'Vendors in the order of preference, kept as JSON because no answer shows their shape.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "track_inventory" boolean;
COMMENT ON COLUMN "inventory"."composite_items"."track_inventory" IS 'Whether the stock of the bundle is counted.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "track_serial_number" boolean;
COMMENT ON COLUMN "inventory"."composite_items"."track_serial_number" IS 'Whether units are told apart by serial number.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "track_batch_number" boolean;
COMMENT ON COLUMN "inventory"."composite_items"."track_batch_number" IS 'Whether units are told apart by batch.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "committed_stock" numeric;
COMMENT ON COLUMN "inventory"."composite_items"."committed_stock" IS 'Units that the books promise to orders.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "actual_committed_stock" numeric;
COMMENT ON COLUMN "inventory"."composite_items"."actual_committed_stock" IS 'Units that are really promised to orders.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "available_for_sale_stock" numeric;
COMMENT ON COLUMN "inventory"."composite_items"."available_for_sale_stock" IS 'Units by the books less promised ones: what a shop can still sell.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "actual_available_for_sale_stock" numeric;
COMMENT ON COLUMN "inventory"."composite_items"."actual_available_for_sale_stock" IS 'Units that are really there, less promised ones.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "total_initial_stock" numeric;
COMMENT ON COLUMN "inventory"."composite_items"."total_initial_stock" IS 'Units that were in stock when the bundle was entered, over all locations.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "minimum_order_quantity" numeric;
COMMENT ON COLUMN "inventory"."composite_items"."minimum_order_quantity" IS 'Fewest units of one order.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "maximum_order_quantity" numeric;
COMMENT ON COLUMN "inventory"."composite_items"."maximum_order_quantity" IS 'Most units of one order.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "sales_rate" numeric;
COMMENT ON COLUMN "inventory"."composite_items"."sales_rate" IS 'Selling price of one bundle as it was entered, in the base currency.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "label_rate" numeric;
COMMENT ON COLUMN "inventory"."composite_items"."label_rate" IS 'Retail price printed on the pack in India, in the base currency.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "purchase_tax_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."composite_items"."purchase_tax_id" IS 'Identifier of the tax on purchases of the bundle.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "purchase_tax_name" text;
COMMENT ON COLUMN "inventory"."composite_items"."purchase_tax_name" IS 'Name of the tax on purchases of the bundle.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "purchase_tax_type" text;
COMMENT ON COLUMN "inventory"."composite_items"."purchase_tax_type" IS 'Whether that tax is a simple or a compound one.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "purchase_tax_percentage" numeric;
COMMENT ON COLUMN "inventory"."composite_items"."purchase_tax_percentage" IS 'Rate of the tax on purchases of the bundle, in percent.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "tax_exemption_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."composite_items"."tax_exemption_id" IS 'Identifier of the reason why the bundle is not taxed.';
ALTER TABLE "inventory"."composite_items" ADD COLUMN "tax_exemption_code" text COLLATE "C";
COMMENT ON COLUMN "inventory"."composite_items"."tax_exemption_code" IS 'Code of the reason why the bundle is not taxed.';
ALTER TABLE "inventory"."composite_items_mapped_items" ADD COLUMN "item_order" bigint;
COMMENT ON COLUMN "inventory"."composite_items_mapped_items"."item_order" IS 'Place of the item in the bundle.';
ALTER TABLE "inventory"."composite_items_custom_fields" ADD COLUMN "customfield_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."customfield_id" IS 'Identifier of the field, as live services spell custom_field_id.';
ALTER TABLE "inventory"."composite_items_custom_fields" ADD COLUMN "api_name" text COLLATE "C";
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."api_name" IS 'Name of the field for programs: cf_ and the name of the field.';
ALTER TABLE "inventory"."composite_items_custom_fields" ADD COLUMN "data_type" text;
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."data_type" IS 'Type of the field, such as string, date or dropdown.';
ALTER TABLE "inventory"."composite_items_custom_fields" ADD COLUMN "search_entity" text;
COMMENT ON COLUMN "inventory"."composite_items_custom_fields"."search_entity" IS 'Kind of record that the field belongs to.';

CREATE TABLE "inventory"."composite_items_tags" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "tag_id" text COLLATE "C",
  "tag_name" text,
  "tag_option_id" text COLLATE "C",
  "tag_option_name" text,
  "is_tag_mandatory" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."composite_items_tags" IS 'A reporting tag of a bundle.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."tag_id" IS 'Identifier of the tag, such as that of a cost centre.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."tag_name" IS 'Name of the tag.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."tag_option_id" IS 'Identifier of the option that was chosen.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."tag_option_name" IS 'Name of the option that was chosen.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."is_tag_mandatory" IS 'Whether the organization asks for the tag everywhere.';
COMMENT ON COLUMN "inventory"."composite_items_tags"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."composite_items_documents" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "document_id" text COLLATE "C",
  "file_name" text,
  "file_type" text,
  "file_size" bigint,
  "attachment_order" bigint,
  "source" text,
  "uploaded_by" text,
  "uploaded_by_id" text COLLATE "C",
  "uploaded_on" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."composite_items_documents" IS 'A file attached to a bundle.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."document_id" IS 'Identifier of the file.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."file_name" IS 'Name of the file.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."file_type" IS 'Type of the file, such as pdf.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."file_size" IS 'Size of the file, in bytes.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."attachment_order" IS 'Place of the file among those of the record.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."source" IS 'Where the file came from, such as a computer or mail.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."uploaded_by" IS 'Name of the user who attached the file.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."uploaded_by_id" IS 'Identifier of the user who attached the file.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."uploaded_on" IS 'When the file was attached, written by the organization''s settings, for display only.';
COMMENT ON COLUMN "inventory"."composite_items_documents"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."composite_items_package_details" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "length" numeric,
  "width" numeric,
  "height" numeric,
  "weight" numeric,
  "weight_unit" text,
  "dimension_unit" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."composite_items_package_details" IS 'How large and heavy one bundle is, packed.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."length" IS 'Length of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."width" IS 'Width of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."height" IS 'Height of the parcel, in the unit of dimension_unit.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."weight" IS 'Weight of the parcel, in the unit of weight_unit.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."weight_unit" IS 'Unit of the weight, such as kg.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."dimension_unit" IS 'Unit of length, width and height, such as cm.';
COMMENT ON COLUMN "inventory"."composite_items_package_details"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."composite_items_warehouses" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "warehouse_id" text COLLATE "C",
  "warehouse_name" text,
  "status" text,
  "is_primary" boolean,
  "warehouse_stock_on_hand" numeric,
  "warehouse_available_stock" numeric,
  "warehouse_actual_available_stock" numeric,
  "warehouse_committed_stock" numeric,
  "warehouse_actual_committed_stock" numeric,
  "warehouse_available_for_sale_stock" numeric,
  "warehouse_actual_available_for_sale_stock" numeric,
  "initial_stock" numeric,
  "initial_stock_rate" numeric,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."composite_items_warehouses" IS 'The stock of a bundle at one warehouse of the organization.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_id" IS 'Identifier of the warehouse.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_name" IS 'Name of the warehouse.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."status" IS 'Whether the warehouse is in use: active or inactive.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."is_primary" IS 'Whether it is the main warehouse of the organization.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_stock_on_hand" IS 'Units at the warehouse by the books.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_available_stock" IS 'Units at the warehouse that the books leave for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_actual_available_stock" IS 'Units at the warehouse that are really there for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_committed_stock" IS 'Units at the warehouse that the books promise to orders.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_actual_committed_stock" IS 'Units at the warehouse that are really promised to orders.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_available_for_sale_stock" IS 'Units at the warehouse by the books less promised ones.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."warehouse_actual_available_for_sale_stock" IS 'Units at the warehouse that are really there, less promised ones.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."initial_stock" IS 'Units at the warehouse when the bundle was entered.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."initial_stock_rate" IS 'Value of one unit of that first stock, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items_warehouses"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."composite_items_composite_component_items" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "mapped_item_id" text COLLATE "C",
  "item_id" text COLLATE "C",
  "item_order" bigint,
  "name" text,
  "sku" text COLLATE "C",
  "product_type" text,
  "quantity" numeric,
  "unit" text,
  "description" text,
  "purchase_description" text,
  "rate" numeric,
  "purchase_rate" numeric,
  "stock_on_hand" numeric,
  "available_stock" numeric,
  "actual_available_stock" numeric,
  "is_combo_product" boolean,
  "image_document_id" text COLLATE "C",
  "image_name" text,
  "image_type" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."composite_items_composite_component_items" IS 'An item of a bundle, as live services send it beside or in place of mapped_items.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."mapped_item_id" IS 'Identifier of the line of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."item_id" IS 'Identifier of the item that is in the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."item_order" IS 'Place of the item in the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."name" IS 'Name of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."sku" IS 'Stock keeping unit: the organization''s own code of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."product_type" IS 'Whether the item is a thing or work: goods or service.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."quantity" IS 'Number of units of the item in one bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."unit" IS 'Unit that the quantity is counted in.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."description" IS 'Text about the item on documents to customers.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."purchase_description" IS 'Text about the item on documents to vendors.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."rate" IS 'Selling price of one unit of the item, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."purchase_rate" IS 'Buying price of one unit of the item, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."stock_on_hand" IS 'Units of the item in stock by the books.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."available_stock" IS 'Units of the item that the books leave for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."actual_available_stock" IS 'Units of the item that are really there for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."is_combo_product" IS 'Whether the item is a bundle itself.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."image_document_id" IS 'Identifier of the file of the picture of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."image_name" IS 'File name of the picture of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."image_type" IS 'File type of the picture of the item, such as png.';
COMMENT ON COLUMN "inventory"."composite_items_composite_component_items"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."composite_items_composite_service_items" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "mapped_item_id" text COLLATE "C",
  "item_id" text COLLATE "C",
  "item_order" bigint,
  "name" text,
  "sku" text COLLATE "C",
  "product_type" text,
  "quantity" numeric,
  "unit" text,
  "description" text,
  "purchase_description" text,
  "rate" numeric,
  "purchase_rate" numeric,
  "stock_on_hand" numeric,
  "available_stock" numeric,
  "actual_available_stock" numeric,
  "is_combo_product" boolean,
  "image_document_id" text COLLATE "C",
  "image_name" text,
  "image_type" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."composite_items" ("organization_id", "composite_item_id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."composite_items_composite_service_items" IS 'A service of a bundle, as live services send it beside or in place of mapped_items.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."_parent_id" IS 'Key of the record that the row belongs to, in composite_items.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."mapped_item_id" IS 'Identifier of the line of the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."item_id" IS 'Identifier of the item that is in the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."item_order" IS 'Place of the item in the bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."name" IS 'Name of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."sku" IS 'Stock keeping unit: the organization''s own code of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."product_type" IS 'Whether the item is a thing or work: goods or service.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."quantity" IS 'Number of units of the item in one bundle.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."unit" IS 'Unit that the quantity is counted in.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."description" IS 'Text about the item on documents to customers.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."purchase_description" IS 'Text about the item on documents to vendors.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."rate" IS 'Selling price of one unit of the item, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."purchase_rate" IS 'Buying price of one unit of the item, in the base currency.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."stock_on_hand" IS 'Units of the item in stock by the books.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."available_stock" IS 'Units of the item that the books leave for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."actual_available_stock" IS 'Units of the item that are really there for new orders.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."is_combo_product" IS 'Whether the item is a bundle itself.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."image_document_id" IS 'Identifier of the file of the picture of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."image_name" IS 'File name of the picture of the item.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."image_type" IS 'File type of the picture of the item, such as png.';
COMMENT ON COLUMN "inventory"."composite_items_composite_service_items"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "inventory"."locations" ADD COLUMN "is_location_active" boolean;
COMMENT ON COLUMN "inventory"."locations"."is_location_active" IS 'Whether the location is in use; some organizations get it in place of status.';
ALTER TABLE "inventory"."locations" ADD COLUMN "is_primary_location" boolean;
COMMENT ON COLUMN "inventory"."locations"."is_primary_location" IS 'Whether it is the main location; some organizations get it in place of is_primary.';
ALTER TABLE "inventory"."locations" ADD COLUMN "tax_reg_no" text COLLATE "C";
COMMENT ON COLUMN "inventory"."locations"."tax_reg_no" IS 'Tax number of the location in India.';
COMMENT ON COLUMN "inventory"."taxes"."tax_type" IS 'Whether it is a simple tax, a compound_tax (one on top of another) or a tax_group of several.';
ALTER TABLE "inventory"."taxes" ADD COLUMN "status" text;
COMMENT ON COLUMN "inventory"."taxes"."status" IS 'Whether the tax can still be used: Active or Inactive.';
ALTER TABLE "inventory"."taxes" ADD COLUMN "is_inactive" boolean;
COMMENT ON COLUMN "inventory"."taxes"."is_inactive" IS 'Whether the tax can no longer be used; the same as a truth value.';
ALTER TABLE "inventory"."taxes" ADD COLUMN "last_modified_time" timestamp with time zone;
COMMENT ON COLUMN "inventory"."taxes"."last_modified_time" IS 'When the tax last changed.';
ALTER TABLE "inventory"."taxes" ADD COLUMN "tax_specification" text;
COMMENT ON COLUMN "inventory"."taxes"."tax_specification" IS 'Which sales it applies to in India: intra (within a state) or inter (across states).';
ALTER TABLE "inventory"."taxes" ADD COLUMN "start_date" date;
COMMENT ON COLUMN "inventory"."taxes"."start_date" IS 'First day on which the tax applies; null without a first one.';
ALTER TABLE "inventory"."taxes" ADD COLUMN "end_date" date;
COMMENT ON COLUMN "inventory"."taxes"."end_date" IS 'Last day on which the tax applies; null without a last one.';
ALTER TABLE "inventory"."taxes" ADD COLUMN "diff_rate_reason" text;
COMMENT ON COLUMN "inventory"."taxes"."diff_rate_reason" IS 'Why the rate differs from the usual one in India.';
ALTER TABLE "inventory"."taxes" ADD COLUMN "tax_display_name" text;
COMMENT ON COLUMN "inventory"."taxes"."tax_display_name" IS 'Name of the tax as it is printed.';
ALTER TABLE "inventory"."taxes" ADD COLUMN "description" text;
COMMENT ON COLUMN "inventory"."taxes"."description" IS 'Free note on the tax.';
ALTER TABLE "inventory"."taxes" ADD COLUMN "reference_id" text COLLATE "C";
COMMENT ON COLUMN "inventory"."taxes"."reference_id" IS 'Identifier of the entry in the default catalogue of taxes.';
ALTER TABLE "inventory"."taxes" ADD COLUMN "is_state_cess" boolean;
COMMENT ON COLUMN "inventory"."taxes"."is_state_cess" IS 'Whether it is the cess of an Indian state.';
COMMENT ON COLUMN "inventory"."organizations"."fiscal_year_start_month" IS 'Month in which its fiscal year begins; not documented how it is counted, live services count from 0, so that 3 is April.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "org_alias_name" text;
COMMENT ON COLUMN "inventory"."organizations"."org_alias_name" IS 'Second name of the organization.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "country" text;
COMMENT ON COLUMN "inventory"."organizations"."country" IS 'Country of the organization by name.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "country_code" text COLLATE "C";
COMMENT ON COLUMN "inventory"."organizations"."country_code" IS 'Code of the country of the organization.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "state" text;
COMMENT ON COLUMN "inventory"."organizations"."state" IS 'State or province of the organization.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "state_code" text COLLATE "C";
COMMENT ON COLUMN "inventory"."organizations"."state_code" IS 'Code of the state or province.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "phone" text COLLATE "C";
COMMENT ON COLUMN "inventory"."organizations"."phone" IS 'Telephone number of the organization as it was entered.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "version" text;
COMMENT ON COLUMN "inventory"."organizations"."version" IS 'Edition of the service, such as that of a country: it decides which columns can have values.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "plan_name" text;
COMMENT ON COLUMN "inventory"."organizations"."plan_name" IS 'Plan that the organization subscribed to; the daily number of calls follows from it.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "plan_period" text;
COMMENT ON COLUMN "inventory"."organizations"."plan_period" IS 'Period that the plan is paid for.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "plan_type" bigint;
COMMENT ON COLUMN "inventory"."organizations"."plan_type" IS 'Number of the kind of plan; its meaning is not known.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_trial_expired" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_trial_expired" IS 'Whether a trial ran out.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "org_type" text;
COMMENT ON COLUMN "inventory"."organizations"."org_type" IS 'Kind of the organization''s account.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "mode" text;
COMMENT ON COLUMN "inventory"."organizations"."mode" IS 'Mode of the organization''s account.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "source" bigint;
COMMENT ON COLUMN "inventory"."organizations"."source" IS 'Number of the application that the organization was made in.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "user_status" bigint;
COMMENT ON COLUMN "inventory"."organizations"."user_status" IS 'Number of the standing of the user whose credentials are used.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "org_active" boolean;
COMMENT ON COLUMN "inventory"."organizations"."org_active" IS 'Second key of is_org_active, with the same value.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_multientity_org" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_multientity_org" IS 'Whether it is one of several entities under one roof.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_multientity_enabled" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_multientity_enabled" IS 'Whether several entities can be kept under one roof.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_sku_enabled" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_sku_enabled" IS 'Whether items have stock keeping units (SKU).';
ALTER TABLE "inventory"."organizations" ADD COLUMN "field_separator" text;
COMMENT ON COLUMN "inventory"."organizations"."field_separator" IS 'What stands between the fields of exported files, for display.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_tax_registered" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_tax_registered" IS 'Whether the organization is registered for VAT, GST or sales tax.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "sales_tax_type" text;
COMMENT ON COLUMN "inventory"."organizations"."sales_tax_type" IS 'How sales tax is set up.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "tax_group_enabled" boolean;
COMMENT ON COLUMN "inventory"."organizations"."tax_group_enabled" IS 'Whether several taxes can be put together in a group.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_sales_inclusive_tax_enabled" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_sales_inclusive_tax_enabled" IS 'Whether sales prices can be entered with tax in them.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_registered_for_gst" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_registered_for_gst" IS 'Whether the organization is registered for GST; in India.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_gst_india_version" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_gst_india_version" IS 'Whether it is the edition for GST; in India.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_registered_for_composite_scheme" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_registered_for_composite_scheme" IS 'Whether the organization pays GST by the scheme for small businesses; in India.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_hsn_or_sac_enabled" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_hsn_or_sac_enabled" IS 'Whether items have codes of goods and services for GST; in India.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_sales_reverse_charge_enabled" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_sales_reverse_charge_enabled" IS 'Whether customers can owe the tax on sales; in India.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_export_with_payment_enabled" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_export_with_payment_enabled" IS 'Whether exports can be made with payment of GST; in India.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_international_trade_enabled" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_international_trade_enabled" IS 'Whether the organization trades abroad.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_designated_zone" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_designated_zone" IS 'Whether it is in a zone with VAT rules of its own; in the Gulf states.';
ALTER TABLE "inventory"."organizations" ADD COLUMN "is_free_zone" boolean;
COMMENT ON COLUMN "inventory"."organizations"."is_free_zone" IS 'Whether it is in a free zone with VAT rules of its own; in the Gulf states.';

CREATE TABLE "inventory"."organizations_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "index" bigint,
  "label" text,
  "value" jsonb,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."organizations_custom_fields" IS 'A field of the organization itself, with its value.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "inventory"."organizations_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "inventory"."organizations_org_joined_app_list" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "application" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "inventory"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "inventory"."organizations_org_joined_app_list" IS 'An application of the suite that the organization uses.';
COMMENT ON COLUMN "inventory"."organizations_org_joined_app_list"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "inventory"."organizations_org_joined_app_list"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "inventory"."organizations_org_joined_app_list"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "inventory"."organizations_org_joined_app_list"."application" IS 'Name of the application.';
COMMENT ON COLUMN "inventory"."organizations_org_joined_app_list"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "chat"."channels" ADD COLUMN "chat_organization_id" text COLLATE "C";
COMMENT ON COLUMN "chat"."channels"."chat_organization_id" IS 'Identifier of the chat''s organization; another number than that of the other services.';
ALTER TABLE "chat"."channels" ADD COLUMN "invite_only" boolean;
COMMENT ON COLUMN "chat"."channels"."invite_only" IS 'Whether members come by invitation alone.';
ALTER TABLE "chat"."channels" ADD COLUMN "current_user_role" text;
COMMENT ON COLUMN "chat"."channels"."current_user_role" IS 'Role in the channel of the user whose credentials are used, such as super_admin.';
ALTER TABLE "chat"."channels" ADD COLUMN "teams" jsonb;
COMMENT ON COLUMN "chat"."channels"."teams" IS 'Teams that the channel belongs to, kept as JSON because their identifiers are the keys.';
ALTER TABLE "chat"."channels" ADD COLUMN "unread_message_count" bigint;
COMMENT ON COLUMN "chat"."channels"."unread_message_count" IS 'Number of messages that the same user did not read yet.';
ALTER TABLE "chat"."channels" ADD COLUMN "unread_time" timestamp with time zone;
COMMENT ON COLUMN "chat"."channels"."unread_time" IS 'Since when messages are unread by the same user.';
ALTER TABLE "chat"."channels" ADD COLUMN "muted_interval" text;
COMMENT ON COLUMN "chat"."channels"."muted_interval" IS 'How long the same user muted the channel.';
ALTER TABLE "chat"."channels" ADD COLUMN "admin_permission" jsonb;
COMMENT ON COLUMN "chat"."channels"."admin_permission" IS 'What administrators may do, kept as JSON because the switches are many and tell nothing of messages.';
ALTER TABLE "chat"."channels" ADD COLUMN "moderator_permission" jsonb;
COMMENT ON COLUMN "chat"."channels"."moderator_permission" IS 'What moderators may do, kept as JSON because the switches are many and tell nothing of messages.';
ALTER TABLE "chat"."channels" ADD COLUMN "member_permission" jsonb;
COMMENT ON COLUMN "chat"."channels"."member_permission" IS 'What members may do, kept as JSON because the switches are many and tell nothing of messages.';

CREATE TABLE "chat"."channels_last_message_info" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "sender_id" text COLLATE "C",
  "sender_name" text,
  "message_type" text,
  "time" timestamp with time zone,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "chat"."channels" ("organization_id", "channel_id") ON DELETE CASCADE
);
COMMENT ON TABLE "chat"."channels_last_message_info" IS 'Who wrote the newest message of a channel and when, without the message.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."_parent_id" IS 'Key of the record that the row belongs to, in channels.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."sender_id" IS 'Identifier of the user who wrote the message.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."sender_name" IS 'Name of the user who wrote the message.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."message_type" IS 'Kind of the message, such as text.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."time" IS 'When the message was written.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "chat"."network_channels" ADD COLUMN "chat_organization_id" text COLLATE "C";
COMMENT ON COLUMN "chat"."network_channels"."chat_organization_id" IS 'Identifier of the chat''s organization; another number than that of the other services.';
ALTER TABLE "chat"."network_channels" ADD COLUMN "invite_only" boolean;
COMMENT ON COLUMN "chat"."network_channels"."invite_only" IS 'Whether members come by invitation alone.';
ALTER TABLE "chat"."network_channels" ADD COLUMN "current_user_role" text;
COMMENT ON COLUMN "chat"."network_channels"."current_user_role" IS 'Role in the channel of the user whose credentials are used, such as super_admin.';
ALTER TABLE "chat"."network_channels" ADD COLUMN "teams" jsonb;
COMMENT ON COLUMN "chat"."network_channels"."teams" IS 'Teams that the channel belongs to, kept as JSON because their identifiers are the keys.';
ALTER TABLE "chat"."network_channels" ADD COLUMN "unread_message_count" bigint;
COMMENT ON COLUMN "chat"."network_channels"."unread_message_count" IS 'Number of messages that the same user did not read yet.';
ALTER TABLE "chat"."network_channels" ADD COLUMN "unread_time" timestamp with time zone;
COMMENT ON COLUMN "chat"."network_channels"."unread_time" IS 'Since when messages are unread by the same user.';
ALTER TABLE "chat"."network_channels" ADD COLUMN "muted_interval" text;
COMMENT ON COLUMN "chat"."network_channels"."muted_interval" IS 'How long the same user muted the channel.';
ALTER TABLE "chat"."network_channels" ADD COLUMN "admin_permission" jsonb;
COMMENT ON COLUMN "chat"."network_channels"."admin_permission" IS 'What administrators may do, kept as JSON because the switches are many and tell nothing of messages.';
ALTER TABLE "chat"."network_channels" ADD COLUMN "moderator_permission" jsonb;
COMMENT ON COLUMN "chat"."network_channels"."moderator_permission" IS 'What moderators may do, kept as JSON because the switches are many and tell nothing of messages.';
ALTER TABLE "chat"."network_channels" ADD COLUMN "member_permission" jsonb;
COMMENT ON COLUMN "chat"."network_channels"."member_permission" IS 'What members may do, kept as JSON because the switches are many and tell nothing of messages.';

CREATE TABLE "chat"."network_channels_last_message_info" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "sender_id" text COLLATE "C",
  "sender_name" text,
  "message_type" text,
  "time" timestamp with time zone,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "chat"."network_channels" ("organization_id", "network_channel_id") ON DELETE CASCADE
);
COMMENT ON TABLE "chat"."network_channels_last_message_info" IS 'Who wrote the newest message of a channel and when, without the message.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."_parent_id" IS 'Key of the record that the row belongs to, in network_channels.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."sender_id" IS 'Identifier of the user who wrote the message.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."sender_name" IS 'Name of the user who wrote the message.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."message_type" IS 'Kind of the message, such as text.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."time" IS 'When the message was written.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
ALTER TABLE "invoicing"."currencies" ADD COLUMN "auto_exchange_rate_enabled" boolean;
COMMENT ON COLUMN "invoicing"."currencies"."auto_exchange_rate_enabled" IS 'Whether the exchange rate follows a feed by itself.';
ALTER TABLE "invoicing"."currencies" ADD COLUMN "currency_name_formatted" text;
COMMENT ON COLUMN "invoicing"."currencies"."currency_name_formatted" IS 'Code and name of the currency; where it comes, currency_name is the bare name.';
ALTER TABLE "invoicing"."contact_persons" ADD COLUMN "fax" text COLLATE "C";
COMMENT ON COLUMN "invoicing"."contact_persons"."fax" IS 'Fax number as it was entered, leading zeros kept.';
ALTER TABLE "invoicing"."contact_persons" ADD COLUMN "is_sms_enabled_for_cp" boolean;
COMMENT ON COLUMN "invoicing"."contact_persons"."is_sms_enabled_for_cp" IS 'Whether text messages to the person are allowed.';
ALTER TABLE "invoicing"."contact_persons" ADD COLUMN "mobile_country_code" text;
COMMENT ON COLUMN "invoicing"."contact_persons"."mobile_country_code" IS 'Country of the mobile number.';
ALTER TABLE "invoicing"."contact_persons" ADD COLUMN "photo_url" text;
COMMENT ON COLUMN "invoicing"."contact_persons"."photo_url" IS 'Address of a picture of the person, often a generated one.';
ALTER TABLE "invoicing"."contact_persons" ADD COLUMN "can_invite" boolean;
COMMENT ON COLUMN "invoicing"."contact_persons"."can_invite" IS 'Whether the person can be invited to the portal.';
ALTER TABLE "invoicing"."contact_persons" ADD COLUMN "is_portal_invitation_accepted" boolean;
COMMENT ON COLUMN "invoicing"."contact_persons"."is_portal_invitation_accepted" IS 'Whether the person accepted the invitation to the portal.';
ALTER TABLE "invoicing"."contact_persons" ADD COLUMN "is_portal_mfa_enabled" boolean;
COMMENT ON COLUMN "invoicing"."contact_persons"."is_portal_mfa_enabled" IS 'Whether the person enters the portal with a second factor.';
ALTER TABLE "invoicing"."contact_persons" ADD COLUMN "portal_enabled_via" text;
COMMENT ON COLUMN "invoicing"."contact_persons"."portal_enabled_via" IS 'What opened the portal to the person.';
ALTER TABLE "invoicing"."contact_persons" ADD COLUMN "zcrm_contact_id" text COLLATE "C";
COMMENT ON COLUMN "invoicing"."contact_persons"."zcrm_contact_id" IS 'Identifier of the person in the CRM.';

CREATE TABLE "invoicing"."contact_persons_communication_preference" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "is_email_enabled" boolean,
  "is_sms_enabled" boolean,
  "is_whatsapp_enabled" boolean,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "invoicing"."contact_persons" ("organization_id", "contact_person_id") ON DELETE CASCADE
);
COMMENT ON TABLE "invoicing"."contact_persons_communication_preference" IS 'How a person may be written to.';
COMMENT ON COLUMN "invoicing"."contact_persons_communication_preference"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "invoicing"."contact_persons_communication_preference"."_parent_id" IS 'Key of the record that the row belongs to, in contact_persons.';
COMMENT ON COLUMN "invoicing"."contact_persons_communication_preference"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "invoicing"."contact_persons_communication_preference"."is_email_enabled" IS 'Whether e-mail is allowed.';
COMMENT ON COLUMN "invoicing"."contact_persons_communication_preference"."is_sms_enabled" IS 'Whether text messages are allowed.';
COMMENT ON COLUMN "invoicing"."contact_persons_communication_preference"."is_whatsapp_enabled" IS 'Whether messages by WhatsApp are allowed.';
COMMENT ON COLUMN "invoicing"."contact_persons_communication_preference"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "invoicing"."contact_persons_contactperson_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "customfield_id" text COLLATE "C",
  "index" bigint,
  "label" text,
  "api_name" text COLLATE "C",
  "data_type" text,
  "value" jsonb,
  "search_entity" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "invoicing"."contact_persons" ("organization_id", "contact_person_id") ON DELETE CASCADE
);
COMMENT ON TABLE "invoicing"."contact_persons_contactperson_custom_fields" IS 'A field that the organization added to its contact persons, with its value on one person.';
COMMENT ON COLUMN "invoicing"."contact_persons_contactperson_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "invoicing"."contact_persons_contactperson_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in contact_persons.';
COMMENT ON COLUMN "invoicing"."contact_persons_contactperson_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "invoicing"."contact_persons_contactperson_custom_fields"."customfield_id" IS 'Identifier of the field; the same on every person.';
COMMENT ON COLUMN "invoicing"."contact_persons_contactperson_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "invoicing"."contact_persons_contactperson_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "invoicing"."contact_persons_contactperson_custom_fields"."api_name" IS 'Name of the field for programs: cf_ and a name.';
COMMENT ON COLUMN "invoicing"."contact_persons_contactperson_custom_fields"."data_type" IS 'Type of the field''s values.';
COMMENT ON COLUMN "invoicing"."contact_persons_contactperson_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "invoicing"."contact_persons_contactperson_custom_fields"."search_entity" IS 'Kind of the record that a field for lookups points at.';
COMMENT ON COLUMN "invoicing"."contact_persons_contactperson_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "invoicing"."organizations"."fiscal_year_start_month" IS 'Month in which its fiscal year begins; not documented how it is counted, live services count from 0, so that 3 is April.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "org_alias_name" text;
COMMENT ON COLUMN "invoicing"."organizations"."org_alias_name" IS 'Second name of the organization.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "country" text;
COMMENT ON COLUMN "invoicing"."organizations"."country" IS 'Country of the organization by name.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "country_code" text COLLATE "C";
COMMENT ON COLUMN "invoicing"."organizations"."country_code" IS 'Code of the country of the organization.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "state" text;
COMMENT ON COLUMN "invoicing"."organizations"."state" IS 'State or province of the organization.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "state_code" text COLLATE "C";
COMMENT ON COLUMN "invoicing"."organizations"."state_code" IS 'Code of the state or province.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "phone" text COLLATE "C";
COMMENT ON COLUMN "invoicing"."organizations"."phone" IS 'Telephone number of the organization as it was entered.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "version" text;
COMMENT ON COLUMN "invoicing"."organizations"."version" IS 'Edition of the service, such as that of a country: it decides which columns can have values.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "plan_name" text;
COMMENT ON COLUMN "invoicing"."organizations"."plan_name" IS 'Plan that the organization subscribed to; the daily number of calls follows from it.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "plan_period" text;
COMMENT ON COLUMN "invoicing"."organizations"."plan_period" IS 'Period that the plan is paid for.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "plan_type" bigint;
COMMENT ON COLUMN "invoicing"."organizations"."plan_type" IS 'Number of the kind of plan; its meaning is not known.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_trial_expired" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_trial_expired" IS 'Whether a trial ran out.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "org_type" text;
COMMENT ON COLUMN "invoicing"."organizations"."org_type" IS 'Kind of the organization''s account.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "mode" text;
COMMENT ON COLUMN "invoicing"."organizations"."mode" IS 'Mode of the organization''s account.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "source" bigint;
COMMENT ON COLUMN "invoicing"."organizations"."source" IS 'Number of the application that the organization was made in.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "user_status" bigint;
COMMENT ON COLUMN "invoicing"."organizations"."user_status" IS 'Number of the standing of the user whose credentials are used.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "org_active" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."org_active" IS 'Second key of is_org_active, with the same value.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_multientity_org" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_multientity_org" IS 'Whether it is one of several entities under one roof.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_multientity_enabled" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_multientity_enabled" IS 'Whether several entities can be kept under one roof.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_sku_enabled" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_sku_enabled" IS 'Whether items have stock keeping units (SKU).';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "field_separator" text;
COMMENT ON COLUMN "invoicing"."organizations"."field_separator" IS 'What stands between the fields of exported files, for display.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_tax_registered" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_tax_registered" IS 'Whether the organization is registered for VAT, GST or sales tax.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "sales_tax_type" text;
COMMENT ON COLUMN "invoicing"."organizations"."sales_tax_type" IS 'How sales tax is set up.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "tax_group_enabled" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."tax_group_enabled" IS 'Whether several taxes can be put together in a group.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_sales_inclusive_tax_enabled" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_sales_inclusive_tax_enabled" IS 'Whether sales prices can be entered with tax in them.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_registered_for_gst" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_registered_for_gst" IS 'Whether the organization is registered for GST; in India.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_gst_india_version" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_gst_india_version" IS 'Whether it is the edition for GST; in India.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_registered_for_composite_scheme" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_registered_for_composite_scheme" IS 'Whether the organization pays GST by the scheme for small businesses; in India.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_hsn_or_sac_enabled" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_hsn_or_sac_enabled" IS 'Whether items have codes of goods and services for GST; in India.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_sales_reverse_charge_enabled" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_sales_reverse_charge_enabled" IS 'Whether customers can owe the tax on sales; in India.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_export_with_payment_enabled" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_export_with_payment_enabled" IS 'Whether exports can be made with payment of GST; in India.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_international_trade_enabled" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_international_trade_enabled" IS 'Whether the organization trades abroad.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_designated_zone" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_designated_zone" IS 'Whether it is in a zone with VAT rules of its own; in the Gulf states.';
ALTER TABLE "invoicing"."organizations" ADD COLUMN "is_free_zone" boolean;
COMMENT ON COLUMN "invoicing"."organizations"."is_free_zone" IS 'Whether it is in a free zone with VAT rules of its own; in the Gulf states.';

CREATE TABLE "invoicing"."organizations_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "index" bigint,
  "label" text,
  "value" jsonb,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "invoicing"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "invoicing"."organizations_custom_fields" IS 'A field of the organization itself, with its value.';
COMMENT ON COLUMN "invoicing"."organizations_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "invoicing"."organizations_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "invoicing"."organizations_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "invoicing"."organizations_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "invoicing"."organizations_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "invoicing"."organizations_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "invoicing"."organizations_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "invoicing"."organizations_org_joined_app_list" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "application" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "invoicing"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "invoicing"."organizations_org_joined_app_list" IS 'An application of the suite that the organization uses.';
COMMENT ON COLUMN "invoicing"."organizations_org_joined_app_list"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "invoicing"."organizations_org_joined_app_list"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "invoicing"."organizations_org_joined_app_list"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "invoicing"."organizations_org_joined_app_list"."application" IS 'Name of the application.';
COMMENT ON COLUMN "invoicing"."organizations_org_joined_app_list"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
COMMENT ON COLUMN "billing"."organizations"."fiscal_year_start_month" IS 'Month in which its fiscal year begins; not documented how it is counted, live services count from 0, so that 3 is April.';
ALTER TABLE "billing"."organizations" ADD COLUMN "org_alias_name" text;
COMMENT ON COLUMN "billing"."organizations"."org_alias_name" IS 'Second name of the organization.';
ALTER TABLE "billing"."organizations" ADD COLUMN "country" text;
COMMENT ON COLUMN "billing"."organizations"."country" IS 'Country of the organization by name.';
ALTER TABLE "billing"."organizations" ADD COLUMN "country_code" text COLLATE "C";
COMMENT ON COLUMN "billing"."organizations"."country_code" IS 'Code of the country of the organization.';
ALTER TABLE "billing"."organizations" ADD COLUMN "state" text;
COMMENT ON COLUMN "billing"."organizations"."state" IS 'State or province of the organization.';
ALTER TABLE "billing"."organizations" ADD COLUMN "state_code" text COLLATE "C";
COMMENT ON COLUMN "billing"."organizations"."state_code" IS 'Code of the state or province.';
ALTER TABLE "billing"."organizations" ADD COLUMN "phone" text COLLATE "C";
COMMENT ON COLUMN "billing"."organizations"."phone" IS 'Telephone number of the organization as it was entered.';
ALTER TABLE "billing"."organizations" ADD COLUMN "version" text;
COMMENT ON COLUMN "billing"."organizations"."version" IS 'Edition of the service, such as that of a country: it decides which columns can have values.';
ALTER TABLE "billing"."organizations" ADD COLUMN "plan_name" text;
COMMENT ON COLUMN "billing"."organizations"."plan_name" IS 'Plan that the organization subscribed to; the daily number of calls follows from it.';
ALTER TABLE "billing"."organizations" ADD COLUMN "plan_period" text;
COMMENT ON COLUMN "billing"."organizations"."plan_period" IS 'Period that the plan is paid for.';
ALTER TABLE "billing"."organizations" ADD COLUMN "plan_type" bigint;
COMMENT ON COLUMN "billing"."organizations"."plan_type" IS 'Number of the kind of plan; its meaning is not known.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_trial_expired" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_trial_expired" IS 'Whether a trial ran out.';
ALTER TABLE "billing"."organizations" ADD COLUMN "org_type" text;
COMMENT ON COLUMN "billing"."organizations"."org_type" IS 'Kind of the organization''s account.';
ALTER TABLE "billing"."organizations" ADD COLUMN "mode" text;
COMMENT ON COLUMN "billing"."organizations"."mode" IS 'Mode of the organization''s account.';
ALTER TABLE "billing"."organizations" ADD COLUMN "source" bigint;
COMMENT ON COLUMN "billing"."organizations"."source" IS 'Number of the application that the organization was made in.';
ALTER TABLE "billing"."organizations" ADD COLUMN "user_status" bigint;
COMMENT ON COLUMN "billing"."organizations"."user_status" IS 'Number of the standing of the user whose credentials are used.';
ALTER TABLE "billing"."organizations" ADD COLUMN "org_active" boolean;
COMMENT ON COLUMN "billing"."organizations"."org_active" IS 'Second key of is_org_active, with the same value.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_multientity_org" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_multientity_org" IS 'Whether it is one of several entities under one roof.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_multientity_enabled" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_multientity_enabled" IS 'Whether several entities can be kept under one roof.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_sku_enabled" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_sku_enabled" IS 'Whether items have stock keeping units (SKU).';
ALTER TABLE "billing"."organizations" ADD COLUMN "field_separator" text;
COMMENT ON COLUMN "billing"."organizations"."field_separator" IS 'What stands between the fields of exported files, for display.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_tax_registered" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_tax_registered" IS 'Whether the organization is registered for VAT, GST or sales tax.';
ALTER TABLE "billing"."organizations" ADD COLUMN "sales_tax_type" text;
COMMENT ON COLUMN "billing"."organizations"."sales_tax_type" IS 'How sales tax is set up.';
ALTER TABLE "billing"."organizations" ADD COLUMN "tax_group_enabled" boolean;
COMMENT ON COLUMN "billing"."organizations"."tax_group_enabled" IS 'Whether several taxes can be put together in a group.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_sales_inclusive_tax_enabled" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_sales_inclusive_tax_enabled" IS 'Whether sales prices can be entered with tax in them.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_registered_for_gst" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_registered_for_gst" IS 'Whether the organization is registered for GST; in India.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_gst_india_version" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_gst_india_version" IS 'Whether it is the edition for GST; in India.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_registered_for_composite_scheme" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_registered_for_composite_scheme" IS 'Whether the organization pays GST by the scheme for small businesses; in India.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_hsn_or_sac_enabled" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_hsn_or_sac_enabled" IS 'Whether items have codes of goods and services for GST; in India.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_sales_reverse_charge_enabled" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_sales_reverse_charge_enabled" IS 'Whether customers can owe the tax on sales; in India.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_export_with_payment_enabled" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_export_with_payment_enabled" IS 'Whether exports can be made with payment of GST; in India.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_international_trade_enabled" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_international_trade_enabled" IS 'Whether the organization trades abroad.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_designated_zone" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_designated_zone" IS 'Whether it is in a zone with VAT rules of its own; in the Gulf states.';
ALTER TABLE "billing"."organizations" ADD COLUMN "is_free_zone" boolean;
COMMENT ON COLUMN "billing"."organizations"."is_free_zone" IS 'Whether it is in a free zone with VAT rules of its own; in the Gulf states.';

CREATE TABLE "billing"."organizations_custom_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "index" bigint,
  "label" text,
  "value" jsonb,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "billing"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "billing"."organizations_custom_fields" IS 'A field of the organization itself, with its value.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."index" IS 'Place of the field among the organization''s own, from 1.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."label" IS 'Name of the field as the organization shows it.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."value" IS 'Value of the field, kept as JSON because its type depends on the field.';
COMMENT ON COLUMN "billing"."organizations_custom_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "billing"."organizations_org_joined_app_list" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "application" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "billing"."organizations" ("organization_id", "id") ON DELETE CASCADE
);
COMMENT ON TABLE "billing"."organizations_org_joined_app_list" IS 'An application of the suite that the organization uses.';
COMMENT ON COLUMN "billing"."organizations_org_joined_app_list"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "billing"."organizations_org_joined_app_list"."_parent_id" IS 'Key of the record that the row belongs to, in organizations.';
COMMENT ON COLUMN "billing"."organizations_org_joined_app_list"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "billing"."organizations_org_joined_app_list"."application" IS 'Name of the application.';
COMMENT ON COLUMN "billing"."organizations_org_joined_app_list"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
