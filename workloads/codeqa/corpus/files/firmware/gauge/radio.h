#ifndef RADIO_H
#define RADIO_H

#include <stdint.h>

#define FRAME_VERSION 6
#define FLAG_LOW_BATTERY 0x01
#define FLAG_LAST_SEND_FAILED 0x04
#define FLAG_LID_OPEN 0x10

struct frame {
	uint8_t version;
	uint8_t flags;
	uint16_t sequence;
	int32_t level_tenth_mm;
	uint16_t battery_mv;
	uint16_t check;
};

/* Sends one frame; 0, or the number of attempts that failed. */
int radio_send(struct frame *f);

#endif
