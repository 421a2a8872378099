"""Holds std/bfcl against bfcl-eval's own code: same tools, same verdicts, same kinds of error, same accuracies.

  official.py cases DIR SEED COUNT   writes questions.jsonl, answers.jsonl, cases.jsonl: every stored answer as calls, then COUNT mutations
  official.py compare DIR            judges the cases with bfcl-eval, and compares with ours.jsonl and tools.jsonl, which the Go test wrote
  official.py script DIR SEED EACH   writes replies.jsonl for the simulated engine: answers, about half of them right, to the first EACH questions of
                                     each category; and expected.json, what bfcl-eval says of them
  official.py report DIR REPORT      compares the scores of a run's report.json with expected.json

The answers are judged by bfcl-eval's evaluation functions as they are installed, on answers of OpenAI's client library. Only the
table of models is replaced by one entry: importing it would install every vendor's library.
"""
import collections
import copy
import json
import pathlib
import random
import re
import sys
import types


class Model:
    underscore_to_dot = True  # as every function-calling model of OpenAI's format has it; checked below


table = types.ModuleType("bfcl_eval.constants.model_config")
table.MODEL_CONFIG_MAPPING = {"official": Model}
sys.modules[table.__name__] = table

import bfcl_eval  # noqa: E402
from bfcl_eval.constants.category_mapping import SINGLE_TURN_CATEGORY  # noqa: E402
from bfcl_eval.constants.enums import Language, ModelStyle, ReturnFormat  # noqa: E402
from bfcl_eval.constants.type_mappings import GORILLA_TO_OPENAPI  # noqa: E402
from bfcl_eval.eval_checker import eval_runner  # noqa: E402
from bfcl_eval.model_handler.api_inference.openai_completion import OpenAICompletionsHandler  # noqa: E402
from bfcl_eval.model_handler.utils import convert_to_tool  # noqa: E402
from bfcl_eval.utils import is_java, is_js, is_relevance_or_irrelevance, load_dataset_entry, load_ground_truth_entry  # noqa: E402
from openai.types.chat import ChatCompletion  # noqa: E402

HOME = pathlib.Path(bfcl_eval.__file__).parent


class Handler(OpenAICompletionsHandler):
    def __init__(self):
        self.is_fc_model = True


def read(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        for row in rows:
            f.write((row if isinstance(row, str) else json.dumps(row)) + "\n")


def category(id):
    return id.rsplit("_", 1)[0]


# --- cases ---

def first(values):
    """A stored value that is more than a mark of leaving out."""
    return next((v for v in values if v != ""), "")


def plain(value):
    """A stored value as a model would give it: of objects, the first value of each key that may not be left out."""
    if isinstance(value, dict):
        return {k: plain(first(v)) if isinstance(v, list) else v for k, v in value.items() if not (isinstance(v, list) and "" in v)}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def java(value, kind, inner=None):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"' if inner == "quoted" else value
    if isinstance(value, list):
        items = ", ".join(java(v, inner, "quoted" if kind == "ArrayList" and inner in ("String", "char") else "") for v in value)
        return f"new ArrayList<>(Arrays.asList({items}))" if kind == "ArrayList" else f"new Object[]{{{items}}}"
    if isinstance(value, dict):
        return "new HashMap<String, Object>() {{ " + " ".join(f'put("{k}", {java(v, "any", "quoted")});' for k, v in value.items()) + " }}"
    return str(value) + {"long": "L", "float": "f"}.get(kind, "")


def javascript(value, kind, quoted=False):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}'" if quoted else value
    if isinstance(value, list):
        return "[" + ", ".join(javascript(v, "any", True) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {javascript(v, 'any', True)}" for k, v in value.items()) + "}"
    return str(value) + ("n" if kind == "Bigint" else "")


def calls_of(question, answer, rng=None):
    """The calls that a stored answer stands for: a list of [name, arguments]."""
    out = []
    functions = {f["name"]: f for f in question["function"]}
    for call in answer["ground_truth"]:
        (name, parameters), = call.items()
        described = functions.get(name, question["function"][0])["parameters"]
        properties = described["properties"]
        arguments = {}
        for key, values in parameters.items():
            if not values or "" in values and (key not in described["required"] if rng is None else rng.random() < 0.5):
                continue
            value = first(values) if rng is None else rng.choice(values)
            value = plain(value)
            kind = properties.get(key, {}).get("type")
            inner = properties.get(key, {}).get("items", {}).get("type")
            if is_java(category(question["id"])):
                value = java(value, kind, inner)
            elif is_js(category(question["id"])):
                value = javascript(value, kind)
            arguments[key] = value
        out.append([name.replace(".", "_"), arguments])
    return out


def message(calls):
    return {"role": "assistant", "content": None, "tool_calls": [
        {"id": f"call_{i}", "type": "function", "function": {"name": n, "arguments": a if isinstance(a, str) else json.dumps(a, ensure_ascii=i % 2 == 0)}}
        for i, (n, a) in enumerate(calls)]}


SOURCE = ["[", "]", "{", "}", "(", ")", ",", ":", ";", '"', "'", " ", "  ", "\n", "\t", "n", "L", "f", "F", "-", ".", "e5", "1", "07", "1_000", "٣", "\u00a0",
          "new ", "new  Array(", "new ArrayList<>(", "Arrays.asList(", "add(", 'put("', "new int[] {", "new HashMap<>()", "{{", "}}", "true", "false", "null",
          "[[1, 2], [3]]", "{a: 1, b: [2, 3], c: 'd'}", "inf", "nan", "a, b", "x:y", ", k :"]
SIGNS = list(" ,./-_*^'\"!?;:()") + ["İ", "ΑΣ", "ß", "é", "\u2019", "\t", "\ud800", "😀"]


def mutate_text(text, rng, source):
    at = rng.randrange(len(text) + 1)
    kind = rng.randrange(6)
    if kind == 0:
        return text.upper() if rng.random() < 0.5 else text.swapcase()
    if kind == 1:
        return text[:at] + rng.choice(SIGNS) + text[at:]
    if kind == 2:
        return text[:at] + text[at + 1:]
    if kind == 3:
        return text.replace("'", '"') if "'" in text else text.replace(" ", "").replace(",", "")
    if source:
        piece = rng.choice(SOURCE)
        return rng.choice([text[:at] + piece + text[at:], piece, text[:at] + piece + text[at + len(piece):], text + "\n"])
    return rng.choice([text + "s", text[::-1], "", " " + text + " ", text.title(), text.casefold()])


def mutate_value(v, rng, source=False):
    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice([None, True, False, 0, 1, -1, 1.0, 0.5, "", [], {}, "x", [1], {"a": 1}, 10**30, 1e22, float("nan"), float("inf"), [[]], [""], [{}]])
    if kind == 1:
        return rng.choice([str(v), [v], {"value": v}, json.dumps(v)])
    if isinstance(v, bool):
        return rng.choice([not v, int(v), float(v), str(v).lower()])
    if isinstance(v, int):
        return rng.choice([v + 1, -v, float(v), v + 0.5, v * 10, bool(v)]) if abs(v) < 10**15 else v + 1
    if isinstance(v, float):
        return rng.choice([v + 1, -v, v / 3, v * (1 + 1e-15)] + ([int(v)] if v == v and abs(v) < 1e15 else []))
    if isinstance(v, str):
        return mutate_text(v, rng, source)
    v = copy.deepcopy(v)
    if isinstance(v, list):
        if not v:
            return rng.choice([[0], ["x"], [[]], [{}]])
        at = rng.randrange(len(v))
        step = rng.randrange(5)
        if step == 0:
            del v[at]
        elif step == 1:
            v.insert(at, copy.deepcopy(rng.choice(v)))
        elif step == 2:
            rng.shuffle(v)
        else:
            v[at] = mutate_value(v[at], rng)
    elif isinstance(v, dict):
        if not v:
            return {"x": 1}
        key = rng.choice(list(v))
        step = rng.randrange(5)
        if step == 0:
            del v[key]
        elif step == 1:
            v[key + rng.choice(["_", "2", " "])] = copy.deepcopy(v[key])
        elif step == 2:
            v = dict(reversed(v.items()))
        else:
            v[key] = mutate_value(v[key], rng)
    return v


def mutate_call(call, question, rng):
    name, arguments = call
    source = is_java(category(question["id"])) or is_js(category(question["id"]))
    kind = rng.randrange(12)
    keys = list(arguments) if isinstance(arguments, dict) else []
    if kind == 0:
        names = [f["name"] for f in question["function"]]
        return [rng.choice([name + "s", name.upper(), name.replace("_", "."), "", rng.choice(names), rng.choice(names).replace(".", "_")]), arguments]
    if kind == 1 and keys:
        arguments = {k: v for k, v in arguments.items() if k != rng.choice(keys)}
    elif kind == 2:
        extra = [k for f in question["function"] for k in f["parameters"]["properties"]] + ["surprise"]
        arguments = {**arguments, rng.choice(extra): rng.choice(["", "x", 1, None, "units", [], True])} if keys or arguments == {} else arguments
    elif kind == 3 and keys:
        key = rng.choice(keys)
        arguments = {k.upper() if k == key else k: v for k, v in arguments.items()}
    elif kind == 4 and keys:
        rng.shuffle(keys)
        arguments = {k: arguments[k] for k in keys}
    elif kind == 5 and rng.random() < 0.4:
        text = json.dumps(arguments)
        arguments = rng.choice(["", "null", "[]", "5", '"x"', text[:-1], text + "}", " " + text + "\n", "\ufeff" + text, text.replace(":", ": NaN,", 1),
                                text[:1] + '"a":1,"a":2,' + text[1:], "{}", "{'a': 1}", "[" * 2000, '{"x":' + "9" * 5000 + "}", "{\"x\":1e400}", "{\"x\":\"\x01\"}"])
    elif keys:
        key = rng.choice(keys)
        arguments = {**arguments, key: mutate_value(arguments[key], rng, source)}
    return [name, arguments]


def mutation(question, answer, rng):
    calls = calls_of(question, answer, rng) if answer else [
        [f["name"].replace(".", "_"), {k: "x" for k in f["parameters"]["required"]}] for f in question["function"][:rng.randrange(3)]]
    if rng.random() < 0.04:
        return rng.choice([
            {"role": "assistant", "content": "I cannot help with that."}, {"role": "assistant", "content": ""}, {"role": "assistant", "content": None},
            {"role": "assistant", "content": None, "tool_calls": []}, {"role": "assistant", "content": "", "tool_calls": None}])
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        kind = rng.randrange(10)
        if kind == 0 and calls:
            rng.shuffle(calls)
        elif kind == 1 and calls and rng.random() < 0.5:
            del calls[rng.randrange(len(calls))]
        elif kind == 2 and calls and rng.random() < 0.5:
            calls.append(copy.deepcopy(rng.choice(calls)))
        elif calls:
            at = rng.randrange(len(calls))
            if isinstance(calls[at][1], dict):
                calls[at] = mutate_call(calls[at], question, rng)
    return message(calls)


def load():
    questions, answers = {}, {}
    for name in SINGLE_TURN_CATEGORY:
        for row in load_dataset_entry(name, include_prereq=False, include_language_specific_hint=False):
            questions[row["id"]] = row
        if not is_relevance_or_irrelevance(name):
            for row in load_ground_truth_entry(name):
                answers[row["id"]] = row
    return questions, answers


def cases(folder, seed, count):
    for path, sub in (("questions", "."), ("answers", "possible_answer")):
        files = [HOME / "data" / sub / f"BFCL_v4_{c}.json" for c in SINGLE_TURN_CATEGORY]
        write(folder / f"{path}.jsonl", [line for f in files if f.exists() for line in f.read_text(encoding="utf-8").splitlines() if line.strip()])
    questions, answers = load()
    out = []
    for id, question in questions.items():
        if id in answers:
            reply = message(calls_of(question, answers[id]))
        elif category(id).endswith("irrelevance"):
            reply = {"role": "assistant", "content": "None of these functions helps."}
        else:
            reply = message([[question["function"][0]["name"].replace(".", "_"), {}]])
        out.append({"case": len(out), "id": id, "kind": "stored", "message": reply})
    rng = random.Random(seed)
    by_category = collections.defaultdict(list)
    for id in questions:
        by_category[category(id)].append(id)
    for _ in range(count):
        id = rng.choice(by_category[rng.choice(sorted(by_category))])
        out.append({"case": len(out), "id": id, "kind": "mutated", "message": mutation(questions[id], answers.get(id), rng)})
    write(folder / "cases.jsonl", out)
    print(f"{len(questions)} questions, {len(answers)} with stored answers, {count} mutations")


# --- the official verdict ---

def official(case, question, answer):
    """Code of the error, empty for a right answer; crash: and the exception where bfcl-eval stops."""
    handler, name = Handler(), category(case["id"])
    response = ChatCompletion.construct(**{
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"tool_calls": None, **case["message"]}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
    result = handler._parse_query_response_FC(response)["model_responses"]
    try:
        if is_relevance_or_irrelevance(name):
            verdict = eval_runner._evaluate_single_relevance_entry(handler, case["id"], result, question, "official", name)
        else:
            language, form = (Language.JAVA, ReturnFormat.JAVA) if is_java(name) else (
                Language.JAVASCRIPT, ReturnFormat.JAVASCRIPT) if is_js(name) else (Language.PYTHON, ReturnFormat.PYTHON)
            verdict = eval_runner._evaluate_single_ast_entry(
                handler, case["id"], result, answer["ground_truth"], question, "official", name, language=language, return_format=form)
    except Exception as e:  # the whole evaluation would have stopped here
        return f"crash: {type(e).__name__}: {e}"[:120]
    return "" if verdict["valid"] else verdict["error_type"]


def compare_tools(folder, questions):
    theirs = collections.Counter()
    for ours in read(folder / "tools.jsonl"):
        question = copy.deepcopy(questions[ours["id"]])
        functions = question["function"]
        if ours["hinted"]:
            from bfcl_eval.utils import add_language_specific_hint_to_function_doc
            functions = add_language_specific_hint_to_function_doc([question])[0]["function"]
        want = convert_to_tool(functions, GORILLA_TO_OPENAPI, ModelStyle.OPENAI_COMPLETIONS)
        same = json.dumps(want) == json.dumps(ours["tools"]) and questions[ours["id"]]["question"][0] == ours["messages"]
        theirs[same] += 1
        if not same:
            print("tools differ:", ours["id"], "hinted" if ours["hinted"] else "plain")
            print("  official", json.dumps(want)[:1500])
            print("  ours    ", json.dumps(ours["tools"])[:1500])
    print(f"tools: {theirs[True]} requests equal, {theirs[False]} differ")
    return theirs[False]


def compare(folder):
    text = (HOME / "constants" / "model_config.py").read_text(encoding="utf-8")
    entries = re.findall(r"model_handler=OpenAICompletionsHandler,(?:[^()]|\([^()]*\))*?is_fc_model=True,\s*underscore_to_dot=(\w+)", text)
    if not entries or set(entries) != {"True"}:
        sys.exit(f"bfcl-eval's own table has other function-calling models of OpenAI's format than expected: {entries}")
    questions, answers = load()
    differ = compare_tools(folder, questions)
    ours = {row["case"]: row for row in read(folder / "ours.jsonl")}
    counts, codes, crashes = collections.Counter(), collections.Counter(), []
    for case in read(folder / "cases.jsonl"):
        want = official(case, copy.deepcopy(questions[case["id"]]), answers.get(case["id"]))
        got = ours[case["case"]]["code"]
        if want.startswith("crash:"):
            if got != "checker:unjudgeable":
                differ += 1
                print("differ:", case["id"], "official", want, "ours", got or "right", json.dumps(case["message"])[:600])
            crashes.append((case["id"], want))
            continue
        same = (want == "") == (got == "")
        counts[case["kind"], want == "", same] += 1
        codes[want or "right"] += 1
        if not same or want != got:
            differ += 1
            print("differ:", case["id"], "official", want or "right", "ours", got or "right", ours[case["case"]].get("detail"), json.dumps(case["message"])[:600])
    for kind in ("stored", "mutated"):
        print(f"{kind}: {counts[kind, True, True] + counts[kind, False, True]} verdicts equal ({counts[kind, True, True]} right, "
              f"{counts[kind, False, True]} wrong), {counts[kind, True, False] + counts[kind, False, False]} differ")
    print("kinds of error:", ", ".join(f"{k} {n}" for k, n in sorted(codes.items())))
    for id, why in crashes:
        print(f"bfcl-eval stops ({why}), ours says unjudgeable: {id}")
    if differ:
        sys.exit(f"{differ} differences")


# --- a whole run ---

def spoken(reply):
    """Whether an engine could have sent it: named calls or words, no half characters."""
    calls = reply.get("tool_calls")
    return "\\ud800" not in json.dumps(reply) and (bool(calls) and all(c["function"]["name"] for c in calls) or not calls and bool(reply["content"]))


def script(folder, seed, each):
    questions, answers = load()
    rng, seen, replies, right = random.Random(seed), collections.Counter(), {}, collections.defaultdict(list)
    for id, question in questions.items():
        seen[category(id)] += 1
        if seen[category(id)] > each:
            continue
        key = json.dumps([next(m["content"] for m in reversed(question["question"][0]) if m["role"] == "user"), [f["name"].replace(".", "_") for f in question["function"]]])
        if key not in replies:  # two questions may be equal to the engine
            reply = message(calls_of(question, answers[id])) if id in answers else {"role": "assistant", "content": "None of these functions helps."}
            while rng.random() < 0.5 or not spoken(reply):
                reply = mutation(question, answers.get(id), rng)
            replies[key] = reply
        code = official({"id": id, "message": replies[key]}, copy.deepcopy(question), answers.get(id))
        right[category(id)].append(code == "")
    write(folder / "replies.jsonl", [
        {"user": json.loads(key)[0], "tools": json.loads(key)[1], "content": reply["content"] or "",
         "tool_calls": [c["function"] for c in reply.get("tool_calls") or []]} for key, reply in replies.items()])
    share = {c: sum(v) / len(v) for c, v in right.items()}
    count = {c: len(v) for c, v in right.items()}

    def entry(c):
        return {"accuracy": share[c], "total_count": count[c], "display_accuracy": share[c]}

    helper = eval_runner  # which takes in all of eval_runner_helper
    simple = helper.calculate_unweighted_accuracy([entry(c) for c in ("simple_python", "simple_java", "simple_javascript")])
    non_live = helper.calculate_unweighted_accuracy([simple] + [entry(c) for c in ("multiple", "parallel", "parallel_multiple")])["accuracy"]
    live = helper.calculate_weighted_accuracy([entry(c) for c in ("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple")])["accuracy"]
    irrelevance = helper.calculate_unweighted_accuracy([entry(c) for c in ("irrelevance", "live_irrelevance")])["accuracy"]
    share |= {
        "accuracy": sum(map(sum, right.values())) / sum(map(len, right.values())), "non_live": non_live, "live": live, "hallucination": irrelevance,
        "normalized_single_turn": (non_live + live + irrelevance) / 3, "leaderboard": (non_live + live + irrelevance) / 10}
    with open(folder / "expected.json", "w", encoding="utf-8") as f:
        json.dump({"shares": share, "scored": sum(count.values())}, f)


def report(folder, path):
    with open(folder / "expected.json", encoding="utf-8") as f:
        want = json.load(f)
    with open(path, encoding="utf-8") as f:
        score = next(s for s in json.load(f)["scores"] if s["name"] == "std/bfcl/ast")
    got = {p["name"]: p["value"] for p in score["parts"]} | {"accuracy": score["score"]}
    differ = [f"{k}: official {v}, ours {got.get(k)}" for k, v in want["shares"].items() if k not in got or abs(got[k] - v) > 1e-6]
    if differ or score["scored"] != want["scored"]:
        sys.exit("\n".join(differ + [f"{score['scored']} scored of {want['scored']}"]))
    print(f"{score['scored']} answers through the runner: accuracy {score['score']}, normalized {got['normalized_single_turn']}, "
          f"and all {len(want['shares'])} shares as bfcl-eval counts them")


if __name__ == "__main__":
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if command == "cases":
        cases(folder, int(sys.argv[3]), int(sys.argv[4]))
    elif command == "compare":
        compare(folder)
    elif command == "script":
        script(folder, int(sys.argv[3]), int(sys.argv[4]))
    elif command == "report":
        report(folder, sys.argv[3])
    else:
        sys.exit(__doc__)
