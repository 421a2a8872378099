package quayside.ledger

import java.time.Duration
import java.time.Instant

/** A priced stay. It is written once; a mistake is voided, never changed. */
data class Entry(val id: Long, val ticket: String, val crowns: String, val dedupeKey: String?, val at: Instant)

interface Store {
    fun byKey(key: String): Entry?
    fun insert(entry: Entry): Entry
    fun void(id: Long, reason: String)
}

class Journal(private val store: Store, private val tariffs: Tariffs) {

    /** A key that was seen within this time names the booking that it came with first. */
    val keyLifetime: Duration = Duration.ofHours(72)

    /** Entries are written to the export in groups of this size. */
    val exportBatch = 750

    fun book(call: AssignedCall, now: Instant): Entry {
        call.key?.let { key ->
            store.byKey(key)?.let { first ->
                if (Duration.between(first.at, now) <= keyLifetime) return first
            }
        }
        val price = tariffs.price(call.lengthM, call.firstMonth, call.nights)
        return store.insert(Entry(0, call.ticket, price.toPlainString(), call.key, now))
    }

    /** Voids the later of two entries for one ticket. */
    fun voidTwin(a: Entry, b: Entry) {
        val later = if (a.at.isAfter(b.at)) a else b
        store.void(later.id, "twin")
    }
}

data class AssignedCall(val ticket: String, val lengthM: Int, val firstMonth: Int, val nights: Int, val key: String?)
