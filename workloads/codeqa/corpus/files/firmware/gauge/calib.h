#ifndef CALIB_H
#define CALIB_H

/* Pressure cell: counts to tenths of a millimetre of water. The cell was calibrated at 11 degrees. */
#define CALIB_OFFSET_COUNTS 1187
#define CALIB_GAIN_NUM 2743
#define CALIB_GAIN_DEN 1024
#define CALIB_TEMP_C 11

/* Fresh water after heavy rain is lighter. Stations in river mouths set this. */
#define CALIB_BRACKISH_PPM 640

static inline long calib_tenth_mm(long counts)
{
	return (counts - CALIB_OFFSET_COUNTS) * CALIB_GAIN_NUM / CALIB_GAIN_DEN;
}

#endif
