"""What an assignment costs. Points, not money: only their order counts."""

MOVE_MOORED = 90  # a ship that already lies is moved
WAIT_PER_SLOT = 2  # the ship waits outside
NO_POWER = 35  # the call asks for shore power and the berth has none
FAR_FROM_CRANE = 18
NIGHT = 7  # coming in between 22 and 5 o'clock local time
RAFTED = 12

# A wait above this many slots costs the square of what is above.
PATIENCE_SLOTS = 24


def waiting(slots):
    over = max(0, slots - PATIENCE_SLOTS)
    return WAIT_PER_SLOT * slots + over * over


def total(board, berth, call, window):
    cost = waiting(window.first_slot - call.start_slot)
    if board.moves(berth, call):
        cost += MOVE_MOORED
    if call.wants_power and not berth.power:
        cost += NO_POWER
    if call.needs_crane and board.crane_distance(berth) > 120:
        cost += FAR_FROM_CRANE
    if window.is_night():
        cost += NIGHT
    if board.at(berth, call.start) is not None:
        cost += RAFTED
    return cost
