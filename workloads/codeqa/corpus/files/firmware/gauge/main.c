/* Water-level gauge: measures, averages, sends, sleeps. */
#include "calib.h"
#include "radio.h"

#define SAMPLE_COUNT 37          /* one average; waves have passed by then */
#define FRAME_PERIOD_S 150
#define WATCHDOG_S 480
#define LOW_BATTERY_MV 3410

static long samples[SAMPLE_COUNT];

extern long adc_read(void);
extern int battery_mv(void);
extern void sleep_s(int seconds);
extern void watchdog_arm(int seconds);
extern void watchdog_kick(void);

/* The median of an average's samples: one splash does not move it. */
static long median(long *v, int n)
{
	for (int i = 1; i < n; i++) {
		long x = v[i];
		int j = i - 1;
		for (; j >= 0 && v[j] > x; j--)
			v[j + 1] = v[j];
		v[j + 1] = x;
	}
	return v[n / 2];
}

int main(void)
{
	struct frame f = {.version = FRAME_VERSION};
	watchdog_arm(WATCHDOG_S);
	for (;;) {
		for (int i = 0; i < SAMPLE_COUNT; i++)
			samples[i] = adc_read();
		f.level_tenth_mm = calib_tenth_mm(median(samples, SAMPLE_COUNT));
		f.battery_mv = battery_mv();
		f.flags = f.battery_mv < LOW_BATTERY_MV ? FLAG_LOW_BATTERY : 0;
		f.sequence++;
		if (radio_send(&f) != 0)
			f.flags |= FLAG_LAST_SEND_FAILED;
		watchdog_kick();
		sleep_s(FRAME_PERIOD_S);
	}
}
