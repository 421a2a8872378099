package checker

import "fmt"

// Verdict is what one answer is worth: right where Code is empty.
type Verdict struct {
	Code    string // the official error_type
	Message string // for people
}

// Valid reports a right answer.
func (v Verdict) Valid() bool { return v.Code == "" }

// Codes of what is wrong. All but the last three are the official ones.
const (
	DecoderFailed     = "ast_decoder:decoder_failed"
	WrongFormat       = "ast_decoder:decoder_wrong_output_format"
	CalledWhereNot    = "irrelevance_error:decoder_success"
	NotCalled         = "relevance_error:decoder_failed"
	SimpleCount       = "simple_function_checker:wrong_count"
	WrongName         = "simple_function_checker:wrong_func_name"
	MissingRequired   = "simple_function_checker:missing_required"
	UnexpectedParam   = "simple_function_checker:unexpected_param"
	MissingOptional   = "simple_function_checker:missing_optional"
	MultipleCount     = "multiple_function_checker:wrong_count"
	ParallelCount     = "parallel_function_checker_no_order:wrong_count"
	ParallelNoMatch   = "parallel_function_checker_no_order:cannot_find_match"
	TypeJava          = "type_error:java"
	TypeJavaScript    = "type_error:js"
	TypeSimple        = "type_error:simple"
	TypeNested        = "type_error:nested"
	ValueString       = "value_error:string"
	ValueList         = "value_error:list/tuple"
	ValueDict         = "value_error:dict_value"
	ValueDictKey      = "value_error:dict_key"
	ValueDictCount    = "value_error:list_dict_count"
	ValueOther        = "value_error:others"
	DictUnclear       = "dict_checker:unclear"
	ListOfDictUnclear = "list_dict_checker:unclear"

	Unjudgeable = "checker:unjudgeable" // the official checker stops with an exception
	TooLong     = "checker:too_long"    // beyond our bounds
	NoTruth     = "checker:no_truth"    // the sample carries nothing to hold the answer against
)

func fail(code, format string, args ...any) Verdict {
	return Verdict{Code: code, Message: fmt.Sprintf(format, args...)}
}
