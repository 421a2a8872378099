package inline

import (
	"strconv"

	"paceline/sdk"
	"paceline/workloads/mlperf/domain"
	"paceline/workloads/rawjson"
)

// Outcomes and causes of samples that this scorer tells apart.
const (
	outcomeOK       = "ok"
	outcomeNotSent  = "not_sent"
	causeRunEnded   = "run_ended"
	causeRunnerDied = "runner_died"
	phaseWarmup     = "warmup"
)

// scoreSample scores one turn and notes it in the account.
func scoreSample(a *account, s *sdk.Sample) sdk.ItemScore {
	turn := s.Turn
	item := sdk.ItemScore{Trajectory: s.Trajectory, Repeat: s.Repeat, Turn: &turn, Group: domain.Of(s.Trajectory)}
	switch {
	case s.Phase == phaseWarmup:
		item.Reason = "warm-up"
	case len(s.Recorded) == 0:
		item.Reason = "no recorded answer"
	case s.Outcome == outcomeNotSent && (s.Cause == causeRunEnded || s.Cause == causeRunnerDied):
		a.notIssued++
		item.Reason = "not issued: " + s.Cause
	default:
		a.issued++
		a.repeat(s.Repeat)
		compare(a, s, &item)
	}
	return item
}

// compare holds an issued turn against its recorded answer.
func compare(a *account, s *sdk.Sample, item *sdk.ItemScore) {
	answered := s.Outcome == outcomeOK && s.Answer != nil
	var answer rawjson.Value
	if answered && rawjson.Valid(s.Answer.Message) == nil {
		answer = trim(s.Answer.Message)
	}
	d := detail{sample: s, domain: item.Group, missing: !answered}
	total := &a.coding
	if item.Group == domain.Workflow {
		total = &a.workflow
		d.intents(Intents(trim(s.Truth).Get("intent_codes")), Intent(answer))
	} else {
		d.actions(Actions(trim(s.Recorded)), Actions(answer))
	}
	if d.union == 0 {
		a.excluded++
		item.Reason, item.Detail = "no ground truth", d.excluded()
		return
	}
	a.expected++
	if answered {
		a.observed++
	} else {
		item.Reason = "no answer: " + s.Outcome
	}
	share := sum{scored: 1, pico: (d.common*pico + d.union/2) / d.union}
	total.add(share)
	item.Scored, item.Micro, item.Detail = true, share.mean(6), d.scored(share)
}

// trim cuts white space off both ends of a JSON text.
func trim(text []byte) rawjson.Value {
	text = text[rawjson.Space(text, 0):]
	end, err := rawjson.Skip(text, 0)
	if err != nil {
		return nil
	}
	return text[:end]
}

// detail is how one turn compares. The score is common / union; union is 0 where there is no ground truth.
type detail struct {
	sample  *sdk.Sample
	domain  string
	missing bool
	common  uint64
	union   uint64
	fields  []byte // what was compared, as further JSON members
}

// intents compares the intent of a workflow: 1 where it is one of the recorded ones.
func (d *detail) intents(truth []string, model string) {
	if len(truth) == 0 {
		return
	}
	d.union = 1
	for _, code := range truth {
		if code == model && !d.missing {
			d.common = 1
		}
	}
	d.fields = appendStrings(append(d.fields, `,"gt_intents":`...), truth)
	d.fields = append(d.fields, `,"model_intent":`...)
	if model == "" {
		d.fields = append(d.fields, "null"...)
	} else {
		d.fields = rawjson.AppendString(d.fields, model)
	}
}

// actions compares programs as multisets: what both have over what either has.
func (d *detail) actions(truth, model []string) {
	if len(truth) == 0 {
		return
	}
	left := make(map[string]int, len(truth))
	for _, name := range truth {
		left[name]++
	}
	for _, name := range model {
		if left[name] > 0 {
			left[name]--
			d.common++
		}
	}
	d.union = uint64(len(truth)+len(model)) - d.common
	d.fields = appendStrings(append(d.fields, `,"gt_actions":`...), truth)
	d.fields = appendStrings(append(d.fields, `,"model_actions":`...), model)
}

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, text := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendString(dst, text)
	}
	return append(dst, ']')
}

// head writes the members that every detail has. Repeats count from 1 and the turn is that of the recorded answer, as in
// the reference's file.
func (d *detail) head() []byte {
	out := append([]byte(nil), `{"conversation_id":`...)
	out = rawjson.AppendString(out, d.sample.Trajectory)
	out = append(out, `,"repeat":`...)
	out = strconv.AppendUint(out, uint64(d.sample.Repeat)+1, 10)
	if turn := trim(d.sample.Truth).Get("turn"); turn.Kind() == rawjson.Number {
		out = append(append(out, `,"turn":`...), turn...)
	}
	out = append(out, `,"domain":`...)
	return rawjson.AppendString(out, d.domain)
}

func (d *detail) excluded() []byte {
	return append(d.head(), `,"exclude_reason":"no ground truth"}`...)
}

func (d *detail) scored(share sum) []byte {
	out := d.head()
	if d.missing {
		out = append(out, `,"missing":true`...)
	}
	out = append(out, d.fields...)
	out = append(out, `,"common":`...)
	out = strconv.AppendUint(out, d.common, 10)
	out = append(out, `,"union":`...)
	out = strconv.AppendUint(out, d.union, 10)
	out = append(out, `,"score":`...)
	return append(appendFourPlaces(out, share.mean(4)), '}')
}

// appendFourPlaces writes a share of 0 to 10000 ten-thousandths as the reference does: 0.0, 0.6667, 1.0.
func appendFourPlaces(dst []byte, n int64) []byte {
	dst = strconv.AppendInt(dst, n/10_000, 10)
	dst = append(dst, '.')
	digits := strconv.Itoa(int(n%10_000) + 10_000)[1:]
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return append(dst, digits...)
}
