//go:build !long

package pebblekv

const long = false
