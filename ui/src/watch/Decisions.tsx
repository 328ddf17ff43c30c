// Every decision of a person with what came of it, the reason given, and the prompts behind.

import { PHASES, tell } from "../fold/events";
import { useHere } from "../parts/context";
import { Empty } from "../parts/ui";
import type { AnyEvent, Person } from "../wire/types";
import { CallLinks, NoteLink, Told } from "./Told";

export function Decisions({ person }: { person: Person }) {
  if (!person.decisions.length) return <Empty title="No decision yet">Each decision appears here with the events it led to and, where a model made it, the exact prompt and reply.</Empty>;
  return (
    <ol className="decisions">{[...person.decisions].reverse().map((one, at) => (
      <li key={`${one.n}.${one.step}.${at}`}>
        <header className="small"><span className="faint">round {one.round} · {PHASES[one.phase] ?? ""} · step {one.step + 1}</span> <span><CallLinks calls={one.calls} /> <NoteLink about={`decision.${one.n}.${one.step}`} what="this decision" /></span></header>
        {one.cause ? <p className="cause">{one.cause}</p> : null}
        <ul>{one.events.filter(isTold).map((event, place) => <li key={place}><One event={event} /></li>)}</ul>
      </li>
    ))}</ol>
  );
}

function One({ event }: { event: AnyEvent }) {
  const { feed } = useHere();
  if (event[0] === "SlateShown") {
    return <span className="faint">is shown page {event[3] + 1}: {event[2].map((item) => feed.item(item)).join(", ")}</span>;
  }
  if (event[0] === "Entered") return <span className="faint">goes to {event[2]}</span>;
  return <Told pieces={tell(event)} known={feed} />;
}

const isTold = (event: AnyEvent): boolean => event[0] === "SlateShown" || event[0] === "Entered" || tell(event).length > 0;
