// One call as it was: the exact prompt, the exact reply, what it took.

import { useAsked } from "../fold/store";
import { useHere } from "../parts/context";
import { count, duration, money } from "../parts/format";
import { Problem, Sheet } from "../parts/ui";
import { get, runPath } from "../wire/api";
import type { Call } from "../wire/types";

export function CallSheet({ id, close }: { id: string; close: () => void }) {
  const { feed } = useHere();
  const asked = useAsked((signal) => get<Call>(`${runPath(feed.id)}/calls/${encodeURIComponent(id)}`, signal), id);
  return (
    <Sheet title="Prompt and reply" close={close} wide>
      <Problem again={asked.again}>{asked.problem}</Problem>
      {asked.value ? <Whole call={asked.value} /> : asked.problem ? null : <p className="faint">Loading …</p>}
    </Sheet>
  );
}

function Whole({ call }: { call: Call }) {
  const tokens = `${count(call.tokens.prompt)} + ${count(call.tokens.completion)}`;
  const figures: [string, string][] = [
    ["Purpose", call.purpose], ["Model", call.model || "–"], ["Tokens", tokens], ["Cost", money(call.cost)], ["Time", duration(call.seconds)],
    ["Outcome", call.outcome],
  ];
  return (
    <>
      <dl className="figures">{figures.map(([label, value]) => <div key={label}><dt>{label}</dt><dd>{value}</dd></div>)}</dl>
      {call.messages.map((one, at) => (
        <section key={at} className="message"><h3>{one.role}</h3><pre tabIndex={0}>{one.content}</pre></section>
      ))}
      <section className="message reply"><h3>reply</h3><pre tabIndex={0}>{call.reply || call.why || "nothing"}</pre></section>
      <p className="faint small">Key <code>{call.key}</code></p>
    </>
  );
}
