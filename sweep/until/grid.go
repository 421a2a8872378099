package until

import "slices"

// grid are the concurrencies that a search may play: whole numbers, each about an eighth above the one before.
func grid(low, high int) []int {
	var list []int
	for n := low; n < high; n += max(1, n/8) {
		list = append(list, n)
	}
	return append(list, high)
}

// at is the place of the largest concurrency that is not above n; 0 where all are.
func at(list []int, n int) int {
	i, found := slices.BinarySearch(list, n)
	if !found && i > 0 {
		i--
	}
	return min(i, len(list)-1)
}
