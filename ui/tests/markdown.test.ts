import { describe, expect, it } from "vitest";
import { blocks } from "../src/fold/markdown";

describe("what evaluations write", () => {
  it("is read as headings, tables, lists, paragraphs and printed text", () => {
    const found = blocks("# Title\n\nOne line\nand another.\n\n| a | b |\n|---|---:|\n| **1** | 2 \\| |\n| 3 | 4 |\n\n- first\n- `second`\n\n```\nas  printed\n```\n");
    expect(found).toEqual([
      { kind: "heading", text: "Title" }, { kind: "text", text: "One line and another." },
      { kind: "table", head: ["a", "b"], rows: [["1", "2 |"], ["3", "4"]] },
      { kind: "list", items: ["first", "second"] }, { kind: "printed", text: "as  printed" },
    ]);
  });

  it("does not lose text that never ends or a table without a rule", () => {
    expect(blocks("```\nx")).toEqual([{ kind: "printed", text: "x" }]);
    expect(blocks("| a |\nno rule")).toEqual([{ kind: "text", text: "| a | no rule" }]);
    expect(blocks("")).toEqual([]);
  });
});
