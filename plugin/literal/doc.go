// Package literal turns the text of values into the values of columns where that
// is plain: the fast way of INSERT … VALUES and LOAD DATA. It never disagrees with
// the conversions of the engine; it declines.
package literal
