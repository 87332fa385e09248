// Package correct makes the engine answer as MySQL does where it does not by
// itself. Nothing in the engine is forked; each correction uses the seam that is
// there:
//
//   - Install and Rules change the analyzer: simple selects and the arms of a
//     UNION get all rules (and so indexes), MIN and MAX over no rows are NULL,
//     DELETE is never turned into TRUNCATE, a subquery that is compared has one
//     row, integer arithmetic and casts to dates don't give wrong values.
//   - Function supplies SUM, AVG, VAR_* and STDDEV_* (package exact) and the other
//     corrected functions through the provider.
//   - Priority is a piece of the override builder of the engine's executor: it
//     rewrites a node just before it runs. UPDATE and ON DUPLICATE KEY UPDATE
//     judge by stored bytes whether a row changes, RANGE frames follow every key
//     of their ORDER BY, and statements without strict mode convert with warnings.
//   - MySQLError gives every error its MySQL number and SQLSTATE.
//
// What each cures, and what cannot be cured from here, is listed in
// docs/compatibility/engine.md.
package correct
