package measure

import "math"

// depth is the largest distance of turns whose correlation is kept.
const depth = 8

// chain sums products of the logarithms of values that are some turns apart.
type chain struct {
	past [depth]float64 // the values before, the last one first
	have int
	sums [depth]products
}

// products are what a correlation is made of.
type products struct{ n, x, y, xx, yy, xy float64 }

func (c *chain) add(value int64, first bool) {
	if first {
		c.have = 0
	}
	v := math.Log(float64(max(value, 1)))
	for d := range c.have {
		p, x := &c.sums[d], c.past[d]
		p.n, p.x, p.y, p.xx, p.yy, p.xy = p.n+1, p.x+x, p.y+v, p.xx+x*x, p.yy+v*v, p.xy+x*v
	}
	copy(c.past[1:], c.past[:])
	c.past[0] = v
	c.have = min(c.have+1, depth)
}

// still is the share of a sum of squares below which its variance is rounding only.
const still = 1e-9

// lag gives the correlation of values that are d turns apart; 0 where there are none or they do not vary.
func (c *chain) lag(d int) float64 {
	p := c.sums[d-1]
	x, y := p.n*p.xx-p.x*p.x, p.n*p.yy-p.y*p.y
	if x <= still*p.n*p.xx || y <= still*p.n*p.yy {
		return 0
	}
	return round((p.n*p.xy - p.x*p.y) / math.Sqrt(x*y))
}
