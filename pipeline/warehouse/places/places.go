// Package places finds every place of the warehouse in which a text stands: rows and their arrays,
// versions, raw records, quarantine and the notes of the program.
//
// Which places there are is read from the catalog of the database: a table that a migration adds is
// searched without a change here. Objects of other roles are never read. The package only reads.
//
// Start reading at Needle, which says what "contains" means, then Find.
package places
