// The little Markdown that evaluations write: headings, tables, lists, paragraphs and printed text.

export type Block =
  | { kind: "heading"; text: string }
  | { kind: "table"; head: string[]; rows: string[][] }
  | { kind: "list"; items: string[] }
  | { kind: "text"; text: string }
  | { kind: "printed"; text: string };

const cells = (line: string): string[] => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => plain(cell.trim()));
const plain = (text: string): string => text.replace(/\*\*(.+?)\*\*/g, "$1").replace(/`(.+?)`/g, "$1").replace(/\\([|*_])/g, "$1");
const isRule = (line: string | undefined): boolean => /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(line ?? "") && (line ?? "").includes("-");

export function blocks(markdown: string): Block[] {
  const lines = markdown.split("\n");
  const found: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.startsWith("```")) {
      const end = lines.findIndex((one, place) => place > at && one.startsWith("```"));
      const last = end < 0 ? lines.length : end;
      found.push({ kind: "printed", text: lines.slice(at + 1, last).join("\n") });
      at = last;
    } else if (line.startsWith("#")) {
      found.push({ kind: "heading", text: plain(line.replace(/^#+\s*/, "")) });
    } else if (line.trim().startsWith("|") && isRule(lines[at + 1])) {
      const rows: string[][] = [];
      let row = at + 2;
      while (lines[row]?.trim().startsWith("|")) { rows.push(cells(lines[row] ?? "")); row += 1; }
      found.push({ kind: "table", head: cells(line), rows });
      at = row - 1;
    } else if (/^\s*[-*] /.test(line)) {
      const items: string[] = [];
      let row = at;
      while (/^\s*[-*] /.test(lines[row] ?? "")) { items.push(plain((lines[row] ?? "").replace(/^\s*[-*] /, ""))); row += 1; }
      found.push({ kind: "list", items });
      at = row - 1;
    } else if (line.trim()) {
      const last = found.at(-1);
      if (last?.kind === "text" && (lines[at - 1] ?? "").trim()) last.text += ` ${plain(line.trim())}`;
      else found.push({ kind: "text", text: plain(line.trim()) });
    }
  }
  return found;
}
