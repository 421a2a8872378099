package quayside.ledger

import java.math.BigDecimal
import java.math.RoundingMode

/** One row of data/tariffs.csv: what a metre of ship costs a night. */
data class Tariff(val code: String, val season: String, val fromLengthM: Int, val perMetre: BigDecimal)

/** The season of a month, 1 to 12. Summer begins in May. */
fun seasonOf(month: Int): String = when (month) {
    in 5..9 -> "summer"
    3, 4, 10 -> "shoulder"
    else -> "winter"
}

class Tariffs(private val rows: List<Tariff>) {

    /** Stays of this many nights or more get the long-stay discount. */
    val longStayNights = 6

    /** In percent. */
    val longStayDiscount = 14

    /** What every stay costs at least, in crowns. */
    val minimumCrowns = BigDecimal("85.00")

    fun price(lengthM: Int, month: Int, nights: Int): BigDecimal {
        val season = seasonOf(month)
        val row = rows.filter { it.season == season && it.fromLengthM <= lengthM }.maxByOrNull { it.fromLengthM }
            ?: throw UnknownTariff(season, lengthM)
        var sum = row.perMetre * BigDecimal(lengthM) * BigDecimal(nights)
        if (nights >= longStayNights) {
            sum = sum * BigDecimal(100 - longStayDiscount) / BigDecimal(100)
        }
        return sum.max(minimumCrowns).setScale(2, RoundingMode.HALF_EVEN)
    }
}

class UnknownTariff(season: String, lengthM: Int) : Exception("no tariff for $lengthM m in $season")
