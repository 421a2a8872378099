package cli

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestSideBySide: all run at once; the first error in order is told, whichever came first; it cancels only those behind it.
func TestSideBySide(t *testing.T) {
	second, third := errors.New("second"), errors.New("third")
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var whole, given error = errors.New("not called"), nil
		err := sideBySide(t.Context(), 4, func(ctx context.Context, i int) error {
			switch i {
			case 0:
				time.Sleep(3 * time.Second)
				whole = ctx.Err()
			case 1:
				time.Sleep(2 * time.Second)
				return second
			case 2:
				time.Sleep(time.Second)
				return third
			case 3:
				<-ctx.Done()
				given = ctx.Err()
				return given
			}
			return nil
		})
		if !errors.Is(err, second) || whole != nil || given == nil {
			t.Errorf("got %v; the one before it %v, the one behind it %v", err, whole, given)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("took %v", took)
		}
	})
	if err := sideBySide(t.Context(), 3, func(context.Context, int) error { return nil }); err != nil {
		t.Error(err)
	}
}
