package catalog

// Attributes are what a column's declaration says of its values beyond their type. The
// zero value says nothing: of a TIME, that it has whole seconds.
type Attributes struct {
	// Unsigned: negative values are refused. For DECIMAL, FLOAT and DOUBLE; integers
	// have it in their type.
	Unsigned bool `json:"unsigned,omitempty"`
	// Zerofill is the number of characters that a number is shown with, 0 for none.
	Zerofill int `json:"zerofill,omitempty"`
	// Digits and Decimals are M and D of FLOAT(M,D) and DOUBLE(M,D), where Digits is
	// not 0; values are rounded to D decimals.
	Digits   int `json:"digits,omitempty"`
	Decimals int `json:"decimals,omitempty"`
	// Fraction is n of TIME(n): digits of a second.
	Fraction int `json:"fraction,omitempty"`
}
