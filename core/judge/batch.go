package judge

import "paceline/core/verdict"

// A batch is cut at the first border of the judge's unit at which it holds at least this many samples or bytes (see
// sizeOf), and where another workload begins. So a batch holds whole units and at least one, and its borders follow from the samples alone.
const (
	batchSamples = 256
	batchBytes   = 1 << 20
)

// batch is a stretch of the judging order: places [from, to).
type batch struct {
	number   int
	from, to int
	units    []int // the place after each unit
	items    []Item
}

// unit returns the items of the nth unit.
func (b *batch) unit(n int) []Item {
	from := b.from
	if n > 0 {
		from = b.units[n-1]
	}
	return b.items[from-b.from : b.units[n]-b.from]
}

// cut builds the batch that begins at place from.
func (b *builder) cut(u verdict.Unit, number, from int) (*batch, error) {
	x := &batch{number: number, from: from, to: from}
	size := 0
	for x.to < len(b.m.order) && len(x.items) < batchSamples && size < batchBytes && b.m.goesOn(from, x.to) {
		end := b.m.unitEnd(u, x.to)
		for ; x.to < end; x.to++ {
			it, err := b.item(x.to)
			if err != nil {
				return nil, err
			}
			size += sizeOf(&it)
			x.items = append(x.items, it)
		}
		x.units = append(x.units, end)
	}
	return x, nil
}

// again builds a batch of known borders once more.
func (b *builder) again(x *batch) ([]Item, error) {
	items := make([]Item, 0, x.to-x.from)
	for place := x.from; place < x.to; place++ {
		it, err := b.item(place)
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}
