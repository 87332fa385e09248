// Package abuse sends the real server what no client should: random bytes,
// truncated and lying packets, commands with garbage in them, connections that
// say nothing. Whatever comes, a client that behaves must not notice.
package abuse
