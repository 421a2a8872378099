"""Writes observations with the classes of Langfuse's SDK for its API's answers. Usage: python write.py FILE, where langfuse is
installed. Ids and times are made up, so the file is the same each time."""

import datetime as dt
import sys

from langfuse.api.commons.types.observation_v2 import ObservationV2

START = dt.datetime(2026, 5, 1, 10, tzinfo=dt.timezone.utc)
asked = [{"role": "system", "content": "You look things up."}, {"role": "user", "content": "Weather in Bern?"}]
call = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Bern"}'}}]}
found = {"role": "tool", "tool_call_id": "call_1", "content": "14 degrees"}


def observation(number, kind, start, end, **more):
    return ObservationV2(
        id=f"o{number}", trace_id="t1", project_id="p", type=kind, start_time=START + dt.timedelta(seconds=start),
        end_time=START + dt.timedelta(seconds=end), **more)


with open(sys.argv[1], "w", encoding="utf-8") as out:
    for o in (
        observation(3, "GENERATION", 5, 6, input=asked + [call, found], output={"role": "assistant", "content": "14 degrees."},
                    usage_details={"input": 10, "input_cached_tokens": 30, "output": 4, "total": 44}),
        observation(2, "TOOL", 2, 5, input={"city": "Bern"}, output="14 degrees"),
        observation(1, "GENERATION", 0, 2, input=asked, output=call, usage_details={"input": 20, "output": 8, "total": 28}),
    ):
        out.write(o.json(exclude_none=True) + "\n")
