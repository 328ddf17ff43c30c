import { describe, expect, it } from "vitest";
import { address, read } from "../src/parts/route";
import { sent } from "../src/screens/LabStart";
import type { LabOffer } from "../src/wire/types";

const study: LabOffer = { kind: "study", name: "drift", question: "?", needs: [], takes: ["quick", "agents", "mind"], quick: "20 s", full: "3 min", arms: ["a"] };
const none = { agents: "", people: "", rounds: "", seeds: "", seed: "", mind: "", data: "", run: "", llm: "", model: "", key_env: "" };

describe("starting in the Lab", () => {
  it("sends numbers as numbers and leaves out what is empty", () => {
    expect(sent(study, { ...none, agents: " 40 ", mind: "rule" }, true)).toEqual({ kind: "study", name: "drift", quick: true, agents: 40, mind: "rule" });
    expect(sent({ ...study, kind: "evaluation", takes: ["data"] }, { ...none, data: "ml-1m" }, true)).toEqual({ kind: "evaluation", name: "drift", data: "ml-1m" });
    expect(sent(study, { ...none, agents: "many" }, false)["agents"]).toBe("many");
  });

  it("has addresses that can be sent", () => {
    expect(read(address({ screen: "lab", id: "study-drift-1" }))).toEqual({ screen: "lab", id: "study-drift-1" });
    expect(read("#/lab?show=evaluations")).toEqual({ screen: "lab", id: "" });
    expect(read("#/run/one/scenario")).toEqual({ screen: "run", id: "one", tab: "scenario" });
    expect(address({ screen: "new", chosen: { like: "both~x" } })).toBe("#/new?like=both%7Ex");
  });
});
