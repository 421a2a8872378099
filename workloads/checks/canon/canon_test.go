package canon

import (
	"testing"

	"paceline/workloads/rawjson"
)

func TestCompare(t *testing.T) {
	for _, tc := range []struct {
		a, b  string
		order int
	}{
		{"1", "1.0", 0}, {"0", "-0.0", 0}, {"1e2", "100", 0}, {"1", "2", -1}, {"-1", "-2", 1}, {"-1", "1", -1}, {"10", "9", 1},
		{"0.1", "0.09", 1}, {"123", "12", 1}, {"1e400", "1e399", 1}, {"9007199254740993", "9007199254740992", 1}, {"0", "0.5", -1},
		{"-5", "0", -1}, {"0", "0", 0},
	} {
		got, ok := Compare([]byte(tc.a), []byte(tc.b))
		if !ok || got != tc.order {
			t.Errorf("Compare(%s, %s) = %d, %v; want %d", tc.a, tc.b, got, ok, tc.order)
		}
		if back, _ := Compare([]byte(tc.b), []byte(tc.a)); back != -tc.order {
			t.Errorf("Compare(%s, %s) = %d; want %d", tc.b, tc.a, back, -tc.order)
		}
	}
	if _, ok := Compare([]byte("x"), []byte("1")); ok {
		t.Error("x is a number")
	}
	for text, want := range map[string]bool{"7": true, "7.0": true, "70e-1": true, "7.5": false, "1e400": true, "0.0": true, "1e-1": false} {
		if Whole([]byte(text)) != want {
			t.Errorf("Whole(%s) is not %v", text, want)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{`{"b": 1.0, "a": [1e2, -0, 0.50, 12.5, 1e30]}`, `{"a":[100,0,5e-1,12.5,1e30],"b":1}`},
		{`{"a":1,"a":2}`, `{"a":2}`},
		{`"\u0041\n"`, `"A\n"`},
		{` [ ] `, `[]`},
		{`[true,false,null]`, `[true,false,null]`},
	} {
		v := rawjson.Value(tc.in)[rawjson.Space([]byte(tc.in), 0):]
		if got := string(Append(nil, v)); got != tc.want {
			t.Errorf("%s becomes %s, want %s", tc.in, got, tc.want)
		}
	}
}
