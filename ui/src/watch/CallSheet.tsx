// One call as it was: the exact prompt, the exact reply, what it took. It can be asked again, which changes nothing.

import { useState } from "react";
import { latency, outcomeWords, pretty, roleWords } from "../fold/pretty";
import { said, useAsked } from "../fold/store";
import { useHere } from "../parts/context";
import { count, money } from "../parts/format";
import { Copy } from "../parts/Copy";
import { Problem, Sheet } from "../parts/ui";
import { get, runPath, send } from "../wire/api";
import type { Again, Call } from "../wire/types";

export function CallSheet({ id, close }: { id: string; close: () => void }) {
  const { feed } = useHere();
  const path = `${runPath(feed.id)}/calls/${encodeURIComponent(id)}`;
  const asked = useAsked((signal) => get<Call>(path, signal), id);
  return (
    <Sheet title="Prompt and reply" close={close} wide>
      <Problem again={asked.again}>{asked.problem}</Problem>
      {asked.value ? <Whole call={asked.value} path={path} /> : asked.problem ? null : <p className="faint">Loading …</p>}
    </Sheet>
  );
}

function Figures({ call }: { call: Call }) {
  const figures: [string, string][] = [
    ["Purpose", call.purpose], ["Model", call.model || "–"], ["Tokens in and out", `${count(call.tokens.prompt)} + ${count(call.tokens.completion)}`],
    ["Cost", call.cost == null ? "unknown" : money(call.cost)], ["Time", latency(call.seconds)], ["Outcome", outcomeWords(call.outcome)],
    ...(call.attempts > 1 ? [["Attempts", `${call.attempts}`] as [string, string]] : []),
  ];
  return <dl className="figures">{figures.map(([label, value]) => <div key={label}><dt>{label}</dt><dd>{value}</dd></div>)}</dl>;
}

function Reply({ call, title }: { call: Call; title: string }) {
  return (
    <section className="message reply"><div className="row-between"><h3>{title}</h3>{call.reply ? <Copy text={call.reply} what="the reply" /> : null}</div>
      <pre tabIndex={0}>{call.reply ? pretty(call.reply) : call.why || "nothing"}</pre>
      {call.reply && call.why ? <p className="faint small">{call.why}</p> : null}</section>
  );
}

function Whole({ call, path }: { call: Call; path: string }) {
  const [isEdited, setEdited] = useState(false);
  const isRepair = call.purpose !== "chat" && call.messages.some((one) => one.role === "assistant");
  return (
    <>
      <Figures call={call} />
      {isRepair ? <p className="note-line">The first reply could not be used; this is the second request, which says why.</p> : null}
      {isEdited ? <AskAgain call={call} path={path} close={() => setEdited(false)} /> : (
        <>
          {call.messages.map((one, at) => (
            <section key={at} className="message"><div className="row-between"><h3>{roleWords(one.role)}</h3><Copy text={one.content} what={`the ${one.role} message`} /></div>
              <pre tabIndex={0}>{one.content}</pre></section>
          ))}
          <Reply call={call} title="Reply" />
          {call.schema ? <details className="store"><summary>The form that the reply had to have</summary><pre className="code-box" tabIndex={0}>{JSON.stringify(call.schema, null, 2)}</pre></details> : null}
          <div className="tools"><button type="button" onClick={() => setEdited(true)}>Ask this again</button>
            <span className="hint">With the prompt as it is or edited. The answer is shown here and changes nothing.</span></div>
        </>
      )}
      <p className="faint small">Key <code>{call.key}</code></p>
    </>
  );
}

function AskAgain({ call, path, close }: { call: Call; path: string; close: () => void }) {
  const [messages, setMessages] = useState(call.messages);
  const [answer, setAnswer] = useState<Again | null>(null);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const ask = async () => {
    setBusy(true); setProblem(""); setAnswer(null);
    try { setAnswer(await send<Again>(`${path}/again`, { messages })); } catch (failure) { setProblem(said(failure)); }
    setBusy(false);
  };
  const edit = (at: number, content: string) => setMessages(messages.map((one, place) => (place === at ? { ...one, content } : one)));
  return (
    <form className="stack" onSubmit={(event) => { event.preventDefault(); void ask(); }}>
      {messages.map((one, at) => (
        <div key={at} className="field"><label htmlFor={`again-${at}`}>{roleWords(one.role)}</label>
          <textarea id={`again-${at}`} className="code" rows={Math.min(14, 2 + Math.ceil(one.content.length / 110) + one.content.split("\n").length)} maxLength={100_000}
            value={one.content} onChange={(event) => edit(at, event.target.value)} /></div>
      ))}
      <div className="tools"><button type="submit" className="main" disabled={busy}>{busy ? "Asking …" : "Ask the model"}</button>
        <button type="button" onClick={() => setMessages(call.messages)} disabled={busy}>Back to the original prompt</button>
        <button type="button" onClick={close} disabled={busy}>Close the editor</button></div>
      <p className="hint">Asked of the same endpoint and model, with the same form and sampling. Neither the run nor its calls change; the answer is not kept.</p>
      <Problem>{problem}</Problem>
      <div className="pair then-now">
        <Reply call={call} title="Then" />
        {answer ? <div><Reply call={answer.call} title="Now" /><p className="faint small" role="status">{outcomeWords(answer.call.outcome)} · {count(answer.call.tokens.prompt)} + {count(answer.call.tokens.completion)} tokens · {answer.call.cost == null ? "cost unknown" : money(answer.call.cost)} · {latency(answer.call.seconds)} · {answer.left} more possible</p></div>
          : <section className="message reply"><h3>Now</h3><pre className="faint">{busy ? "Asking …" : "Not asked yet."}</pre></section>}
      </div>
    </form>
  );
}
