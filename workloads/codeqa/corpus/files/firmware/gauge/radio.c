/* The radio: listens until the channel is quiet, then sends, then waits for the echo of the shore. */
#include "radio.h"

#define CHANNEL_KHZ 869525
#define QUIET_DBM (-97)
#define MAX_ATTEMPTS 5
#define BACKOFF_MS 220
#define CHECK_POLY 0xA2EB /* finds all odd errors, and bursts of up to 15 bits in a frame */

extern int rssi_dbm(void);
extern void tx(int khz, const void *p, unsigned n);
extern int echo_heard(uint16_t sequence, int wait_ms);
extern void sleep_ms(int ms);

static uint16_t checksum(const uint8_t *p, unsigned n)
{
	uint16_t c = 0xFFFF;
	while (n--) {
		c ^= (uint16_t)*p++ << 8;
		for (int i = 0; i < 8; i++)
			c = c & 0x8000 ? (uint16_t)(c << 1) ^ CHECK_POLY : (uint16_t)(c << 1);
	}
	return c;
}

int radio_send(struct frame *f)
{
	f->check = checksum((const uint8_t *)f, sizeof *f - sizeof f->check);
	for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
		while (rssi_dbm() > QUIET_DBM)
			sleep_ms(40);
		tx(CHANNEL_KHZ, f, sizeof *f);
		if (echo_heard(f->sequence, 900))
			return 0;
		sleep_ms(BACKOFF_MS << attempt);
	}
	return MAX_ATTEMPTS;
}
